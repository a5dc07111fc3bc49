// Plan mode of the example operators against the real API server: everything is planned before the first run, nothing at rest.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configMaps, secrets } from '@homeostat/client/resources';
import { createTestCluster, type TestCluster } from '@homeostat/testing';
import type { OperatorOptions, OperatorPlan } from '@homeostat/runtime';
import { installDefinitions } from '@homeostat/runtime/crd';
import { certificateResource, certificates } from '../../examples/operators/certificates/api.ts';
import { certificateController } from '../../examples/operators/certificates/controller.ts';
import { memcached, memcacheds } from '../../examples/operators/memcached/api.ts';
import { memcachedController } from '../../examples/operators/memcached/controller.ts';
import { tenantResource, tenants } from '../../examples/operators/tenants/api.ts';
import { tenantController } from '../../examples/operators/tenants/controller.ts';
import { heldOperator } from './fixtures/held-operator.ts';

const operators = {
  memcached: {
    name: 'memcached-operator',
    definitions: [memcacheds.definition],
    controllers: ({ events }) => [memcachedController(events)],
  },
  certificates: {
    name: 'certificate-operator',
    definitions: [certificateResource.definition],
    controllers: [certificateController({ issue: () => ({ certificate: 'c', key: 'k' }) })],
  },
  tenants: { name: 'tenant-operator', definitions: [tenantResource.definition], controllers: [tenantController] },
} satisfies Record<string, Omit<OperatorOptions, 'client' | 'env'>>;

interface Fixture extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly plan: (options?: { readonly dryRun: 'local' | 'server' }) => Promise<OperatorPlan>;
}

async function start(options: Omit<OperatorOptions, 'client' | 'env'>, nodes = 0): Promise<Fixture> {
  const held = heldOperator(options);
  const cluster = await createTestCluster({ nodes, components: [held.component] });
  return {
    cluster,
    plan: (rehearsal) => cluster.run(held.operator().rehearse(rehearsal)),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

const assertAtRest = (plan: OperatorPlan): void => assert.ok(plan.isEmpty, plan.toText());

describe('plan mode', () => {
  it('of the Memcached operator is empty at rest, and says what a changed object would lead to', async () => {
    await using fixture = await start(operators.memcached, 1);
    const { cluster, plan } = fixture;
    await cluster.waitFor(() => cluster.serves(memcached.resource));
    const object = memcached.create({ metadata: { name: 'sessions', namespace: 'default' }, spec: { size: 2 } });
    await cluster.run(cluster.admin.create(memcached.resource, { object }));
    const ready = (): boolean => cluster.get(memcached.resource, 'default', 'sessions')?.status?.readyReplicas === 2;
    await cluster.waitFor(ready);
    await cluster.quiesce();
    assertAtRest(await plan());
    assertAtRest(await plan({ dryRun: 'server' }));
    await cluster.run(cluster.admin.delete(configMaps, { namespace: 'kube-public', name: 'memcached-inventory' }));
    const text = (await plan()).toText();
    assert.match(text, /\+ create configmaps kube-public\/memcached-inventory\n {6}data\["default\.sessions"\]: /);
    assert.match(text, /1 to create, 0 to change, 0 to delete; writes that change nothing: 1\.\n$/);
    assert.equal(cluster.get(configMaps, 'kube-public', 'memcached-inventory'), undefined);
  });

  it('of the certificate operator is empty at rest; Secrets are planned without their values', async () => {
    await using fixture = await start(operators.certificates);
    const { cluster, plan } = fixture;
    await cluster.waitFor(() => cluster.serves(certificates.resource));
    const spec = {
      secretName: 'web-tls',
      dnsNames: ['a.example.com'],
      durationSeconds: 86_400,
      renewBeforeSeconds: 3_600,
    };
    const object = certificates.create({ metadata: { name: 'web', namespace: 'default' }, spec });
    await cluster.run(cluster.admin.create(certificates.resource, { object }));
    const isReady = (): boolean => cluster.get(certificates.resource, 'default', 'web')?.status?.revision === 1;
    await cluster.waitFor(isReady);
    await cluster.settle();
    assertAtRest(await plan());
    const names = { dnsNames: ['b.example.com'] };
    const idle = heldOperator({ ...operators.certificates, name: 'idle', run: false });
    await using other = await createTestCluster({ controllerManagers: false, components: [idle.component] });
    await other.run(
      installDefinitions([certificateResource.definition], { client: other.admin, env: idle.operator().env }),
    );
    const changed = certificates.create({
      metadata: { name: 'web', namespace: 'default' },
      spec: { ...spec, ...names },
    });
    await other.run(other.admin.create(certificates.resource, { object: changed }));
    const text = (await other.run(idle.operator().rehearse())).toText();
    assert.match(text, /\+ create secrets default\/web-tls \(SecretMissing names=1\)/);
    assert.match(text, /data\["tls\.key"\]: "\(hidden\)"/);
    assert.match(text, /event Normal Issuing: Issued web into secret web-tls/);
    assert.doesNotMatch(text, /aw==/);
    assert.deepEqual(other.list(secrets, 'default'), []);
  });

  it('of the tenant operator is empty at rest', async () => {
    await using fixture = await start(operators.tenants);
    const { cluster, plan } = fixture;
    await cluster.waitFor(() => cluster.serves(tenants.resource));
    const object = tenants.create({ metadata: { name: 'acme' }, spec: { stages: ['dev', 'prod'], admins: ['jane'] } });
    await cluster.run(cluster.admin.create(tenants.resource, { object }));
    await cluster.waitFor(() => cluster.get(tenants.resource, undefined, 'acme')?.status?.namespaces === 2);
    await cluster.quiesce();
    assertAtRest(await plan());
    assertAtRest(await plan({ dryRun: 'server' }));
  });

  it('of an operator that never ran tells its definitions too, and writes nothing', async () => {
    const held = heldOperator({ ...operators.memcached, run: false });
    await using cluster = await createTestCluster({ controllerManagers: false, components: [held.component] });
    const before = (await cluster.state()).revision;
    const plan = await cluster.run(held.operator().rehearse());
    assert.match(plan.toText(), /^definitions memcacheds\.cache\.example\.com\n {2}\+ apply customresourcedefinitions/);
    assert.match(plan.toText(), /\n1 to create, 0 to change, 0 to delete\.\n$/);
    assert.equal((await cluster.state()).revision, before);
  });
});
