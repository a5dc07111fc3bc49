// What people met with test environments and fakes, told with their numbers: the server answers as a real one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isAlreadyExists } from '@homeostat/client';
import { configMaps, deployments, pods } from '@homeostat/client/resources';
import { createTestCluster } from '@homeostat/testing';
import { newDeployment } from '../controllers/fixtures/objects.ts';

const pod = (more: object): Pod =>
  ({ metadata: { namespace: 'default', ...more }, spec: { containers: [{ name: 'a', image: 'a' }] } }) as Pod;

test('S4, S41, S45: a Deployment becomes available, follows its scale, and shows the steps in between', async () => {
  await using cluster = await createTestCluster({ nodes: 2 });
  const { admin } = cluster;
  const status = (): Deployment['status'] => cluster.get(deployments, 'default', 'web')?.status;
  await cluster.run(admin.create(deployments, { object: newDeployment('web', { replicas: 1 }) }));
  const isAvailable = (): boolean =>
    status()?.conditions?.some(({ type, status: value }) => type === 'Available' && value === 'True') === true;
  await cluster.waitFor(isAvailable);
  const unavailable = (await cluster.history())
    .filter(({ key, type }) => type === 'put' && key.endsWith('/deployments/default/web'))
    .map(({ value }) => (JSON.parse(value) as Deployment).status?.unavailableReplicas ?? 0);
  assert.ok(unavailable.includes(1), 'a replica that is not ready is seen');

  const path = '/apis/apps/v1/namespaces/default/deployments/web/scale';
  const scale = await cluster.run(admin.request({ method: 'GET', path }));
  const body = { ...(scale as object), spec: { replicas: 3 } };
  await cluster.run(admin.request({ method: 'PUT', path, body }));
  await cluster.waitFor(() => status()?.readyReplicas === 3);
});

test('S19: server-side apply makes an object, and says who manages what', async () => {
  await using cluster = await createTestCluster({ controllerManagers: false });
  const object = newDeployment('web', { replicas: 1 });
  const made = await cluster.run(cluster.admin.apply(deployments, { object, fieldManager: 'me' }));
  const managers = made.metadata?.managedFields?.map(({ manager, operation }) => [manager, operation]);
  assert.deepEqual(managers, [['me', 'Apply']]);
});

test('S23, S24: thousands of objects of one generateName have thousands of names', async () => {
  await using cluster = await createTestCluster({ controllerManagers: false });
  const names = new Set<string>();
  for (let i = 0; i < 3_000; i++) {
    const object = { metadata: { namespace: 'default', generateName: 'my-' } };
    names.add((await cluster.run(cluster.admin.create(configMaps, { object }))).metadata?.name ?? '');
  }
  assert.equal(names.size, 3_000);
});

test('S25: a collection is deleted by its selector', async () => {
  await using cluster = await createTestCluster();
  for (const app of ['a', 'a', 'b']) {
    await cluster.run(cluster.admin.create(pods, { object: pod({ generateName: `${app}-`, labels: { app } }) }));
  }
  await cluster.run(cluster.admin.deleteCollection(pods, { namespace: 'default', labelSelector: 'app=a' }));
  assert.deepEqual(
    cluster.list(pods, 'default').map(({ metadata }) => metadata?.labels?.['app']),
    ['b'],
  );
});

test('S37: what is there is not made again', async () => {
  await using cluster = await createTestCluster();
  const create = (labels: Record<string, string>): Promise<unknown> =>
    cluster.run(cluster.admin.create(pods, { object: pod({ name: 'web', labels }) }));
  await create({ first: 'yes' });
  await assert.rejects(create({}), (error) => isAlreadyExists(error));
  assert.deepEqual(cluster.get(pods, 'default', 'web')?.metadata?.labels, { first: 'yes' });
});
