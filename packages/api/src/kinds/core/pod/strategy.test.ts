import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applySchemaDefaults, decodeObject, type FieldError, type Json, type Mutable } from '@homeostat/machinery';
import type { Pod, PodSpec, PodStatus } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import type { UpdateStrategy } from '../../../strategy.ts';
import { podStrategy } from './strategy.ts';

const context = { nowMs: Date.UTC(2026, 0, 2, 3, 4, 5) };
const podSchema = structByName('io.k8s.api.core.v1.Pod');
assert.ok(podSchema !== undefined);
const schema = podSchema;

/** A Pod as it is stored after its creation. */
function stored(spec: Partial<PodSpec> = {}, more: Partial<Pod> = {}): Pod {
  const containers = [{ name: 'c', image: 'img:1', resources: { requests: { cpu: '1' } } }];
  const metadata = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' };
  const text = { metadata: { ...metadata, ...more.metadata }, spec: { serviceAccountName: 'sa', containers, ...spec } };
  const draft = decodeObject(text as unknown as Json, schema) as Mutable<Pod>;
  applySchemaDefaults(draft, schema);
  podStrategy.applyDefaults?.(draft);
  podStrategy.prepareForCreate?.(draft, context);
  if (more.status !== undefined)
    draft.status = { ...draft.status, ...structuredClone(more.status) } as Mutable<PodStatus>;
  return draft as Pod;
}

/** What an update of the stored Pod comes to. */
function update(old: Pod, change: (draft: Mutable<Pod>) => void, strategy: UpdateStrategy<Pod> = podStrategy) {
  const draft = structuredClone(old) as Mutable<Pod>;
  change(draft);
  strategy.prepareForUpdate?.(draft, old, context);
  return { draft: draft as Pod, errors: texts(strategy.validateUpdate?.(draft as Pod, old, context) ?? []) };
}

function texts(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, body }) => `${field}: ${body.split('\n')[0]}`);
}

function specOf(draft: Mutable<Pod>): Mutable<PodSpec> {
  return (draft.spec ??= { containers: [] });
}

const container = (draft: Mutable<Pod>) => {
  const [first] = specOf(draft).containers;
  assert.ok(first !== undefined);
  return first;
};

test('a new Pod is Pending, of a class, of generation 1, and has no status of its own', () => {
  const pod = stored({}, { metadata: { generation: 7 } });
  assert.deepEqual(pod.status, { phase: 'Pending', qosClass: 'Burstable' });
  assert.equal(pod.metadata?.generation, 1);
  assert.deepEqual(podStrategy.validateCreate?.(pod, context), []);
  assert.equal(pod.spec?.serviceAccount, 'sa');
});

test('a new Pod behind a gate says so in its status', () => {
  const { status } = stored({ schedulingGates: [{ name: 'example.com/g' }] });
  assert.deepEqual(
    status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
    [['PodScheduled', 'False', 'SchedulingGated']],
  );
});

test('an update may change images, which counts as a new generation', () => {
  const { draft, errors } = update(stored(), (pod) => void (container(pod).image = 'img:2'));
  assert.deepEqual(errors, []);
  assert.equal(draft.metadata?.generation, 2);
});

test('an update leaves the status alone', () => {
  const old = stored();
  const { draft } = update(old, (pod) => void (pod.status = { phase: 'Running' }));
  assert.deepEqual(draft.status, old.status);
  assert.equal(draft.metadata?.generation, 1);
});

test('an update may not change other fields of the spec', () => {
  const command = update(stored(), (pod) => void (container(pod).command = ['x']));
  assert.match(command.errors.join(), /^spec: Forbidden: pod updates may not change fields other than /);
  const added = update(stored(), (pod) => void specOf(pod).containers.push({ name: 'd', image: 'i' }));
  assert.ok(added.errors.includes('spec.containers: Forbidden: pod updates may not add or remove containers'));
});

test('an update may add tolerations and shorten the deadline', () => {
  const old = stored({ tolerations: [{ key: 'k', operator: 'Exists' }], activeDeadlineSeconds: 10 });
  const fine = update(old, (pod) => {
    specOf(pod).tolerations?.unshift({ operator: 'Exists' });
    specOf(pod).activeDeadlineSeconds = 9;
  });
  assert.deepEqual(fine.errors, []);
  const bad = update(old, (pod) => {
    specOf(pod).tolerations = [{ key: 'other', operator: 'Exists' }];
    specOf(pod).activeDeadlineSeconds = 11;
  });
  assert.deepEqual(bad.errors, [
    'spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value',
    'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
  ]);
});

test('gates may only go, and while there are any the placement may be narrowed', () => {
  const old = stored({ schedulingGates: [{ name: 'example.com/g' }], nodeSelector: { a: 'b' } });
  const narrowed = update(old, (pod) => void (specOf(pod).nodeSelector = { a: 'b', c: 'd' }));
  assert.deepEqual(narrowed.errors, []);
  const widened = update(old, (pod) => void (specOf(pod).nodeSelector = { c: 'd' }));
  assert.match(
    widened.errors.join(),
    /^spec\.nodeSelector: Invalid value: .*only additions to spec\.nodeSelector are allowed/,
  );
  const gated = update(old, (pod) => void specOf(pod).schedulingGates?.push({ name: 'example.com/h' }));
  const text = "only deletion is allowed, but found new scheduling gate 'example.com/h'";
  assert.deepEqual(gated.errors, [`spec.schedulingGates[1].name: Forbidden: ${text}`]);
});

test('the status endpoint changes the status only', () => {
  const strategy = podStrategy.subresources?.['status'];
  const { draft, errors } = update(
    stored(),
    (pod) => {
      container(pod).image = 'img:2';
      pod.status = { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] };
    },
    strategy,
  );
  assert.deepEqual(errors, []);
  assert.equal(draft.spec?.containers[0]?.image, 'img:1');
  assert.equal(draft.status?.phase, 'Running');
  assert.equal(draft.status?.qosClass, 'Burstable');
});

test('the status endpoint never brings a finished container of a Pod without restarts back', () => {
  const status = (state: object) => ({
    containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state }],
  });
  const old = stored({ restartPolicy: 'Never' }, { status: status({ terminated: { exitCode: 0 } }) as PodStatus });
  const change = (pod: Mutable<Pod>): void => {
    pod.status = { phase: 'Running', ...status({ running: {} }) } as Mutable<PodStatus>;
  };
  assert.deepEqual(update(old, change, podStrategy.subresources?.['status']).errors, [
    'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
  ]);
  const restarts = stored({}, { status: status({ terminated: { exitCode: 0 } }) as PodStatus });
  assert.deepEqual(update(restarts, change, podStrategy.subresources?.['status']).errors, []);
});

test('ephemeral containers are added, never changed or removed', () => {
  const strategy = podStrategy.subresources?.['ephemeralcontainers'];
  const debug = {
    name: 'dbg',
    image: 'i',
    imagePullPolicy: 'IfNotPresent' as const,
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File' as const,
  };
  const first = update(stored(), (pod) => void (specOf(pod).ephemeralContainers = [debug]), strategy);
  assert.deepEqual(first.errors, []);
  assert.equal(first.draft.metadata?.generation, 2);
  const gone = update(first.draft, (pod) => void delete specOf(pod).ephemeralContainers, strategy);
  assert.deepEqual(gone.errors, [
    'spec.ephemeralContainers: Forbidden: existing ephemeral containers "dbg" may not be removed',
  ]);
  const changed = update(
    first.draft,
    (pod) => void (specOf(pod).ephemeralContainers = [{ ...debug, image: 'j' }]),
    strategy,
  );
  assert.deepEqual(changed.errors, [
    'spec.ephemeralContainers: Forbidden: existing ephemeral containers "dbg" may not be changed',
  ]);
});

test('resize changes cpu and memory, not the class, and drops other changes', () => {
  const strategy = podStrategy.subresources?.['resize'];
  const grown = update(
    stored(),
    (pod) => {
      container(pod).resources = { requests: { cpu: '2' } };
      container(pod).image = 'img:2';
    },
    strategy,
  );
  assert.deepEqual(grown.errors, []);
  assert.equal(grown.draft.spec?.containers[0]?.image, 'img:1');
  assert.equal(grown.draft.metadata?.generation, 2);
  const other = update(
    stored(),
    (pod) =>
      void (container(pod).resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }),
    strategy,
  );
  assert.deepEqual(other.errors, [
    'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
  ]);
  const removed = update(stored(), (pod) => void (container(pod).resources = { limits: { cpu: '1' } }), strategy);
  assert.ok(
    removed.errors.includes('spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed'),
  );
});

test('a Pod that a node runs is given time to end', () => {
  const seconds = (spec: Partial<PodSpec>, phase: PodStatus['phase'], requested?: number) =>
    podStrategy.gracefulDeletion?.(stored(spec, { status: phase === undefined ? {} : { phase } }), requested);
  assert.equal(seconds({ nodeName: 'n' }, 'Running'), 30);
  assert.equal(seconds({ nodeName: 'n', terminationGracePeriodSeconds: 5 }, 'Running'), 5);
  assert.equal(seconds({ nodeName: 'n' }, 'Running', 0), 0);
  assert.equal(seconds({ nodeName: 'n' }, 'Running', -1), 1);
  assert.equal(seconds({ nodeName: 'n' }, 'Succeeded'), 0);
  assert.equal(seconds({}, 'Pending'), 0);
});

test('field selectors see what schedulers and kubelets select by', () => {
  const fields = podStrategy.selectableFields?.(stored({ nodeName: 'n', hostNetwork: true }));
  assert.equal(fields?.['spec.nodeName'], 'n');
  assert.equal(fields?.['spec.hostNetwork'], 'true');
  assert.equal(fields?.['status.phase'], 'Pending');
});
