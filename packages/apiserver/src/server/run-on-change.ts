// The loop of a part that keeps something in step with what it watches: one pass at once, another after every change.
// Changes during a pass are taken together; a failed pass is repeated after a while.

import { createDeferred, type Env } from '@homeostat/base';

/** Pause after a pass that failed. */
const retryMs = 1000;

export interface RunOnChangeOptions {
  readonly env: Env;
  readonly name: string;
  /** Calls `notify` at each change; returns the ways to stop that. */
  subscribe(notify: () => void): readonly (() => void)[];
  pass(signal: AbortSignal): Promise<void>;
}

/** Returns when `signal` aborts. */
export async function runOnChange(options: RunOnChangeOptions, signal: AbortSignal): Promise<void> {
  const { env, name } = options;
  let changed = createDeferred<void>();
  const notify = (): void => changed.resolve();
  const stops = options.subscribe(notify);
  signal.addEventListener('abort', notify, { once: true });
  try {
    while (!signal.aborted) {
      changed = createDeferred();
      try {
        await options.pass(signal);
        if (!signal.aborted) await changed.promise;
      } catch (error) {
        if (signal.aborted) return;
        env.log.warn(`${name} failed, it is tried again`, { error });
        await env.clock.sleep(retryMs, signal).catch(() => {}); // the abort ends the loop
      }
    }
  } finally {
    signal.removeEventListener('abort', notify);
    for (const stop of stops) stop();
  }
}
