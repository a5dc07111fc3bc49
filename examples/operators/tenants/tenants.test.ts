import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMaps, namespaces, resourceQuotas, roleBindings } from '@homeostat/client/resources';
import { createTestCluster, operatorComponent, type TestCluster } from '@homeostat/testing';
import { type Tenant, tenantResource, tenants } from './api.ts';
import { tenantController } from './controller.ts';

async function start(): Promise<TestCluster> {
  const operator = operatorComponent({
    name: 'tenant-operator',
    definitions: [tenantResource.definition],
    controllers: [tenantController],
  });
  const cluster = await createTestCluster({ components: [operator] });
  await cluster.waitFor(() => cluster.serves(tenants.resource));
  return cluster;
}

const acme = tenants.create({
  metadata: { name: 'acme' },
  spec: { stages: ['dev', 'prod'], admins: ['jane'], settingsFrom: 'default/settings' },
});
const patchAcme = (cluster: TestCluster, spec: Partial<Tenant['spec']>): Promise<unknown> =>
  cluster.run(cluster.admin.patch(tenants.resource, { name: 'acme', type: 'merge', patch: { spec } }));
const mailOf = (cluster: TestCluster, namespace: string): string | undefined =>
  cluster.get(configMaps, namespace, 'settings')?.data?.['mail'];

test('a tenant has its namespaces, and settings follow their source', async () => {
  await using cluster = await start();
  const settings = { metadata: { name: 'settings', namespace: 'default' }, data: { mail: 'a@example.com' } };
  await cluster.run(cluster.admin.create(configMaps, { object: settings }));
  await cluster.run(cluster.admin.create(tenants.resource, { object: acme }));
  await cluster.waitFor(() => ['acme-dev', 'acme-prod'].every((name) => mailOf(cluster, name) === 'a@example.com'));
  assert.equal(cluster.get(roleBindings, 'acme-dev', 'tenant')?.subjects?.[0]?.name, 'jane');
  await cluster.waitFor(() => cluster.get(tenants.resource, undefined, 'acme')?.status?.namespaces === 2);

  const patch = { data: { mail: 'b@example.com' } };
  await cluster.run(cluster.admin.patch(configMaps, { namespace: 'default', name: 'settings', type: 'merge', patch }));
  await cluster.waitFor(() => ['acme-dev', 'acme-prod'].every((name) => mailOf(cluster, name) === 'b@example.com'));
});

test('what is not wanted any more goes, what somebody changes is put right', async () => {
  await using cluster = await start();
  await cluster.run(cluster.admin.create(tenants.resource, { object: acme }));
  await cluster.waitFor(() => cluster.get(resourceQuotas, 'acme-prod', 'tenant') !== undefined);
  await patchAcme(cluster, { stages: ['prod'], memory: '2Gi' });
  const memory = (): unknown => cluster.get(resourceQuotas, 'acme-prod', 'tenant')?.spec?.hard?.['requests.memory'];
  await cluster.waitFor(() => cluster.get(namespaces, undefined, 'acme-dev') === undefined && memory() === '2Gi');
  const patch = { spec: { hard: { 'requests.memory': '64Gi' } } };
  const quota = { namespace: 'acme-prod', name: 'tenant' };
  await cluster.run(cluster.admin.patch(resourceQuotas, { ...quota, type: 'merge', patch }));
  await cluster.waitFor(() => memory() === '2Gi');

  await cluster.run(cluster.admin.delete(tenants.resource, { name: 'acme' }));
  await cluster.waitFor(() => cluster.get(namespaces, undefined, 'acme-prod') === undefined);
  assert.deepEqual(cluster.list(roleBindings, 'acme-prod'), []);
});
