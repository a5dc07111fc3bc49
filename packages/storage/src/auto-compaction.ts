// Forgets old history by time and by count, as kube-apiserver does to etcd (every five minutes, what was current five
// minutes before). The owner of a store runs it; the store itself does nothing behind its owner's back.

import type { Clock } from '@homeostat/base';
import type { Store } from './store.ts';

export interface AutoCompactionOptions {
  readonly store: Pick<Store, 'revision' | 'compactedRevision' | 'compact'>;
  readonly clock: Clock;
  /** Age beyond which history goes; it may live up to twice as long. Default 5 minutes. */
  readonly retentionMs?: number;
  /** Revisions kept at most, however young; default 50,000. More costs the memory of the replaced values. */
  readonly revisionsMax?: number;
  /** How often the count is looked at; default 10 seconds. */
  readonly checkPeriodMs?: number;
  /** Told when a compaction failed; the next one tries again. */
  readonly onError: (error: unknown) => void;
}

/** Compacts until `signal` aborts, then returns. */
export async function runAutoCompaction(
  options: AutoCompactionOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const {
    store,
    clock,
    signal,
    retentionMs = 300_000,
    revisionsMax = 50_000,
    checkPeriodMs = 10_000,
    onError,
  } = options;
  let marked = { revision: store.revision, atMs: clock.monotonicMs() };
  for (;;) {
    try {
      await clock.sleep(Math.min(checkPeriodMs, retentionMs), signal);
    } catch {
      return;
    }
    let target = store.revision - revisionsMax;
    if (clock.monotonicMs() - marked.atMs >= retentionMs) {
      target = Math.max(target, marked.revision);
      marked = { revision: store.revision, atMs: clock.monotonicMs() };
    }
    if (target <= store.compactedRevision) continue;
    try {
      await store.compact(target);
    } catch (error) {
      onError(error);
    }
  }
}
