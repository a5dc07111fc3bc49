// The memory engine and its forks against the kit, and what it alone can do.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { storeConformance } from '../conformance/store-conformance.ts';
import { holdBytes } from '../value-holder.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';

storeConformance(
  'memory store',
  async ({ env }) => {
    const store = createMemoryStore({ env });
    return { store, dispose: () => store.close() };
  },
  { durable: false, keepsHolders: true },
);

storeConformance(
  'fork of a memory store',
  async ({ env }) => {
    const origin = createMemoryStore({ env });
    const store = origin.fork({ env });
    return {
      store,
      dispose: async () => {
        await store.close();
        await origin.close();
      },
    };
  },
  { durable: false, keepsHolders: true },
);

async function put(store: MemoryStore, key: string, ttlSeconds?: number): Promise<number> {
  const value = holdBytes(new Uint8Array([1]));
  const operation = { type: 'put', key, value, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) } as const;
  return (await store.txn({ compare: [], operations: [operation] })).revision;
}

async function keys(store: MemoryStore, revision?: number): Promise<string[]> {
  const { items } = await store.range({ prefix: '', ...(revision === undefined ? {} : { revision }) });
  return items.map(({ key }) => key);
}

describe('fork()', () => {
  it('shares the past and nothing that follows', async () => {
    const env = createVirtualEnv();
    const origin = createMemoryStore({ env });
    await put(origin, '/a');
    await put(origin, '/b');
    const fork = origin.fork({ env });
    await put(origin, '/origin');
    await put(fork, '/fork');
    assert.deepEqual(await keys(origin), ['/a', '/b', '/origin']);
    assert.deepEqual(await keys(fork), ['/a', '/b', '/fork']);
    assert.deepEqual([origin.revision, fork.revision], [4, 4]);
    assert.deepEqual(await keys(fork, 2), ['/a']);
    await fork.compact(4);
    assert.deepEqual(await keys(origin, 2), ['/a']);
    await origin.close();
    assert.deepEqual(await keys(fork), ['/a', '/b', '/fork']);
    await fork.close();
  });

  it('takes deadlines over to its own clock', async () => {
    const env = createVirtualEnv();
    const origin = createMemoryStore({ env });
    await put(origin, '/short', 60);
    const forkEnv = createVirtualEnv();
    const fork = origin.fork({ env: forkEnv });
    await forkEnv.clock.advance(61_000);
    assert.deepEqual(await keys(fork), []);
    assert.deepEqual(await keys(origin), ['/short']);
    await Promise.all([origin.close(), fork.close()]);
  });

  it('gives its watchers only its own changes', async () => {
    const env = createVirtualEnv();
    const origin = createMemoryStore({ env });
    const fork = origin.fork({ env });
    const watch = fork.watch({ prefix: '/', signal: new AbortController().signal })[Symbol.asyncIterator]();
    await put(origin, '/origin');
    await put(fork, '/fork');
    const { value } = await watch.next();
    assert.equal(value?.type === 'events' && value.events[0]?.key, '/fork');
    await Promise.all([origin.close(), fork.close()]);
  });
});

describe('historyMax', () => {
  it('compacts the oldest revisions when the history outgrows it', async () => {
    const store = createMemoryStore({ env: createVirtualEnv(), historyMax: 100 });
    for (let step = 0; step < 500; step++) await put(store, `/k${step % 10}`);
    assert.ok(store.historyLength <= 100, `${store.historyLength} changes are kept`);
    assert.equal(store.compactedRevision, store.revision - store.historyLength + 1);
    assert.equal((await keys(store, store.compactedRevision)).length, 10);
    await store.close();
  });
});
