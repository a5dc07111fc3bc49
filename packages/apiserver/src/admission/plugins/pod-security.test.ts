import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import type { KubeObject } from '@homeostat/machinery';
import { attributesOf, createFixtureHost, type FixtureHost } from '../admission-fixture.ts';
import { PodSecurity } from './pod-security.ts';

const enforce = 'pod-security.kubernetes.io/enforce';

function hostWith(labels: Record<string, string>): FixtureHost {
  const host = createFixtureHost();
  host.put('namespaces', namespace(labels));
  return host;
}

function namespace(labels: Record<string, string>): KubeObject {
  return { metadata: { name: 'x', labels } };
}

function privileged(name = 'p', more: object = {}): Pod {
  return {
    metadata: { name, namespace: 'x', ...more },
    spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] },
  };
}

test('a Pod that breaks the enforced level is refused', async () => {
  const plugin = new PodSecurity(hostWith({ [enforce]: 'baseline' }));
  await assert.rejects(plugin.validate(attributesOf(privileged())), {
    message:
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged ' +
      '(container "c" must not set securityContext.privileged=true)',
  });
});

test('a template that breaks it is only warned about', async () => {
  const plugin = new PodSecurity(hostWith({ [enforce]: 'baseline' }));
  const warnings: string[] = [];
  const { metadata, spec } = privileged();
  const deployment = { metadata, spec: { template: { spec } } };
  await plugin.validate(
    attributesOf(deployment, {
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      addWarning: (text) => warnings.push(text),
    }),
  );
  assert.deepEqual(warnings, [
    'would violate PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)',
  ]);
});

test('updates that change no image are not looked at', async () => {
  const plugin = new PodSecurity(hostWith({ [enforce]: 'baseline' }));
  const update = { operation: 'UPDATE', oldObject: privileged() } as const;
  await plugin.validate(attributesOf(privileged('p', { labels: { a: 'b' } }), update));
  const other = privileged();
  const changed = { ...other, spec: { containers: other.spec!.containers.map((each) => ({ ...each, image: 'j' })) } };
  await assert.rejects(plugin.validate(attributesOf(changed, update)), /violates PodSecurity/);
});

test('raising the level warns of the Pods that are there, each reason once', async () => {
  const host = hostWith({});
  for (const name of ['b', 'a', 'c']) host.put('pods', privileged(name));
  host.put('pods', { metadata: { name: 'h', namespace: 'x' }, spec: { hostPID: true, containers: [] } } as KubeObject);
  const warnings: string[] = [];
  const attributes = (labels: Record<string, string>) =>
    attributesOf(namespace(labels), {
      operation: 'UPDATE',
      name: 'x',
      kind: { group: '', version: 'v1', kind: 'Namespace' },
      resource: { group: '', version: 'v1', resource: 'namespaces' },
      oldObject: namespace({}),
      addWarning: (text) => warnings.push(text),
    });
  await new PodSecurity(host).validate(attributes({ [enforce]: 'baseline' }));
  assert.deepEqual(warnings, [
    'existing pods in namespace "x" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 2 other pods): privileged',
    'h: host namespaces',
  ]);
  await assert.rejects(new PodSecurity(host).validate(attributes({ [enforce]: '' })), {
    message:
      'Namespace "x" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "": ' +
      'must be one of privileged, baseline, restricted',
  });
});
