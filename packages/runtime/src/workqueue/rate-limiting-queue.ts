// Back-off for failed keys (spec/client.md §6.3): a rate limiter over a delaying queue.

import type { Env } from '@homeostat/base';
import { createDelayingQueue, type DelayingQueue } from './delaying-queue.ts';
import type { Fairness } from './fair-lane.ts';
import { createQueueMetrics, type QueueMetrics } from './queue-metrics.ts';
import { createDefaultLimiter, type RateLimiter } from './rate-limiter.ts';
import { type AddOptions, createWorkQueue } from './work-queue.ts';

export interface RateLimitingQueue extends DelayingQueue {
  /** Adds the key when its rate limiter allows; counts as one more failure. @throws TypeError when the limiter gives no number. */
  addRateLimited(key: string, options?: AddOptions): void;
  /** Ends the key's run of failures; it does not leave the queue. */
  forget(key: string): void;
  /** Failures since the last `forget`. */
  failures(key: string): number;
}

export interface RateLimitingQueueOptions {
  readonly env: Env;
  /** Label of its metrics; absent: nothing is measured. */
  readonly name?: string;
  /** Default {@link createDefaultLimiter}. */
  readonly limiter?: RateLimiter;
  /** Waiting time that is worth one point of priority, milliseconds; default 300 (30 s for 100 points); 0: priorities are strict. */
  readonly agingMsPerPoint?: number;
  /** Absent: first in, first out within a priority. */
  readonly fairness?: Fairness | undefined;
}

const defaultAgingMsPerPoint = 300;

/** Creates a work queue with delays and back-off. */
export function createRateLimitingQueue(options: RateLimitingQueueOptions): RateLimitingQueue {
  const { env, name } = options;
  const metrics = name === undefined ? undefined : createQueueMetrics({ name, clock: env.clock, metrics: env.metrics });
  const msPerPoint = options.agingMsPerPoint ?? defaultAgingMsPerPoint;
  const aging = msPerPoint > 0 && msPerPoint < Infinity ? { clock: env.clock, msPerPoint } : undefined;
  const fairness = options.fairness === undefined ? undefined : contained(options.fairness, env);
  const queue = createDelayingQueue(createWorkQueue({ metrics, aging, fairness }), env.clock);
  return withRateLimit(queue, options.limiter ?? createDefaultLimiter(env.clock), metrics);
}

/** No key is lost to a function that throws: it counts as of the flow `''`, or of weight 1. Said once. */
function contained(fairness: Fairness, env: Env): Fairness {
  let said = false;
  const safely = <T>(call: () => T, otherwise: T): T => {
    try {
      return call();
    } catch (error) {
      if (!said) env.log.error('a fairness function of a work queue failed', { error });
      said = true;
      return otherwise;
    }
  };
  return {
    flowOf: (key) => safely(() => fairness.flowOf(key), ''),
    weightOf: (flow) => safely(() => fairness.weightOf?.(flow) ?? 1, 1),
  };
}

function withRateLimit(
  queue: DelayingQueue,
  limiter: RateLimiter,
  metrics: QueueMetrics | undefined,
): RateLimitingQueue {
  return {
    add: (key, options) => queue.add(key, options),
    addAfter: (key, delayMs, options) => queue.addAfter(key, delayMs, options),
    addRateLimited(key, options) {
      metrics?.retried();
      const delayMs = limiter.when(key);
      if (Number.isNaN(delayMs)) throw new TypeError(`the rate limiter gave no delay for ${key}`);
      queue.addAfter(key, delayMs, options);
    },
    forget: (key) => limiter.forget(key),
    failures: (key) => limiter.failures(key),
    tryGet: () => queue.tryGet(),
    get: () => queue.get(),
    done: (key) => queue.done(key),
    cancel: (key) => queue.cancel(key),
    priorityOf: (key) => queue.priorityOf(key),
    get length() {
      return queue.length;
    },
    get waiting() {
      return queue.waiting;
    },
    get shuttingDown() {
      return queue.shuttingDown;
    },
    shutDown: () => queue.shutDown(),
    drain: () => queue.drain(),
    contents: (limit) => queue.contents(limit),
  };
}
