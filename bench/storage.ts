// What the storage engines cost: durable writes alone and in flight, ranges, old revisions, watch fan-out, opening.
// The peer is `node:sqlite` used directly in this thread, with the same durability. Prints a table.
// Usage: node bench/storage.ts

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createRealEnv, realClock } from '@homeostat/base/node';
import { holdBytes, type Store } from '@homeostat/storage';
import { createMemoryStore } from '@homeostat/storage/memory';
import { openSqliteStore } from '@homeostat/storage/sqlite';

const podBytes = 7700;
const env = createRealEnv({ level: 'error' });
const root = mkdtempSync(join(tmpdir(), 'homeostat-bench-'));
let folders = 0;
const freshDirectory = (): string => join(root, String(folders++));

function report(what: string, value: string): void {
  console.log(`${what.padEnd(62)} ${value.padStart(18)}`);
}

function put(store: Store, key: string): Promise<unknown> {
  const value = holdBytes(new Uint8Array(podBytes));
  return store.txn({ compare: [], operations: [{ type: 'put', key, value }] });
}

/** Keeps `inFlight` writes going for about a second; returns writes per second. */
async function writesPerSecond(store: Store, inFlight: number): Promise<number> {
  const start = realClock.monotonicMs();
  let done = 0;
  const writer = async (): Promise<void> => {
    while (realClock.monotonicMs() - start < 1000) {
      await put(store, `/registry/pods/default/pod-${done++ % 3000}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, writer));
  return (done / (realClock.monotonicMs() - start)) * 1000;
}

function directRowsPerSecond(batch: number): number {
  const database = new DatabaseSync(join(root, `direct-${batch}.db`));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE state (id INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB)');
  const insert = database.prepare('INSERT INTO state VALUES (?, ?, ?)');
  const value = new Uint8Array(podBytes);
  const start = realClock.monotonicMs();
  let rows = 0;
  while (realClock.monotonicMs() - start < 1000) {
    database.exec('BEGIN');
    for (let index = 0; index < batch; index++) insert.run(rows++, `/registry/pods/default/pod-${rows}`, value);
    database.exec('COMMIT');
  }
  const perSecond = (rows / (realClock.monotonicMs() - start)) * 1000;
  database.close();
  return perSecond;
}

async function timeMs(times: number, work: () => Promise<unknown>): Promise<number> {
  const start = realClock.monotonicMs();
  for (let index = 0; index < times; index++) await work();
  return (realClock.monotonicMs() - start) / times;
}

async function benchWrites(): Promise<void> {
  for (const batch of [1, 64]) {
    const directory = freshDirectory();
    const store = await openSqliteStore({ directory, env });
    const own = await writesPerSecond(store, batch);
    await store.close();
    const direct = directRowsPerSecond(batch);
    report(`sqlite: durable writes of 7.7 KB, ${batch} in flight`, `${Math.round(own)}/s`);
    report(`   node:sqlite directly, ${batch} a transaction`, `${Math.round(direct)}/s (${(own / direct).toFixed(2)})`);
  }
  const memory = createMemoryStore({ env });
  report('memory: writes, one after another', `${Math.round(await writesPerSecond(memory, 1))}/s`);
  await memory.close();
}

async function benchRanges(): Promise<void> {
  const store = createMemoryStore({ env });
  for (let index = 0; index < 10_000; index++) await put(store, `/registry/pods/default/pod-${index}`);
  const revision = store.revision;
  for (let index = 0; index < 1000; index++) await put(store, `/registry/pods/default/pod-${index * 7}`);
  const prefix = '/registry/pods/';
  report('memory: range of 10,000', `${(await timeMs(50, () => store.range({ prefix }))).toFixed(2)} ms`);
  const page = await timeMs(200, () => store.range({ prefix, limit: 500 }));
  report('memory: page of 500 of 10,000', `${page.toFixed(3)} ms`);
  const old = await timeMs(1, () => store.range({ prefix, limit: 500, revision: revision - 100 }));
  report('memory: first page at a revision 1,100 changes back', `${old.toFixed(3)} ms`);
  const next = await timeMs(50, () => store.range({ prefix, limit: 500, revision: revision - 100 }));
  report('memory: further pages there', `${next.toFixed(3)} ms`);
  report('memory: fork of 10,000 keys', `${(await timeMs(100, async () => store.fork({ env }))).toFixed(3)} ms`);
  await store.close();
}

async function benchFanOut(): Promise<void> {
  const watchers = 1000;
  const writes = 200;
  const store = createMemoryStore({ env });
  const controller = new AbortController();
  let delivered = 0;
  const read = async (prefix: string): Promise<void> => {
    for await (const batch of store.watch({ prefix, signal: controller.signal })) {
      if (batch.type === 'events') delivered += batch.events.length;
    }
  };
  const readers = Array.from({ length: watchers }, () => read('/registry/pods/'));
  readers.push(...Array.from({ length: watchers }, (_, index) => read(`/registry/other-${index}/`)));
  const start = realClock.monotonicMs();
  for (let index = 0; index < writes; index++) await put(store, `/registry/pods/default/pod-${index}`);
  while (delivered < watchers * writes) await realClock.yield();
  const perSecond = (delivered / (realClock.monotonicMs() - start)) * 1000;
  report('watch: deliveries, 1,000 watchers (and 1,000 of other prefixes)', `${Math.round(perSecond)}/s`);
  controller.abort();
  await Promise.all(readers);
  await store.close();
}

async function benchOpening(): Promise<void> {
  const openAndClose = async (directory: string): Promise<number> => {
    const start = realClock.monotonicMs();
    const store = await openSqliteStore({ directory, env });
    const openedMs = realClock.monotonicMs() - start;
    await store.close();
    return openedMs;
  };
  const empty = [];
  for (let index = 0; index < 5; index++) empty.push(await openAndClose(freshDirectory()));
  report(
    'sqlite: open an empty directory (best, worst of 5)',
    `${Math.min(...empty).toFixed(1)}, ${Math.max(...empty).toFixed(1)} ms`,
  );
  const firstStart = realClock.monotonicMs();
  const first = await openSqliteStore({ directory: freshDirectory(), env });
  await put(first, '/a');
  report(
    'sqlite: open an empty directory and write durably',
    `${(realClock.monotonicMs() - firstStart).toFixed(1)} ms`,
  );
  await first.close();
  const directory = freshDirectory();
  const store = await openSqliteStore({ directory, env });
  await Promise.all(Array.from({ length: 3000 }, (_, index) => put(store, `/registry/pods/default/pod-${index}`)));
  await store.close();
  report('sqlite: open with 3,000 values of 7.7 KB', `${(await openAndClose(directory)).toFixed(1)} ms`);
}

try {
  await benchOpening();
  await benchWrites();
  await benchRanges();
  await benchFanOut();
} finally {
  rmSync(root, { recursive: true, force: true });
}
