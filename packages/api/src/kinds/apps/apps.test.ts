import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DaemonSet, Deployment, StatefulSet } from '@homeostat/api/types/apps-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { daemonSetStrategy } from './daemon-set.ts';
import { deploymentStrategy } from './deployment.ts';
import { statefulSetStrategy } from './stateful-set.ts';

const context = { nowMs: 0 };
const selector = { matchLabels: { app: 'a' } };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
const metadata = { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 1 };

function draft<T>(object: object): Mutable<T> {
  return structuredClone(object) as Mutable<T>;
}

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

function defaulted(): Deployment {
  const object = draft<Deployment>({ metadata, spec: { selector, template } });
  deploymentStrategy.applyDefaults?.(object);
  return object as Deployment;
}

test('a Deployment gets a rolling update of a quarter each way', () => {
  const { spec } = defaulted();
  assert.deepEqual(spec?.strategy, {
    type: 'RollingUpdate',
    rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
  });
  assert.deepEqual([spec?.replicas, spec?.revisionHistoryLimit, spec?.progressDeadlineSeconds], [1, 10, 600]);
  assert.deepEqual(texts(deploymentStrategy.validateCreate?.(defaulted(), context)), []);
});

test("a Deployment's generation counts annotations, but not labels", () => {
  const old = defaulted();
  const annotated = draft<Deployment>({ ...old, metadata: { ...metadata, annotations: { a: 'b' } } });
  deploymentStrategy.prepareForUpdate?.(annotated, old, context);
  assert.equal(annotated.metadata?.generation, 2);
  const labelled = draft<Deployment>({ ...old, metadata: { ...metadata, labels: { a: 'b' } } });
  deploymentStrategy.prepareForUpdate?.(labelled, old, context);
  assert.equal(labelled.metadata?.generation, 1);
});

test("a Deployment's selector can't be changed, left out or emptied", () => {
  const old = defaulted();
  const changed = { ...old, spec: { ...old.spec, selector: { matchLabels: { app: 'z' } } } } as Deployment;
  assert.ok(
    texts(deploymentStrategy.validateUpdate?.(changed, old, context)).some((text) =>
      text.includes('field is immutable'),
    ),
  );
  const empty = { ...old, spec: { ...old.spec, selector: { matchLabels: {} } } } as Deployment;
  assert.deepEqual(texts(deploymentStrategy.validateCreate?.(empty, context)), [
    'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
  ]);
});

test("a Deployment's status can't lose count of name collisions", () => {
  const status = deploymentStrategy.subresources?.['status'];
  const old = { ...defaulted(), status: { collisionCount: 0 } } as Deployment;
  assert.deepEqual(texts(status?.validateUpdate?.({ ...old, status: {} } as Deployment, old, context)), [
    'status.collisionCount: Invalid value: 0: cannot be decremented',
  ]);
});

test("a DaemonSet's template generation follows the template, its generation the spec", () => {
  const old = draft<DaemonSet>({ metadata, spec: { selector, template } });
  daemonSetStrategy.applyDefaults?.(old);
  daemonSetStrategy.prepareForCreate?.(old, context);
  const name = 'deprecated.daemonset.template.generation';
  assert.equal(old.metadata?.annotations?.[name], '1');
  const changed = structuredClone(old);
  if (changed.spec?.template?.spec?.containers?.[0] !== undefined)
    changed.spec.template.spec.containers[0].image = 'i:2';
  daemonSetStrategy.prepareForUpdate?.(changed, old as DaemonSet, context);
  assert.deepEqual([changed.metadata?.annotations?.[name], changed.metadata?.generation], ['2', 2]);
  const slower = structuredClone(old);
  if (slower.spec !== undefined) slower.spec.minReadySeconds = 5;
  daemonSetStrategy.prepareForUpdate?.(slower, old as DaemonSet, context);
  assert.deepEqual([slower.metadata?.annotations?.[name], slower.metadata?.generation], ['1', 2]);
});

test('a StatefulSet takes claim templates for volumes of its Pods, and keeps most of its spec', () => {
  const mounted = structuredClone(template) as Mutable<typeof template>;
  Object.assign(mounted.spec.containers[0] ?? {}, { volumeMounts: [{ name: 'data', mountPath: '/d' }] });
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const object = draft<StatefulSet>({ metadata, spec: { selector, template: mounted, volumeClaimTemplates: [claim] } });
  statefulSetStrategy.applyDefaults?.(object);
  assert.deepEqual(texts(statefulSetStrategy.validateCreate?.(object as StatefulSet, context)), []);
  const changed = structuredClone(object);
  if (changed.spec !== undefined) changed.spec.serviceName = 'other';
  const problems = texts(statefulSetStrategy.validateUpdate?.(changed as StatefulSet, object as StatefulSet, context));
  assert.match(problems[0] ?? '', /^spec: Forbidden: updates to statefulset spec for fields other than 'replicas'/);
  const scaled = structuredClone(object);
  if (scaled.spec !== undefined) scaled.spec.replicas = 5;
  assert.deepEqual(
    texts(statefulSetStrategy.validateUpdate?.(scaled as StatefulSet, object as StatefulSet, context)),
    [],
  );
});
