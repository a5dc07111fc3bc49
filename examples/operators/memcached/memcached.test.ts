import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMaps, deployments, events } from '@homeostat/client/resources';
import { createTestCluster, operatorComponent, type TestCluster } from '@homeostat/testing';
import { type Memcached, memcached, memcacheds } from './api.ts';
import { inventory, memcachedController } from './controller.ts';

const operator = operatorComponent({
  name: 'memcached-operator',
  definitions: [memcacheds.definition],
  controllers: (parts) => [memcachedController(parts.events)],
});

async function start(): Promise<TestCluster> {
  const cluster = await createTestCluster({ nodes: 2, components: [operator] });
  await cluster.waitFor(() => cluster.serves(memcached.resource));
  return cluster;
}

const cache = memcached.create({ metadata: { name: 'sessions', namespace: 'default' }, spec: { size: 3 } });
const find = (cluster: TestCluster): Memcached | undefined => cluster.get(memcached.resource, 'default', 'sessions');
const isAvailable = (cluster: TestCluster, ready: number): boolean =>
  find(cluster)?.status?.readyReplicas === ready &&
  find(cluster)?.status?.conditions?.some(({ type, status }) => type === 'Available' && status === 'True') === true;

test('a Memcached becomes available, is scaled, and leaves nothing behind', async () => {
  await using cluster = await start();
  await cluster.run(cluster.admin.create(memcached.resource, { object: cache }));
  await cluster.waitFor(() => isAvailable(cluster, 3));
  assert.deepEqual(Object.keys(cluster.get(configMaps, inventory.namespace, inventory.name)?.data ?? {}), [
    'default.sessions',
  ]);
  await cluster.waitFor(() => cluster.list(events, 'default').some(({ reason }) => reason === 'Created'));

  const patch = { spec: { size: 1 } };
  await cluster.run(
    cluster.admin.patch(memcached.resource, { namespace: 'default', name: 'sessions', type: 'merge', patch }),
  );
  await cluster.waitFor(() => isAvailable(cluster, 1));

  await cluster.run(cluster.admin.delete(memcached.resource, { namespace: 'default', name: 'sessions' }));
  await cluster.waitFor(() => cluster.get(deployments, 'default', 'sessions') === undefined);
  assert.equal(find(cluster), undefined);
  assert.deepEqual(cluster.get(configMaps, inventory.namespace, inventory.name)?.data ?? {}, {});
});

test('a Deployment that somebody changes or deletes is put right', async () => {
  await using cluster = await start();
  await cluster.run(cluster.admin.create(memcached.resource, { object: cache }));
  await cluster.waitFor(() => isAvailable(cluster, 3));
  const target = { namespace: 'default', name: 'sessions' };
  await cluster.run(cluster.admin.patch(deployments, { ...target, type: 'merge', patch: { spec: { replicas: 7 } } }));
  await cluster.waitFor(() => cluster.get(deployments, 'default', 'sessions')?.spec?.replicas === 3);
  const before = cluster.get(deployments, 'default', 'sessions')?.metadata?.uid;
  await cluster.run(cluster.admin.delete(deployments, target));
  await cluster.waitFor(() => isAvailable(cluster, 3));
  assert.notEqual(cluster.get(deployments, 'default', 'sessions')?.metadata?.uid, before);
});

test('what the schema refuses never reaches the operator', async () => {
  await using cluster = await start();
  const object = { ...cache, spec: { ...cache.spec, size: 11 } };
  await assert.rejects(cluster.run(cluster.admin.create(memcached.resource, { object })), /less than or equal to 10/);
});
