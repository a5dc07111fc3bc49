// The Env of a simulation: virtual clock, seeded randomness, log lines handed to the caller.

import type { Env } from './env.ts';
import { createLogger, type LogLevel, type LogLine } from './logger.ts';
import { noMetrics, type Metrics } from './metrics.ts';
import { createSeededRandom } from './random.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface VirtualEnvOptions {
  /** Seed of all randomness; default 1. */
  readonly seed?: number;
  /** Wall time at the start in epoch milliseconds. */
  readonly startMs?: number;
  /** See {@link VirtualClock}. */
  readonly turnsMax?: number;
  /** Receives log lines; default drops them. */
  readonly sink?: (line: LogLine) => void;
  readonly level?: LogLevel;
  readonly metrics?: Metrics;
}

/** Creates an {@link Env} whose every value follows from the seed; `clock` is the driver's handle. */
export function createVirtualEnv(options: VirtualEnvOptions = {}): Env & { readonly clock: VirtualClock } {
  return {
    clock: new VirtualClock(options.startMs, options.turnsMax === undefined ? {} : { turnsMax: options.turnsMax }),
    random: createSeededRandom(options.seed ?? 1),
    log: createLogger(options.sink ?? (() => {}), options.level ?? 'info'),
    metrics: options.metrics ?? noMetrics,
  };
}
