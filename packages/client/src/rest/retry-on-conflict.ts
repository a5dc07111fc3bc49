// Read, change, write, and again when somebody else wrote in between (spec/client.md §1.5).

import type { Env } from '@homeostat/base';
import { isConflict } from './predicates.ts';

/** What pauses between tries need. */
export type RetryEnv = Pick<Env, 'clock' | 'random'>;

export interface RetryOnConflictOptions {
  /** Tries at most; default 5. */
  readonly steps?: number;
  /** Pause before the second try, milliseconds; default 10. */
  readonly pauseMs?: number;
  /** The pause grows by this factor; default 1. */
  readonly factor?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs `attempt` until it does not fail with a conflict. `attempt` must read anew each time: a stale body is never sent again.
 * The first argument is an Env, or anything that has one as `env`, e.g. a controller's context.
 *
 * @example await retryOnConflict({ env }, async () => client.update(pods, { object: changed(await client.get(pods, target)) }));
 * @throws the last conflict when all steps are used up, and any other error at once.
 */
export async function retryOnConflict<T>(
  context: RetryEnv | { readonly env: RetryEnv },
  attempt: () => Promise<T>,
  options: RetryOnConflictOptions = {},
): Promise<T> {
  const env = 'env' in context ? context.env : context;
  const { steps = 5, pauseMs = 10, factor = 1, signal } = options;
  for (let step = 1; ; step++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || step >= steps) throw error;
      await env.clock.sleep(pauseMs * factor ** (step - 1) * (1 + env.random.float() * 0.1), signal);
    }
  }
}
