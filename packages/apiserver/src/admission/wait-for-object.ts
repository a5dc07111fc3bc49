// Waits a bounded time for an object that somebody is about to make: controllers make a namespace's `default` ServiceAccount
// a moment after the namespace. Woken by the cache, not by polling.

import type { Clock } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import type { CachedReader } from '../server/server-host.ts';

export interface WaitForObjectOptions {
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  /** Longest wait; 0 = only look. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The object, at once or when it appears; undefined when it has not within the time. @throws the signal's reason. */
export async function waitForObject(
  reader: CachedReader,
  options: WaitForObjectOptions,
): Promise<KubeObject | undefined> {
  const { namespace, name, clock, timeoutMs, signal } = options;
  const { promise, resolve } = Promise.withResolvers<KubeObject | undefined>();
  const stop = reader.onChange(({ current }) => {
    if (current?.metadata?.name === name && (current.metadata.namespace ?? '') === namespace) resolve(current);
  });
  const timer = clock.setTimer(timeoutMs, () => resolve(undefined));
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const found = await reader.getFresh(namespace, name, signal);
    const awaited = found ?? (timeoutMs === 0 ? undefined : await promise);
    signal.throwIfAborted();
    return awaited;
  } finally {
    stop();
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
