import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthorizationAttributes } from '../../server/authorizer.ts';
import { nodeRules } from '../rbac/bootstrap-policy.ts';
import { NodeAuthorizer } from './node-authorizer.ts';
import { NodeGraph } from './node-graph.ts';

const node1 = { username: 'system:node:node-1', uid: '', groups: ['system:nodes', 'system:authenticated'], extra: {} };

function ask(verb: string, resource: string, more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
  const base = { group: '', version: 'v1', subresource: '', namespace: 'x', name: '', path: '' };
  return { user: node1, isResourceRequest: true, verb, resource, ...base, ...more };
}

const pod = {
  metadata: { namespace: 'x', name: 'a' },
  spec: {
    nodeName: 'node-1',
    serviceAccountName: 'default',
    volumes: [
      { name: 's', secret: { secretName: 'used' } },
      { name: 'p', persistentVolumeClaim: { claimName: 'claim' } },
    ],
  },
};
const volume = {
  metadata: { name: 'pv' },
  spec: {
    claimRef: { namespace: 'x', name: 'claim' },
    csi: { nodePublishSecretRef: { namespace: 'x', name: 'mount' } },
  },
};

function setUp(): { graph: NodeGraph; node: NodeAuthorizer } {
  const graph = new NodeGraph();
  return { graph, node: new NodeAuthorizer(graph, nodeRules()) };
}

test('authorize() allows what the Pods of the node use, until they are gone', () => {
  const { graph, node } = setUp();
  const secret = ask('get', 'secrets', { name: 'used' });
  assert.equal(node.authorize(secret).reason, "no relationship found between node 'node-1' and this object");
  graph.setPod(pod);
  assert.equal(node.authorize(secret).decision, 'allow');
  assert.equal(node.authorize(ask('get', 'secrets', { name: 'unused' })).decision, 'noOpinion');
  graph.deletePod(pod);
  assert.equal(node.authorize(secret).decision, 'noOpinion');
});

test('authorize() follows a claim to its volume and the Secrets behind it', () => {
  const { graph, node } = setUp();
  graph.setVolume(volume);
  const mount = ask('get', 'secrets', { name: 'mount' });
  assert.equal(node.authorize(mount).decision, 'noOpinion');
  graph.setPod(pod);
  assert.equal(node.authorize(mount).decision, 'allow');
  assert.equal(node.authorize(ask('get', 'persistentvolumes', { namespace: '', name: 'pv' })).decision, 'allow');
  graph.deleteVolume(volume);
  assert.equal(node.authorize(mount).decision, 'noOpinion');
});

test('authorize() gives mirror Pods nothing', () => {
  const { graph, node } = setUp();
  graph.setPod({ ...pod, metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } } });
  assert.equal(node.authorize(ask('get', 'secrets', { name: 'used' })).decision, 'noOpinion');
  assert.equal(node.authorize(ask('get', 'pods', { name: 'a' })).decision, 'allow');
});

test('authorize() allows lists of Pods only with the node in the field selector', () => {
  const { node } = setUp();
  const list = ask('list', 'pods', { namespace: '' });
  assert.equal(node.authorize({ ...list, fieldSelector: 'spec.nodeName=node-1' }).decision, 'allow');
  assert.equal(
    node.authorize({ ...list, fieldSelector: 'status.phase!=Failed,spec.nodeName==node-1' }).decision,
    'allow',
  );
  assert.equal(node.authorize({ ...list, fieldSelector: 'spec.nodeName!=node-1' }).decision, 'noOpinion');
  assert.equal(node.authorize(list).reason, 'can only list/watch pods with spec.nodeName field selector');
});

test('authorize() keeps a node to its own Node and Lease', () => {
  const { node } = setUp();
  assert.equal(node.authorize(ask('get', 'nodes', { namespace: '', name: 'node-1' })).decision, 'allow');
  assert.equal(
    node.authorize(ask('get', 'nodes', { namespace: '', name: 'node-2' })).reason,
    "node 'node-1' cannot read 'node-2', only its own Node object",
  );
  const lease = ask('patch', 'leases', { group: 'coordination.k8s.io', namespace: 'kube-node-lease', name: 'node-2' });
  assert.equal(node.authorize(lease).reason, 'can only access node lease with the same name as the requesting node');
});

test('authorize() has nothing to say about others', () => {
  const { node } = setUp();
  const user = { ...node1, groups: [] };
  assert.deepEqual(node.authorize({ ...ask('get', 'nodes'), user }), { decision: 'noOpinion' });
});
