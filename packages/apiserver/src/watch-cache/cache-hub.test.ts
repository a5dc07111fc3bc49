import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualEnv, Scope } from '@homeostat/base';
import { createMemoryStore } from '@homeostat/storage/memory';
import { CacheHub } from './cache-hub.ts';
import { StoredObject } from './stored-object.ts';

const put = (key: string, name: string): Parameters<ReturnType<typeof createMemoryStore>['txn']>[0] => ({
  compare: [],
  operations: [{ type: 'put', key, value: new StoredObject({ metadata: { name } }) }],
});

test('the hub loads what is stored, follows changes, and adds caches while it runs', async () => {
  const env = createVirtualEnv();
  const store = createMemoryStore({ env });
  await store.txn(put('/registry/pods/n/a', 'a'));
  const hub = new CacheHub({ store, clock: env.clock, log: env.log });
  const monotonicMs = (): number => env.clock.monotonicMs();
  const pods = hub.add({ prefix: '/registry/pods/', monotonicMs });
  const specs = hub.add({ prefix: '/registry/services/specs/', monotonicMs });
  await using scope = new Scope();
  scope.spawn('hub', (signal) => hub.run({ signal }));
  await hub.ready;
  assert.equal(pods.get('n', 'a')?.revision, 2);
  await store.txn(put('/registry/pods/n/b', 'b'));
  await store.txn(put('/registry/services/specs/n/s', 's'));
  await hub.waitFor(store.revision);
  assert.deepEqual(
    pods.list('n').map((version) => version.name),
    ['a', 'b'],
  );
  assert.equal(specs.size, 1);

  await store.txn(put('/registry/example.com/things/n/t', 't'));
  await hub.waitFor(store.revision);
  const things = hub.add({ prefix: '/registry/example.com/things/', monotonicMs });
  const loading = hub.loading('/registry/example.com/things/');
  assert.notEqual(loading, undefined);
  await store.txn(put('/registry/example.com/things/n/u', 'u'));
  await loading;
  await hub.waitFor(store.revision);
  assert.equal(hub.loading('/registry/example.com/things/'), undefined);
  assert.deepEqual(
    things.list().map((version) => version.name),
    ['t', 'u'],
  );
});

test('waitFor() gives up when the revision does not come', async () => {
  const env = createVirtualEnv();
  const store = createMemoryStore({ env });
  const hub = new CacheHub({ store, clock: env.clock, log: env.log });
  await using scope = new Scope();
  scope.spawn('hub', (signal) => hub.run({ signal }));
  await hub.ready;
  const waiting = hub.waitFor(1_000, { timeoutMs: 3_000 });
  await env.clock.advance(3_000);
  assert.equal(await waiting, false);
});
