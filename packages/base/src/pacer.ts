// Keeps long loops from holding the event loop (design law 15): ask `due` once per item, and await `yield` when it says so.

import type { Clock } from './clock.ts';

/** The time share of one loop; not shared between loops. */
export class Pacer {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #endsOnStandstill: boolean;
  #startMs: number;
  #items = 0;

  /**
   * @param sliceMs longest synchronous run, milliseconds; default 5
   * @param endsOnStandstill whether a slice also ends after 16 items during which the clock did not move at all. Virtual time moves only when
   *   all tasks rest: a loop that feeds itself must give way there, or nobody could tell that it never ends
   */
  constructor(clock: Clock, sliceMs = 5, endsOnStandstill = false) {
    this.#endsOnStandstill = endsOnStandstill;
    this.#clock = clock;
    this.#sliceMs = sliceMs;
    this.#startMs = clock.monotonicMs();
  }

  /** Whether it is time to await {@link yield}. Reads the clock for every 16th item only. */
  due(): boolean {
    if ((++this.#items & 15) !== 0) return false;
    const passedMs = this.#clock.monotonicMs() - this.#startMs;
    return passedMs >= this.#sliceMs || (this.#endsOnStandstill && passedMs === 0);
  }

  /** Lets other tasks run, and starts the next slice. */
  async yield(): Promise<void> {
    await this.#clock.yield();
    this.#startMs = this.#clock.monotonicMs();
  }

  /** Starts a new slice without giving way, after the loop has waited for something anyway. */
  restart(): void {
    this.#startMs = this.#clock.monotonicMs();
  }
}
