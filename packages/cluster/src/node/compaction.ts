// Forgets history that nobody can ask for any more, as the API server does with etcd: every five minutes, everything older
// than five minutes.

import type { Env } from '@homeostat/base';
import type { Store } from '@homeostat/storage';

const periodMs = 300_000;

/** Compacts until the signal aborts. */
export async function compactRegularly(env: Env, store: Store, signal: AbortSignal): Promise<void> {
  let previous = store.revision;
  while (!signal.aborted) {
    try {
      await env.clock.sleep(periodMs, signal);
    } catch {
      return; // stopped
    }
    if (previous > store.compactedRevision) await store.compact(previous);
    previous = store.revision;
  }
}
