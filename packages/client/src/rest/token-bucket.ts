// The client's own rate limit: `qps` requests a second after `burst` at once. Waiters are served in order. Watches never wait.

import type { Clock } from '@homeostat/base';

export interface TokenBucketOptions {
  readonly clock: Clock;
  /** Tokens a second, above 0. */
  readonly qps: number;
  /** Tokens at most, at least 1. */
  readonly burst: number;
}

/** A token bucket; {@link take} waits for a token. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  constructor(options: TokenBucketOptions) {
    if (!(options.qps > 0) || !(options.burst >= 1)) {
      throw new RangeError(`a token bucket needs qps > 0 and burst >= 1, got ${options.qps} and ${options.burst}`);
    }
    this.#clock = options.clock;
    this.#qps = options.qps;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#atMs = options.clock.monotonicMs();
  }

  /** Resolves when the caller may go. @throws the signal's reason; the token is then given back. */
  async take(signal?: AbortSignal): Promise<void> {
    this.#refill();
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    try {
      await this.#clock.sleep((-this.#tokens / this.#qps) * 1000, signal);
    } catch (error) {
      this.#tokens += 1;
      throw error;
    }
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#qps);
    this.#atMs = nowMs;
  }
}
