// @homeostat/storage/memory: the engine without a disk. It keeps writers' holders themselves, so their objects reach
// readers and watchers without a decode, and it can be forked in O(1): one booted state, many tests.

import type { Env } from '@homeostat/base';
import { SequencedStore } from '../sequencing/sequenced-store.ts';
import { VersionedMap } from '../sequencing/versioned-map.ts';
import type { Store } from '../store.ts';

export interface MemoryStoreOptions {
  /** Clock of expiry (`ttlSeconds`). */
  readonly env: Env;
  /** Revisions of history kept at most; default 200,000. More costs the memory of the replaced values. */
  readonly historyMax?: number;
}

export interface MemoryStore extends Store {
  /** Number of changes kept since the compaction. */
  readonly historyLength: number;
  /** An independent store with the same state, revision and history; watches are not taken over. */
  fork(options: MemoryStoreOptions): MemoryStore;
}

export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  return new SequencedMemoryStore({ ...options, state: new VersionedMap() });
}

class SequencedMemoryStore extends SequencedStore implements MemoryStore {
  fork(options: MemoryStoreOptions): MemoryStore {
    return new SequencedMemoryStore({ ...options, ...this.forkState() });
  }
}
