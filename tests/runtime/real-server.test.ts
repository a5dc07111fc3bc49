// The runtime against the real API server, in one process and in virtual time: what unit tests show with a fake must hold here.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { createApiServer, createStandardParts } from '@homeostat/apiserver';
import { nodeDigests, toSigningKey } from '@homeostat/apiserver/node';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { createVirtualEnv, Scope } from '@homeostat/base';
import { createClient, createInProcessTransport, createRestMapper, discover } from '@homeostat/client';
import { configMaps, events, leases } from '@homeostat/client/resources';
import {
  byController,
  createController,
  createEventRecorder,
  createLeaderElector,
  createManager,
  emptyPlan,
  InformerFactory,
  type PlanController,
  wakeController,
} from '@homeostat/runtime';
import { createMemoryStore } from '@homeostat/storage/memory';

const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

type Exchanges = 'object' | 'bytes';

async function withServer(
  exchanges: Exchanges,
  test: (setup: Awaited<ReturnType<typeof start>>) => Promise<void>,
): Promise<void> {
  const setup = await start(exchanges);
  try {
    await test(setup);
  } finally {
    await setup.env.clock.run(setup.scope.close());
  }
}

async function start(exchanges: Exchanges) {
  const env = createVirtualEnv();
  const scope = new Scope();
  const server = createApiServer({
    env,
    store: createMemoryStore({ env }),
    parts: (host) =>
      createStandardParts(host, {
        digests: nodeDigests,
        keys: { signingKey: async () => key, verificationKeys: () => [key] },
        serverAddress: () => '127.0.0.1:6443',
      }),
  });
  scope.spawn('server', (signal) => server.run({ signal }));
  await env.clock.run(server.ready);
  const user = { username: 'admin', groups: ['system:masters'] };
  const client = createClient({
    transport: createInProcessTransport({ handle: server.handle, user, exchanges }),
    env,
    userAgent: 'test/1.0',
  });
  const run = <T>(promise: Promise<T>): Promise<T> => env.clock.run(promise);
  return { env, scope, client, run };
}

const newMap = (name: string, data: Readonly<Record<string, string>>): ConfigMap => ({
  metadata: { name, namespace: 'default' },
  data,
});

/** Keeps `data.size` ConfigMaps owned by every ConfigMap that has a size. */
const copies: PlanController<{ readonly owner: ConfigMap; readonly owned: readonly ConfigMap[] }> = {
  name: 'copies',
  for: {
    resource: configMaps,
    indexes: [byController],
    wakes: (change) => [
      ...wakeController(configMaps)(change),
      `${change.object.metadata?.namespace}/${change.object.metadata?.name}`,
    ],
  },
  concurrency: 4,
  observe(objectKey, caches) {
    const lister = caches.lister(configMaps);
    const owner = lister.getByKey(objectKey);
    if (owner?.data?.['size'] === undefined) return undefined;
    return { owner, owned: lister.byIndex('controller', owner.metadata?.uid ?? '') };
  },
  diff({ owner, owned }) {
    const wanted = Number(owner.data?.['size']);
    const facts = { wanted, have: owned.length };
    const { namespace = '', name = '', uid = '' } = owner.metadata ?? {};
    const metadata = {
      generateName: `${name}-`,
      namespace,
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }],
    };
    const create = {
      verb: 'create',
      resource: configMaps,
      namespace,
      object: { metadata },
      reason: 'TooFew',
      facts,
    } as const;
    if (owned.length < wanted)
      return { steps: [{ mode: 'slow-start', actions: Array.from({ length: wanted - owned.length }, () => create) }] };
    const extra = owned.slice(wanted);
    if (extra.length === 0) return emptyPlan;
    return {
      steps: [
        {
          mode: 'parallel',
          actions: extra.map((map) => ({
            verb: 'delete' as const,
            resource: configMaps,
            namespace,
            name: map.metadata?.name ?? '',
            preconditions: { uid: map.metadata?.uid ?? '' },
            reason: 'TooMany',
            facts,
          })),
        },
      ],
    };
  },
};

for (const exchanges of ['object', 'bytes'] as const) {
  describe(`the runtime over ${exchanges} of the real API server`, () => {
    it('lists, follows and resumes a cache; a metadata-only one too', () =>
      withServer(exchanges, async ({ env, scope, client, run }) => {
        for (let i = 0; i < 1_200; i++)
          await run(client.create(configMaps, { object: newMap(`m${i}`, { i: String(i) }) }));
        for (const streaming of [true, false]) {
          const factory = new InformerFactory({ client, env, streaming, freeze: exchanges === 'bytes' });
          const informer = factory.informer(configMaps, { select: { namespace: 'default' } });
          const metadata = factory.informer(configMaps, { select: { namespace: 'default' }, metadataOnly: true });
          const changes: string[] = [];
          informer.addHandler((change) => void changes.push(`${change.type} ${change.object.metadata?.name}`));
          const caching = new Scope();
          caching.spawn('informers', (signal) => factory.run({ signal }));
          await env.clock.runUntil(() => factory.unsynced().length === 0, 10_000);
          assert.equal(changes.length, 1_200);
          changes.length = 0;
          const created = await run(client.create(configMaps, { object: newMap(`x-${streaming}`, { a: '1' }) }));
          await run(
            client.patch(configMaps, {
              namespace: 'default',
              name: `x-${streaming}`,
              type: 'merge',
              patch: { data: { a: '2' } },
            }),
          );
          await run(client.delete(configMaps, { namespace: 'default', name: `x-${streaming}` }));
          await env.clock.settle();
          assert.deepEqual(
            changes,
            ['added', 'updated', 'deleted'].map((type) => `${type} x-${streaming}`),
          );
          assert.ok(Number(informer.resourceVersion) > Number(created.metadata?.resourceVersion));
          const [some] = metadata.lister.list();
          assert.equal(metadata.lister.size, 1_200);
          assert.deepEqual(Object.keys(some ?? {}).toSorted(), ['apiVersion', 'kind', 'metadata']);
          // Watches end and are opened again for hours, without a list and without an event.
          changes.length = 0;
          await env.clock.advance(3_600_000);
          assert.deepEqual(changes, []);
          await run(caching.close());
        }
        void scope;
      }));

    it('reads its own writes: never a create too many, whatever wakes the key', () =>
      withServer(exchanges, async ({ env, scope, client, run }) => {
        const informers = new InformerFactory({ client, env });
        const manager = createManager({ env, informers });
        const controller = createController(copies, { client, env, informers });
        manager.addController(controller);
        scope.spawn('manager', (signal) => manager.run({ signal }));
        await env.clock.settle();
        const owned = async (): Promise<number> =>
          (await run(client.list(configMaps, { namespace: 'default' }))).items.length - 1;
        await run(client.create(configMaps, { object: newMap('owner', { size: '50' }) }));
        await env.clock.advance(1_000);
        assert.equal(await owned(), 50);
        await run(
          client.patch(configMaps, {
            namespace: 'default',
            name: 'owner',
            type: 'merge',
            patch: { data: { size: '5' } },
          }),
        );
        await env.clock.advance(1_000);
        assert.equal(await owned(), 5);
        // Somebody else deletes and recreates while the controller works.
        const uid = (await run(client.get(configMaps, { namespace: 'default', name: 'owner' }))).metadata?.uid;
        await run(client.delete(configMaps, { namespace: 'default', name: 'owner' }));
        await run(client.create(configMaps, { object: newMap('owner', { size: '3' }) }));
        await env.clock.advance(60_000);
        const maps = (await run(client.list(configMaps, { namespace: 'default' }))).items;
        const mine = maps.filter(
          ({ metadata }) => metadata?.ownerReferences !== undefined && metadata.ownerReferences[0]?.uid !== uid,
        );
        assert.equal(mine.length, 3);
        assert.equal(controller.fencedKeys, 0);
      }));

    it('elects one of two, and hands over on a release', () =>
      withServer(exchanges, async ({ env, client, run }) => {
        const log: string[] = [];
        const candidate = (identity: string, stop: AbortController): Promise<void> =>
          createLeaderElector({ client, env, namespace: 'default', name: 'lock', identity, releaseOnStop: true }).run({
            signal: stop.signal,
            lead: async (signal) => {
              log.push(`+${identity}`);
              await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
              log.push(`-${identity}`);
            },
          });
        const stops = [new AbortController(), new AbortController()] as const;
        const first = candidate('a', stops[0]);
        await env.clock.advance(1_000);
        const second = candidate('b', stops[1]);
        await env.clock.advance(60_000);
        assert.deepEqual(log, ['+a']);
        stops[0].abort();
        await run(first);
        await env.clock.advance(5_000);
        assert.deepEqual(log, ['+a', '-a', '+b']);
        const lease = await run(client.get(leases, { namespace: 'default', name: 'lock' }));
        assert.equal(lease.spec?.leaseTransitions, 1);
        stops[1].abort();
        await run(second);
      }));

    it('records events that the server takes', () =>
      withServer(exchanges, async ({ env, scope, client, run }) => {
        const recorder = createEventRecorder({ client, env, component: 'tester' });
        scope.spawn('events', (signal) => recorder.run({ signal }));
        const map = await run(client.create(configMaps, { object: newMap('m', {}) }));
        for (let i = 0; i < 3; i++)
          recorder.record({ regarding: map, type: 'Normal', reason: 'Seen', message: 'saw it' });
        await env.clock.advance(1_000);
        const [event, ...others] = (await run(client.list(events, { namespace: 'default' }))).items;
        assert.equal(others.length, 0);
        assert.equal(event?.count, 3);
        assert.equal(event?.source?.component, 'tester');
        assert.equal(event?.involvedObject.uid, map.metadata?.uid);
      }));

    it('discovers what is served, and maps names to it', () =>
      withServer(exchanges, async ({ env, client, run }) => {
        const { resources, failures } = await run(discover(client));
        assert.ok(resources.length > 50);
        assert.equal(failures.size, 0);
        const mapper = createRestMapper({ client, env });
        assert.equal((await run(mapper.resourceFor('deploy'))).kind, 'Deployment');
        assert.equal((await run(mapper.resourceFor('cm'))).resource, 'configmaps');
      }));
  });
}
