// When to ask again what the server serves: regularly, and soon after CustomResourceDefinitions changed, so that what
// they describe is collected and counted within the second, not half a minute later.

import type { Clock } from '@homeostat/base';

/** How often discovery runs when nothing is known to have changed. */
export const discoveryPeriodMs = 30_000;
/** Definitions often come several at a time, and change once more while they are established. */
const settleMs = 200;

export class DiscoveryPace {
  readonly #clock: Clock;
  #changed = false;
  #wake: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Definitions changed. */
  note(): void {
    this.#changed = true;
    this.#wake();
  }

  /** Waits until discovery is due. @throws the signal's reason */
  async pause(signal: AbortSignal, periodMs = discoveryPeriodMs): Promise<void> {
    if (!this.#changed) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      const either = AbortSignal.any([signal, woken.signal]);
      await this.#clock.sleep(periodMs, either).catch(() => {}); // woken, or a stop
      signal.throwIfAborted();
    }
    if (this.#changed) await this.#clock.sleep(settleMs, signal);
    this.#changed = false;
  }
}
