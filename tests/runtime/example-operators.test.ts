// The example operators in bad weather: errors, conflicts, lost answers, broken, lagging and lossy watches, while users change their minds. When
// the weather clears, everything is as declared, and nothing is left over. A seed tells the whole story again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, type Random } from '@homeostat/base';
import { configMaps, deployments, namespaces, resourceQuotas, secrets } from '@homeostat/client/resources';
import type { Json } from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';
import {
  createTestCluster,
  operatorComponent,
  type OperatorComponentOptions,
  randomFaults,
  type TestCluster,
  type TestClusterOptions,
} from '@homeostat/testing';
import { certificateResource, certificates } from '../../examples/operators/certificates/api.ts';
import { certificateController } from '../../examples/operators/certificates/controller.ts';
import { memcached, memcacheds } from '../../examples/operators/memcached/api.ts';
import { inventory, memcachedController } from '../../examples/operators/memcached/controller.ts';
import { tenantResource, tenants } from '../../examples/operators/tenants/api.ts';
import { tenantController } from '../../examples/operators/tenants/controller.ts';

const seeds = Number(process.env['SIM_SEEDS'] ?? 10);
const first = Number(process.env['SIM_FIRST'] ?? 1);
/** A swallowed event is found by the next repair, ten minutes later at most; a node's pods, by the node. */
const limitMs = 3_600_000;

interface Story {
  readonly operator: () => OperatorComponentOptions;
  readonly cluster?: TestClusterOptions;
  readonly resource: ResourceType;
  /** What users do, in any order and number. */
  readonly acts: readonly ((cluster: TestCluster, random: Random) => Promise<unknown>)[];
  /** What is not yet as declared; undefined: all is. */
  unlike(cluster: TestCluster): string | undefined;
}

const at = { namespace: 'default' };

/** Creates, changes or deletes one of a few objects. */
function change(resource: ResourceType, object: (name: string) => object, patch: (random: Random) => Json) {
  return async (cluster: TestCluster, random: Random): Promise<unknown> => {
    const name = `x${random.int(3)}`;
    const where = resource.namespaced ? { ...at, name } : { name };
    const existing = cluster.get(resource, resource.namespaced ? 'default' : undefined, name);
    if (existing === undefined) return cluster.admin.create(resource, { object: object(name) }).catch(() => {});
    if (random.int(4) === 0) return cluster.admin.delete(resource, where).catch(() => {});
    return cluster.admin.patch(resource, { ...where, type: 'merge', patch: patch(random) }).catch(() => {});
  };
}

const stories: Readonly<Record<string, Story>> = {
  memcached: {
    operator: () => ({
      name: 'memcached-operator',
      definitions: [memcacheds.definition],
      controllers: ({ events }) => [memcachedController(events)],
    }),
    cluster: { nodes: 2 },
    resource: memcached.resource,
    acts: [
      change(
        memcached.resource,
        (name) => memcached.create({ metadata: { ...at, name }, spec: { size: 2 } }),
        (random) => ({ spec: { size: random.int(4) } }),
      ),
      (cluster, random) => cluster.admin.delete(deployments, { ...at, name: `x${random.int(3)}` }).catch(() => {}),
    ],
    unlike(cluster) {
      const wanted = cluster.list(memcached.resource, 'default');
      const wrong = wanted.find(({ metadata, spec, status }) => {
        const deployment = cluster.get(deployments, 'default', metadata?.name ?? '');
        const available = status?.conditions?.[0]?.status === 'True' && status.readyReplicas === spec.size;
        return deployment?.spec?.replicas !== spec.size || !available || metadata?.deletionTimestamp !== undefined;
      });
      if (wrong !== undefined) return `${wrong.metadata?.name} is not as declared`;
      if (cluster.list(deployments, 'default').length !== wanted.length) return 'Deployments are left over';
      const listed = Object.keys(cluster.get(configMaps, inventory.namespace, inventory.name)?.data ?? {}).sort();
      const names = wanted.map(({ metadata }) => `default.${metadata?.name}`).sort();
      return listed.join() === names.join() ? undefined : `the inventory says ${listed.join()}`;
    },
  },
  certificates: {
    operator: () => ({
      name: 'certificate-operator',
      definitions: [certificateResource.definition],
      controllers: [certificateController({ issue: () => ({ certificate: 'certificate', key: 'key' }) })],
    }),
    resource: certificates.resource,
    acts: [
      change(
        certificates.resource,
        (name) =>
          certificates.create({ metadata: { ...at, name }, spec: { secretName: name, dnsNames: ['a.example.com'] } }),
        (random) => ({ spec: { dnsNames: [`${'abc'[random.int(3)]}.example.com`] } }),
      ),
      (cluster, random) => cluster.admin.delete(secrets, { ...at, name: `x${random.int(3)}` }).catch(() => {}),
    ],
    unlike(cluster) {
      const wanted = cluster.list(certificates.resource, 'default');
      const wrong = wanted.find(({ metadata, spec, status }) => {
        const annotations = cluster.get(secrets, 'default', spec.secretName)?.metadata?.annotations;
        const current = annotations?.['certs.example.com/dns-names'] === spec.dnsNames.join(',');
        return !current || status?.conditions?.[0]?.status !== 'True' || metadata?.deletionTimestamp !== undefined;
      });
      if (wrong !== undefined) return `${wrong.metadata?.name} is not as declared`;
      const issued = cluster.list(secrets, 'default').filter(({ type }) => type === 'kubernetes.io/tls');
      return issued.length === wanted.length ? undefined : 'Secrets are left over';
    },
  },
  tenants: {
    operator: () => ({
      name: 'tenant-operator',
      definitions: [tenantResource.definition],
      controllers: [tenantController],
    }),
    resource: tenants.resource,
    acts: [
      change(
        tenants.resource,
        (name) =>
          tenants.create({ metadata: { name }, spec: { stages: ['dev', 'prod'], settingsFrom: 'default/settings' } }),
        (random) => ({
          spec: { stages: ['dev', 'test', 'prod'].slice(0, 1 + random.int(3)), memory: `${1 + random.int(3)}Gi` },
        }),
      ),
      (cluster, random) => {
        const object = { metadata: { ...at, name: 'settings' }, data: { n: String(random.int(9)) } };
        return cluster.admin.apply(configMaps, { object, fieldManager: 'user' }).catch(() => {});
      },
    ],
    unlike(cluster) {
      const settings = cluster.get(configMaps, 'default', 'settings');
      const wanted = cluster.list(tenants.resource).flatMap(({ metadata, spec }) => {
        if (metadata?.deletionTimestamp !== undefined) return ['deleted'];
        return spec.stages.map((stage) => {
          const namespace = `${metadata?.name}-${stage}`;
          const quota = cluster.get(resourceQuotas, namespace, 'tenant')?.spec?.hard?.['requests.memory'];
          const copy = cluster.get(configMaps, namespace, 'settings')?.data?.['n'];
          return quota === spec.memory && copy === settings?.data?.['n'] ? namespace : `${namespace} differs`;
        });
      });
      const there = cluster
        .list(namespaces)
        .flatMap(({ metadata }) => (metadata?.labels?.['tenant'] === undefined ? [] : [metadata.name]));
      return wanted.toSorted().join() === there.toSorted().join()
        ? undefined
        : `${wanted.join()} against ${there.join()}`;
    },
  },
};

for (const [name, story] of Object.entries(stories)) {
  test(`${name}: as declared after bad weather (seeds ${first} to ${first + seeds - 1})`, async () => {
    for (let seed = first; seed < first + seeds; seed++) {
      const random = createSeededRandom(seed);
      await using cluster = await createTestCluster({
        ...story.cluster,
        seed,
        components: [operatorComponent(story.operator())],
      });
      await cluster.waitFor(() => cluster.serves(story.resource));
      for (const rule of randomFaults({ rate: 0.1, swallow: true })) cluster.faults.add(rule);
      for (let i = 0; i < 12; i++) {
        const act = story.acts[random.int(10) < 7 ? 0 : 1] ?? story.acts[0];
        await cluster.run(act?.(cluster, random) ?? Promise.resolve());
        await cluster.advance(random.int(5_000));
      }
      cluster.faults.clear();
      const what = `seed ${seed} of ${name}`;
      await cluster
        .waitFor(() => story.unlike(cluster) === undefined, { limitMs, what })
        .catch((error: unknown) => {
          throw new Error(`${what}: ${story.unlike(cluster)}`, { cause: error });
        });
      assert.equal(story.unlike(cluster), undefined);
    }
  });
}
