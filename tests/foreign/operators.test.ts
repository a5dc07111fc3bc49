// The example operators against a cluster that is somebody's. Nodes may be absent, so no Pod is waited for.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  configMaps,
  customResourceDefinitions,
  deployments,
  namespaces,
  resourceQuotas,
  secrets,
} from '@homeostat/client/resources';
import { createOperator, type OperatorOptions } from '@homeostat/runtime';
import { certificateResource, certificates } from '../../examples/operators/certificates/api.ts';
import { certificateController } from '../../examples/operators/certificates/controller.ts';
import { memcached, memcacheds } from '../../examples/operators/memcached/api.ts';
import { inventory, memcachedController } from '../../examples/operators/memcached/controller.ts';
import { tenantResource, tenants } from '../../examples/operators/tenants/api.ts';
import { tenantController } from '../../examples/operators/tenants/controller.ts';
import { connectForeign, type ForeignCluster } from './foreign-cluster.ts';

let cluster: ForeignCluster;

before(async () => {
  cluster = await connectForeign();
});
after(() => cluster?.close());

async function withOperator(
  options: Pick<OperatorOptions, 'name' | 'definitions' | 'controllers'>,
  work: () => Promise<void>,
): Promise<void> {
  for (const { metadata } of options.definitions ?? [])
    cluster.removeAtEnd(customResourceDefinitions, metadata?.name ?? '');
  const { client, close } = cluster.connect(options.name);
  const operator = createOperator({
    ...options,
    env: cluster.env,
    client,
    election: { namespace: cluster.namespace, identity: cluster.unique, releaseOnStop: true },
  });
  const stop = new AbortController();
  const running = operator.run({ signal: stop.signal });
  // A failure to start is told by whichever comes first.
  running.catch(() => {});
  try {
    await Promise.race([work(), running.then(() => assert.fail('the operator ended'))]);
  } finally {
    stop.abort();
    await running;
    await close();
  }
}

/** The operator installs its definition; what it serves may be there a moment later. */
async function served<T>(create: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await create();
    } catch (error) {
      if (tries >= 100) throw error;
      await cluster.env.clock.sleep(100);
    }
  }
}

test('memcached: a Deployment, an event, a finalizer', async () => {
  const { client, namespace } = cluster;
  const line = `${namespace}.sessions`;
  await withOperator(
    {
      name: 'memcached-operator',
      definitions: [memcacheds.definition],
      controllers: ({ events }) => [memcachedController(events)],
    },
    async () => {
      const object = memcached.create({ metadata: { name: 'sessions', namespace }, spec: { size: 2 } });
      await served(() => client.create(memcached.resource, { object }));
      await cluster.waitFor(deployments, 'sessions', (found) => found?.spec?.replicas === 2);
      await client.patch(memcached.resource, {
        namespace,
        name: 'sessions',
        type: 'merge',
        patch: { spec: { size: 0 } },
      });
      await cluster.waitFor(deployments, 'sessions', (found) => found?.spec?.replicas === 0);
      await cluster.waitFor(
        memcached.resource,
        'sessions',
        (found) => found?.status?.conditions?.[0]?.status === 'True',
      );
      assert.ok((await client.get(configMaps, inventory)).data?.[line]);
      await client.delete(memcached.resource, { namespace, name: 'sessions' });
      await cluster.waitFor(memcached.resource, 'sessions', (found) => found === undefined);
      assert.equal((await client.get(configMaps, inventory)).data?.[line], undefined);
    },
  );
  await client.delete(configMaps, inventory);
});

test('certificates: issued, renewed when names change', async () => {
  const { client, namespace } = cluster;
  let issued = 0;
  const issuer = { issue: () => ({ certificate: `certificate ${++issued}`, key: 'key' }) };
  await withOperator(
    {
      name: 'certificate-operator',
      definitions: [certificateResource.definition],
      controllers: [certificateController(issuer)],
    },
    async () => {
      const object = certificates.create({
        metadata: { name: 'web', namespace },
        spec: { secretName: 'web-tls', dnsNames: ['a.example.com'] },
      });
      await served(() => client.create(certificates.resource, { object }));
      await cluster.waitFor(secrets, 'web-tls', (found) => found !== undefined);
      await cluster.waitFor(certificates.resource, 'web', (found) => found?.status?.revision === 1);
      await client.patch(certificates.resource, {
        namespace,
        name: 'web',
        type: 'merge',
        patch: { spec: { dnsNames: ['b.example.com'] } },
      });
      await cluster.waitFor(secrets, 'web-tls', (found) => atob(found?.data?.['tls.crt'] ?? '') === 'certificate 2');
    },
  );
});

test('tenants: children in namespaces of their own, fewer when fewer are wanted', async () => {
  const { client, unique } = cluster;
  const name = `acme-${unique}`;
  // Owner references would clean up as well, but a garbage collector learns of a new kind within half a minute.
  for (const stage of ['dev', 'prod']) cluster.removeAtEnd(namespaces, `${name}-${stage}`);
  cluster.removeAtEnd(tenants.resource, name);
  await withOperator(
    { name: 'tenant-operator', definitions: [tenantResource.definition], controllers: [tenantController] },
    async () => {
      await served(() =>
        client.create(tenants.resource, {
          object: tenants.create({ metadata: { name }, spec: { stages: ['dev', 'prod'] } }),
        }),
      );
      await cluster.waitFor(tenants.resource, name, (found) => found?.status?.namespaces === 2);
      await cluster.waitFor(namespaces, `${name}-dev`, (found) => found !== undefined);
      const quota = { namespace: `${name}-dev`, name: 'tenant' };
      await served(() => client.get(resourceQuotas, quota));
      await client.patch(tenants.resource, { name, type: 'merge', patch: { spec: { stages: ['prod'] } } });
      await cluster.waitFor(
        namespaces,
        `${name}-dev`,
        (found) => found === undefined || found.metadata?.deletionTimestamp !== undefined,
      );
    },
  );
});
