import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesOf, createFixtureHost } from '../admission-fixture.ts';
import { DefaultStorageClass } from './default-class.ts';
import { NamespaceLifecycle } from './namespace-lifecycle.ts';
import { NodeRestriction } from './node-restriction.ts';
import { StorageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { TaintNodesByCondition } from './taint-nodes-by-condition.ts';

const node1 = { username: 'system:node:node-1', uid: '', groups: ['system:nodes'], extra: {} };
const nodes = {
  kind: { group: '', version: 'v1', kind: 'Node' },
  resource: { group: '', version: 'v1', resource: 'nodes' },
};

test('NamespaceLifecycle refuses missing and terminating namespaces', async () => {
  const host = createFixtureHost();
  const plugin = new NamespaceLifecycle(host);
  const attributes = attributesOf({ metadata: { name: 'p', namespace: 'x' } });
  await assert.rejects(plugin.admit(attributes), { code: 404, message: 'namespaces "x" not found' });
  host.put('namespaces', { metadata: { name: 'x' }, status: { phase: 'Terminating' } } as object);
  await assert.rejects(plugin.admit(attributes), {
    code: 403,
    message: 'pods "p" is forbidden: unable to create new content in namespace x because it is being terminated',
    details: {
      name: 'p',
      kind: 'pods',
      causes: [
        { reason: 'NamespaceTerminating', message: 'namespace x is being terminated', field: 'metadata.namespace' },
      ],
    },
  });
  await plugin.admit({ ...attributes, operation: 'UPDATE' });
});

test('NamespaceLifecycle keeps the namespaces of the system', async () => {
  const attributes = attributesOf(
    {},
    {
      operation: 'DELETE',
      name: 'kube-system',
      kind: { group: '', version: 'v1', kind: 'Namespace' },
      resource: { group: '', version: 'v1', resource: 'namespaces' },
    },
  );
  await assert.rejects(new NamespaceLifecycle(createFixtureHost()).admit(attributes), {
    message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
  });
});

test('TaintNodesByCondition taints a new Node once', () => {
  const node = { metadata: { name: 'n' }, spec: {} };
  const plugin = new TaintNodesByCondition();
  plugin.admit(attributesOf(node, nodes));
  plugin.admit(attributesOf(node, nodes));
  assert.deepEqual(node.spec, { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
});

test('NodeRestriction keeps a kubelet to its own Node and free labels', async () => {
  const plugin = new NodeRestriction(createFixtureHost());
  const old = { metadata: { name: 'node-1' } };
  const labelled = (labels: Record<string, string>) =>
    plugin.admit(
      attributesOf(
        { metadata: { name: 'node-1', labels } },
        { ...nodes, operation: 'UPDATE', oldObject: old, user: node1 },
      ),
    );
  await labelled({ 'example.com/free': 'x', 'node.kubernetes.io/x': 'y', 'kubernetes.io/arch': 'amd64' });
  await assert.rejects(labelled({ 'foo.kubernetes.io/x': 'y' }), {
    message: 'nodes "node-1" is forbidden: is not allowed to modify labels: foo.kubernetes.io/x',
  });
  await assert.rejects(plugin.admit(attributesOf({ metadata: { name: 'node-2' } }, { ...nodes, user: node1 })), {
    message: 'nodes "node-2" is forbidden: node "node-1" is not allowed to modify node "node-2"',
  });
});

test('NodeRestriction lets kubelets make mirror Pods only', async () => {
  const pod = { metadata: { name: 'p', namespace: 'x' }, spec: { containers: [], nodeName: 'node-1' } };
  await assert.rejects(new NodeRestriction(createFixtureHost()).admit(attributesOf(pod, { user: node1 })), {
    message:
      'pods "p" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "node-1" can only ' +
      'create mirror pods',
  });
});

test('DefaultStorageClass takes the newest default, and the empty name for a choice', () => {
  const host = createFixtureHost();
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  for (const [name, creationTimestamp] of [
    ['old', '2026-01-01T00:00:00Z'],
    ['new', '2026-01-02T00:00:00Z'],
  ] as const) {
    host.put('storageclasses.storage.k8s.io', { metadata: { name, creationTimestamp, annotations } });
  }
  const claims = { resource: { group: '', version: 'v1', resource: 'persistentvolumeclaims' } };
  const claim = { metadata: { name: 'c' }, spec: {} };
  new DefaultStorageClass(host).admit(attributesOf(claim, claims));
  assert.deepEqual(claim.spec, { storageClassName: 'new' });
  const none = { metadata: { name: 'c' }, spec: { storageClassName: '' } };
  new DefaultStorageClass(host).admit(attributesOf(none, claims));
  assert.equal(none.spec.storageClassName, '');
});

test('StorageObjectInUseProtection adds the finalizer of the kind', () => {
  const claim = { metadata: { name: 'c' } };
  const resource = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
  new StorageObjectInUseProtection().admit(attributesOf(claim, { resource }));
  assert.deepEqual(claim.metadata, { name: 'c', finalizers: ['kubernetes.io/pvc-protection'] });
});
