import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import { attributesOf, createFixtureHost, type FixtureHost } from '../admission-fixture.ts';
import { DefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { PodTopologyLabels } from './pod-topology-labels.ts';
import { Priority } from './priority.ts';
import { RuntimeClass } from './runtime-class.ts';
import { ServiceAccount } from './service-account.ts';

function pod(spec: object = {}, metadata: object = {}): Pod {
  return {
    metadata: { name: 'p', namespace: 'x', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  };
}

function hostWithAccount(account: object = {}): FixtureHost {
  const host = createFixtureHost();
  host.put('serviceaccounts', { metadata: { name: 'default', namespace: 'x' }, ...account });
  return host;
}

test('ServiceAccount mounts the token volume in every container', async () => {
  const object = pod({ initContainers: [{ name: 'i', image: 'i' }] });
  await new ServiceAccount(hostWithAccount()).admit(attributesOf(object));
  const name = object.spec?.volumes?.[0]?.name ?? '';
  assert.match(name, /^kube-api-access-[a-z0-9]{5}$/);
  const mount = { name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
  assert.deepEqual(object.spec?.containers[0]?.volumeMounts, [mount]);
  assert.deepEqual(object.spec?.initContainers?.[0]?.volumeMounts, [mount]);
  assert.equal(object.spec?.serviceAccountName, 'default');
});

test('ServiceAccount mounts nothing when Pod or account say so, the Pod first', async () => {
  const quiet = new ServiceAccount(hostWithAccount({ automountServiceAccountToken: false }));
  const off = pod();
  await quiet.admit(attributesOf(off));
  assert.equal(off.spec?.volumes, undefined);
  const on = pod({ automountServiceAccountToken: true });
  await quiet.admit(attributesOf(on));
  assert.equal(on.spec?.volumes?.length, 1);
});

test('ServiceAccount copies pull secrets unless the Pod has its own', async () => {
  const plugin = new ServiceAccount(hostWithAccount({ imagePullSecrets: [{ name: 'reg' }] }));
  const object = pod();
  await plugin.admit(attributesOf(object));
  assert.deepEqual(object.spec?.imagePullSecrets, [{ name: 'reg' }]);
  const own = pod({ imagePullSecrets: [{ name: 'own' }] });
  await plugin.admit(attributesOf(own));
  assert.deepEqual(own.spec?.imagePullSecrets, [{ name: 'own' }]);
});

test('ServiceAccount waits for the default account, but only so long', async () => {
  const host = createFixtureHost();
  const plugin = new ServiceAccount(host);
  const waiting = plugin.admit(attributesOf(pod()));
  host.put('serviceaccounts', { metadata: { name: 'default', namespace: 'x' } });
  await waiting;
  await assert.rejects(plugin.admit(attributesOf(pod({ serviceAccountName: 'absent' }))), {
    message: 'pods "p" is forbidden: error looking up service account x/absent: serviceaccount "absent" not found',
  });
});

test('ServiceAccount limits Secrets for accounts that ask for it', async () => {
  const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
  const host = hostWithAccount({
    metadata: { name: 'default', namespace: 'x', annotations },
    secrets: [{ name: 'mine' }],
  });
  const spec = { automountServiceAccountToken: false, volumes: [{ name: 's', secret: { secretName: 'other' } }] };
  await assert.rejects(new ServiceAccount(host).admit(attributesOf(pod(spec))), {
    message:
      'pods "p" is forbidden: volume with secret.secretName="other" is not allowed because service account default ' +
      'does not reference that secret',
  });
});

test('ServiceAccount keeps mirror Pods away from accounts', async () => {
  const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
  const plugin = new ServiceAccount(hostWithAccount());
  await plugin.admit(attributesOf(pod({}, mirror)));
  await assert.rejects(plugin.admit(attributesOf(pod({ serviceAccountName: 'default' }, mirror))), {
    message: 'pods "p" is forbidden: a mirror pod may not reference service accounts',
  });
});

test('DefaultTolerationSeconds adds what is not tolerated yet', () => {
  const object = pod({ tolerations: [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists' }] });
  new DefaultTolerationSeconds().admit(attributesOf(object));
  assert.deepEqual(
    object.spec?.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]),
    [
      ['node.kubernetes.io/unreachable', undefined],
      ['node.kubernetes.io/not-ready', 300],
    ],
  );
  const all = pod({ tolerations: [{ operator: 'Exists' }] });
  new DefaultTolerationSeconds().admit(attributesOf(all));
  assert.equal(all.spec?.tolerations?.length, 1);
});

test('Priority computes number and policy from the class', async () => {
  const host = createFixtureHost();
  host.put('priorityclasses.scheduling.k8s.io', {
    metadata: { name: 'high' },
    value: 1000,
    preemptionPolicy: 'Never',
  } as object);
  const plugin = new Priority(host);
  const object = pod({ priorityClassName: 'high' });
  await plugin.admit(attributesOf(object));
  assert.deepEqual([object.spec?.priority, object.spec?.preemptionPolicy], [1000, 'Never']);
  const plain = pod();
  await plugin.admit(attributesOf(plain));
  assert.deepEqual([plain.spec?.priority, plain.spec?.preemptionPolicy], [0, 'PreemptLowerPriority']);
  await assert.rejects(plugin.admit(attributesOf(pod({ priority: 7 }))), {
    message:
      'pods "p" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission ' +
      'controller computed 0 from the given PriorityClass name',
  });
});

test('RuntimeClass adds overhead, selector and tolerations', async () => {
  const host = createFixtureHost();
  host.put('runtimeclasses.node.k8s.io', {
    metadata: { name: 'r' },
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { nodeSelector: { rc: 'x' }, tolerations: [{ key: 'rc', operator: 'Exists' }] },
  } as object);
  const plugin = new RuntimeClass(host);
  const object = pod({ runtimeClassName: 'r', nodeSelector: { a: 'b' } });
  await plugin.admit(attributesOf(object));
  assert.deepEqual(object.spec?.overhead, { cpu: '100m' });
  assert.deepEqual(object.spec?.nodeSelector, { a: 'b', rc: 'x' });
  assert.deepEqual(object.spec?.tolerations, [{ key: 'rc', operator: 'Exists' }]);
  await plugin.validate(attributesOf(object));
  await assert.rejects(plugin.validate(attributesOf(pod({ overhead: { cpu: '1' } }))), /Pod Overhead set without/);
});

test('PodTopologyLabels copies the zone and region of the node, from its name or with the binding', async () => {
  const host = createFixtureHost();
  const topology = { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' };
  host.put('nodes', { metadata: { name: 'n', labels: { ...topology, rack: '7' } } });
  const plugin = new PodTopologyLabels(host);
  const labelsOf = async (object: Pod, more: object = {}): Promise<unknown> => {
    await plugin.admit(attributesOf(object, more));
    return object.metadata?.labels;
  };
  assert.deepEqual(await labelsOf(pod({ nodeName: 'n' }, { labels: { a: 'b' } })), { a: 'b', ...topology });
  assert.equal(await labelsOf(pod()), undefined);
  assert.equal(await labelsOf(pod({ nodeName: 'other' })), undefined);
  const binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } } as unknown as Pod;
  assert.deepEqual(await labelsOf(binding, { subresource: 'binding' }), topology);
});
