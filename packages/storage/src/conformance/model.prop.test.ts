// Both engines against the naive store: the same random transactions, then everything that can be asked is compared.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { realClock } from '@homeostat/base/node';
import fc from 'fast-check';
import { createMemoryStore } from '../memory/memory-store.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { StorageError, type KeyValue, type Store } from '../store.ts';
import { put, remove, textOf } from './fixture.ts';
import { NaiveStore, type NaiveItem, type NaiveOperation } from './naive-store.ts';
import { WatchReader } from './watch-reader.ts';

const keys = ['/a', '/a/b', '/a/c', '/a/c/d', '/ab', '/b/x', '/b/y', '/c'];
const prefixes = ['', '/', '/a', '/a/', '/a/c', '/b/', '/d'];

const operations = fc.uniqueArray(
  fc.record({
    key: fc.constantFrom(...keys),
    text: fc.option(fc.string({ maxLength: 5 }), { nil: undefined, freq: 3 }),
  }),
  { minLength: 0, maxLength: 4, selector: ({ key }) => key },
);
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('txn' as const),
      operations,
      // How far back the compared revision lies: mostly none, so that most transactions are done.
      compare: fc.array(fc.record({ key: fc.constantFrom(...keys), stale: fc.constantFrom(0, 0, 0, 1, 5) }), {
        maxLength: 2,
      }),
      wait: fc.constantFrom(true, false, false, false),
    }),
  },
  // Splits what is in flight over several commits.
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('pause' as const), until: fc.constantFrom('turn', 'first commit') }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const), back: fc.nat(8) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('watch' as const),
      prefix: fc.constantFrom(...prefixes),
      back: fc.nat(8),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Engine {
  readonly store: Store;
  /** Durable engines answer the reopened store, others the same one. */
  reopen(): Promise<Store>;
}

function shape(item: KeyValue | undefined): NaiveItem | undefined {
  if (item === undefined) return undefined;
  const { key, createRevision, modRevision, version } = item;
  return { key, text: textOf(item), createRevision, modRevision, version };
}

class Comparison {
  readonly #model = new NaiveStore();
  readonly #engine: Engine;
  readonly #reopens: boolean;
  #store: Store;
  #inFlight: Promise<void>[] = [];
  #watches: { readonly reader: WatchReader; readonly prefix: string; readonly from: number }[] = [];

  constructor(engine: Engine, reopens: boolean) {
    this.#engine = engine;
    this.#reopens = reopens;
    this.#store = engine.store;
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const each of steps) await this.#step(each);
    await this.#settle();
    await this.#compareStates();
    await this.#compareWatches();
  }

  async #step(each: Step): Promise<void> {
    switch (each.type) {
      case 'txn':
        this.#txn(each.compare, each.operations);
        if (each.wait) await this.#settle();
        return;
      case 'pause':
        await (each.until === 'turn' ? realClock.yield() : this.#inFlight[0]);
        return;
      case 'compact': {
        await this.#settle();
        const revision = Math.max(1, this.#model.revision - each.back);
        await this.#store.compact(revision);
        this.#model.compactedRevision = Math.max(this.#model.compactedRevision, revision);
        return;
      }
      case 'watch': {
        // Opened while writes are in flight: from a revision that is visible, in the past, or not there yet.
        const from = Math.max(this.#model.compactedRevision, this.#model.revision + 1 - each.back);
        this.#watches.push({ reader: new WatchReader(this.#store, each.prefix, from), prefix: each.prefix, from });
        return;
      }
      case 'reopen':
        if (!this.#reopens) return;
        await this.#settle();
        await this.#compareWatches();
        this.#store = await this.#engine.reopen();
        return;
    }
  }

  #txn(compared: readonly { readonly key: string; readonly stale: number }[], wanted: readonly NaiveOperation[]): void {
    const compare = compared.map(({ key, stale }) => ({
      key,
      modRevision: Math.max(0, (this.#model.current.get(key)?.modRevision ?? 0) - stale),
    }));
    const before = this.#model.current;
    const succeeded = this.#model.txn(compare, wanted);
    const { revision } = this.#model;
    const expected = {
      succeeded,
      revision,
      current: succeeded ? [] : compare.map(({ key }) => before.get(key)),
      previous: succeeded ? wanted.map(({ key }) => before.get(key)) : [],
    };
    const doIt = async (): Promise<void> => {
      const result = await this.#store.txn({
        compare,
        operations: wanted.map(({ key, text }) => (text === undefined ? remove(key) : put(key, text))),
      });
      const { current, previous } = result;
      assert.deepEqual({ ...result, current: current.map(shape), previous: previous.map(shape) }, expected);
    };
    this.#inFlight.push(doIt());
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#inFlight);
    this.#inFlight = [];
    assert.equal(this.#store.revision, this.#model.revision);
    assert.equal(this.#store.compactedRevision, this.#model.compactedRevision);
  }

  async #compareStates(): Promise<void> {
    for (let revision = 1; revision <= this.#model.revision; revision++) {
      if (revision < this.#model.compactedRevision) {
        await assert.rejects(
          this.#store.range({ prefix: '', revision }),
          (error) => error instanceof StorageError && error.code === 'compacted',
        );
        continue;
      }
      for (const prefix of prefixes) {
        const { items } = await this.#store.range({ prefix, revision });
        assert.deepEqual(items.map(shape), this.#model.range(prefix, revision), `${prefix} at ${revision}`);
      }
    }
  }

  async #compareWatches(): Promise<void> {
    for (const { reader, prefix, from } of this.#watches) {
      const expected = this.#model.events.filter(({ revision, key }) => revision >= from && key.startsWith(prefix));
      const events = await reader.events(expected.length);
      assert.deepEqual(
        events.map(({ revision, key, current, previous }) => ({
          revision,
          key,
          current: shape(current),
          previous: shape(previous),
        })),
        expected,
      );
      await reader.assertNoMore();
      reader.abort();
    }
    this.#watches = [];
  }
}

const steps = fc.array(step, { minLength: 1, maxLength: 60, size: 'max' });
const root = mkdtempSync(join(tmpdir(), 'homeostat-model-'));
after(() => rmSync(root, { recursive: true, force: true }));

describe('engines against the naive store', () => {
  it('memory', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (each) => {
        const store = createMemoryStore({ env: createVirtualEnv() });
        await new Comparison({ store, reopen: async () => store }, false).run(each);
        await store.close();
      }),
      { numRuns: 200 },
    );
  });

  it('sqlite', async () => {
    let folders = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (each) => {
        const options = { directory: join(root, String(folders++)), env: createVirtualEnv() };
        let store = await openSqliteStore(options);
        const reopen = async (): Promise<Store> => {
          await store.close();
          store = await openSqliteStore(options);
          return store;
        };
        try {
          await new Comparison({ store, reopen }, true).run(each);
        } finally {
          await store.close();
        }
      }),
      { numRuns: 15 },
    );
  });
});
