// The one door through which time, randomness, logs and metrics come in (design law 8).
// Everything above `base` takes an Env; nothing else reads a clock or a random source. That is what lets a
// whole control plane run in virtual time from a seed.

import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { Random } from './random.ts';
import type { Tracer } from './tracer.ts';

/** The environment of a component: pass it on unchanged, or narrow it with {@link childEnv}. */
export interface Env {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
}

/** Returns the same Env whose log lines carry `fields` too, e.g. `childEnv(env, { component: 'scheduler' })`. */
export function childEnv(env: Env, fields: Readonly<Record<string, unknown>>): Env {
  return { ...env, log: env.log.child(fields) };
}
