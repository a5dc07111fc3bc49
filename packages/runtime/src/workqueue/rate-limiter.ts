// How long a failed key waits (spec/client.md §6.3). Limiters are plain state over a monotonic clock; the rate-limiting
// queue joins one with the delaying queue.

import type { Clock } from '@homeostat/base';

/** Decides the delay of retries. Not shared between queues. */
export interface RateLimiter {
  /** Delay before the next try, milliseconds; counts as one more failure. */
  when(key: string): number;
  /** Ends the key's run of failures. */
  forget(key: string): void;
  /** Failures since the last `forget`. */
  failures(key: string): number;
}

/** base·2^failures, at most `maxMs`. */
export function createExponentialLimiter(options: { readonly baseMs: number; readonly maxMs: number }): RateLimiter {
  const { baseMs, maxMs } = options;
  const counts = new Map<string, number>();
  return {
    when(key) {
      const failures = counts.get(key) ?? 0;
      counts.set(key, failures + 1);
      return Math.min(baseMs * 2 ** failures, maxMs);
    },
    forget: (key) => void counts.delete(key),
    failures: (key) => counts.get(key) ?? 0,
  };
}

/** One token bucket over all keys: `qps` a second after `burst` at once. Forgetting returns nothing. */
export function createBucketLimiter(options: {
  readonly clock: Clock;
  readonly qps: number;
  readonly burst: number;
}): RateLimiter {
  const { clock, qps, burst } = options;
  let tokens = burst;
  let lastMs = clock.monotonicMs();
  return {
    when() {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - lastMs) / 1000) * qps);
      lastMs = nowMs;
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens / qps) * 1000;
    },
    forget: () => {},
    failures: () => 0,
  };
}

/** `fastMs` for the first `fastMax` failures, `slowMs` after. */
export function createFastSlowLimiter(options: {
  readonly fastMs: number;
  readonly slowMs: number;
  readonly fastMax: number;
}): RateLimiter {
  const counts = new Map<string, number>();
  return {
    when(key) {
      const failures = (counts.get(key) ?? 0) + 1;
      counts.set(key, failures);
      return failures <= options.fastMax ? options.fastMs : options.slowMs;
    },
    forget: (key) => void counts.delete(key),
    failures: (key) => counts.get(key) ?? 0,
  };
}

/** The longest delay and the highest count of several limiters. */
export function createMaxOfLimiter(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key) => limiters.reduce((delay, limiter) => Math.max(delay, limiter.when(key)), 0),
    forget: (key) => limiters.forEach((limiter) => limiter.forget(key)),
    failures: (key) => limiters.reduce((count, limiter) => Math.max(count, limiter.failures(key)), 0),
  };
}

/** Caps the delays of another limiter. */
export function createMaxWaitLimiter(limiter: RateLimiter, maxMs: number): RateLimiter {
  return { ...limiter, when: (key) => Math.min(limiter.when(key), maxMs) };
}

/** The default of controllers: max(5 ms·2^n ≤ 1000 s per key, 10/s burst 100 over all keys). */
export function createDefaultLimiter(clock: Clock): RateLimiter {
  return createMaxOfLimiter(
    createExponentialLimiter({ baseMs: 5, maxMs: 1_000_000 }),
    createBucketLimiter({ clock, qps: 10, burst: 100 }),
  );
}
