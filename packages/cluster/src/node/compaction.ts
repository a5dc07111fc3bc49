// Forgets history that nobody can ask for any more, as the API server does with etcd: every five minutes, everything older
// than five minutes, and sooner what is beyond the bound of a busy cluster.

import type { Env } from '@homeostat/base';
import { runAutoCompaction, type Store } from '@homeostat/storage';

/** Compacts until the signal aborts. */
export async function compactRegularly(env: Env, store: Store, signal: AbortSignal): Promise<void> {
  await runAutoCompaction({
    store,
    clock: env.clock,
    signal,
    onError: (error) => env.log.warn('compacting the store failed and is tried again', { error }),
  });
}
