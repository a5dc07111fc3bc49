// What a case of the kit gets: an empty store over virtual time, and short words for what cases do all the time.

import assert from 'node:assert/strict';
import { createVirtualEnv, type Env } from '@homeostat/base';
import {
  StorageError,
  type Compare,
  type KeyValue,
  type Operation,
  type Store,
  type StorageErrorCode,
  type TxnResult,
} from '../store.ts';
import { holdBytes } from '../value-holder.ts';
import { WatchReader } from './watch-reader.ts';

/** An engine as the kit sees it. */
export interface StoreFixture {
  readonly store: Store;
  /** Closes the store and opens it again over the same data; absent for engines that are not durable. */
  reopen?(): Promise<Store>;
  /** Closes the store and removes what it left. */
  dispose(): Promise<void>;
}

/** Makes an empty store. */
export type StoreFactory = (options: { readonly env: Env }) => Promise<StoreFixture>;

export type VirtualEnv = ReturnType<typeof createVirtualEnv>;

export class Fixture {
  readonly env: VirtualEnv;
  readonly #engine: StoreFixture;
  readonly #readers: WatchReader[] = [];
  store: Store;

  private constructor(env: VirtualEnv, engine: StoreFixture) {
    this.env = env;
    this.#engine = engine;
    this.store = engine.store;
  }

  static async create(factory: StoreFactory): Promise<Fixture> {
    const env = createVirtualEnv();
    return new Fixture(env, await factory({ env }));
  }

  async dispose(): Promise<void> {
    for (const reader of this.#readers) reader.abort();
    await this.#engine.dispose();
  }

  /** Whether the engine can be reopened. */
  get durable(): boolean {
    return this.#engine.reopen !== undefined;
  }

  async reopen(): Promise<void> {
    const reopened = await this.#engine.reopen?.();
    assert.ok(reopened, 'the engine cannot be reopened');
    this.store = reopened;
  }

  txn(compare: readonly Compare[], ...operations: readonly Operation[]): Promise<TxnResult> {
    return this.store.txn({ compare, operations });
  }

  /** Puts without a condition; returns the revision. */
  async put(key: string, text: string, ttlSeconds?: number): Promise<number> {
    const result = await this.txn([], put(key, text, ttlSeconds));
    assert.equal(result.succeeded, true);
    return result.revision;
  }

  /** Deletes without a condition; returns the revision. */
  async delete(key: string): Promise<number> {
    return (await this.txn([], { type: 'delete', key })).revision;
  }

  /** Puts `count` keys `<prefix>000 …`, each in its own transaction; returns the keys. */
  async fill(prefix: string, count: number): Promise<string[]> {
    const keys = Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);
    await Promise.all(keys.map((key) => this.put(key, `value of ${key}`)));
    return keys;
  }

  /** The text under a key, undefined when there is none. */
  async text(key: string, revision?: number): Promise<string | undefined> {
    const { item } = await this.store.get(key, revision === undefined ? {} : { revision });
    return item && textOf(item);
  }

  /** `key=text` of a prefix, in the order of the answer. */
  async texts(prefix: string, revision?: number): Promise<string[]> {
    const { items } = await this.store.range({ prefix, ...(revision === undefined ? {} : { revision }) });
    return items.map((item) => `${item.key}=${textOf(item)}`);
  }

  watch(prefix: string, fromRevision?: number, bufferMax?: number): WatchReader {
    const reader = new WatchReader(this.store, prefix, fromRevision, bufferMax);
    this.#readers.push(reader);
    return reader;
  }
}

export function put(key: string, text: string, ttlSeconds?: number): Operation {
  const value = holdBytes(new TextEncoder().encode(text));
  return { type: 'put', key, value, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
}

export function remove(key: string): Operation {
  return { type: 'delete', key };
}

export function textOf(item: KeyValue): string {
  return new TextDecoder().decode(item.value.bytes());
}

/** Asserts that the promise (or the call) fails with a StorageError of this code; returns the error. */
export async function rejectsWith(code: StorageErrorCode, action: () => unknown): Promise<StorageError> {
  try {
    await action();
  } catch (error) {
    assert.ok(error instanceof StorageError, `expected a StorageError, got ${String(error)}`);
    assert.equal(error.code, code);
    return error;
  }
  return assert.fail(`expected a StorageError ${code}, but it succeeded`);
}
