// The history of a store as data: what "one seed, one history" is checked on, byte for byte.

import type { Store } from '@homeostat/storage';

/** One change of one key. */
export interface HistoryEntry {
  readonly revision: number;
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** The stored bytes as text; empty for a delete. */
  readonly value: string;
}

/** Every change after `afterRevision`, in order. @throws StorageError `compacted` when it is no longer kept. */
export async function readHistory(store: Store, afterRevision: number): Promise<readonly HistoryEntry[]> {
  const last = store.revision;
  const entries: HistoryEntry[] = [];
  if (last <= afterRevision) return entries;
  const stop = new AbortController();
  const decoder = new TextDecoder();
  const watch = store.watch({
    prefix: '/',
    fromRevision: afterRevision + 1,
    signal: stop.signal,
    bufferMax: Number.MAX_SAFE_INTEGER,
  });
  for await (const batch of watch) {
    if (batch.type === 'events') {
      for (const { revision, type, key, current } of batch.events) {
        entries.push({
          revision,
          type,
          key,
          value: current === undefined ? '' : decoder.decode(current.value.bytes()),
        });
      }
    }
    if (batch.revision >= last) break;
  }
  stop.abort();
  return entries;
}

/** The first difference between two histories in words; undefined when they are the same. */
export function firstDifference(left: readonly HistoryEntry[], right: readonly HistoryEntry[]): string | undefined {
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const a = left[i];
    const b = right[i];
    if (a !== undefined && b !== undefined && sameEntry(a, b)) continue;
    return `entry ${i} differs:\n  ${describe(a)}\n  ${describe(b)}`;
  }
  return undefined;
}

function sameEntry(a: HistoryEntry, b: HistoryEntry): boolean {
  return a.revision === b.revision && a.type === b.type && a.key === b.key && a.value === b.value;
}

function describe(entry: HistoryEntry | undefined): string {
  return entry === undefined ? '(none)' : `${entry.revision} ${entry.type} ${entry.key} ${entry.value}`;
}
