// Loops that must not hold the event loop (design law 15) though who starts them can't wait: as much as fits into one slice is done at
// once, the rest in slices of its own, in order.

import { type Clock, createDeferred, type Deferred } from '@homeostat/base';

export interface Work {
  /** How many steps. */
  readonly length: number;
  step(index: number): void;
}

const sliceMs = 4;
/** More unfinished work than this is finished at once: memory matters more than latency then. */
const waitingMax = 64;

export class SlicedWork {
  readonly #clock: Clock;
  readonly #waiting: { readonly work: Work; next: number }[] = [];
  #filled: Deferred<void> | undefined;
  #running = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does work: at once, unless there is much of it or other work comes first. Without `run` always at once. */
  add(work: Work): void {
    const turn = { work, next: 0 };
    if (this.#waiting.length === 0 && this.#advance(turn, this.#running)) return;
    this.#waiting.push(turn);
    if (this.#waiting.length > waitingMax) this.#finish();
    this.#filled?.resolve();
    this.#filled = undefined;
  }

  /** Does what is left, slice by slice, until `signal` aborts. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.#running = true;
    const wake = (): void => this.#filled?.resolve();
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      const [turn] = this.#waiting;
      if (turn === undefined) {
        this.#filled ??= createDeferred<void>();
        await this.#filled.promise;
        continue;
      }
      await this.#clock.yield();
      if (this.#waiting[0] === turn && this.#advance(turn, true)) this.#waiting.shift();
    }
    this.#running = false;
    this.#finish();
  }

  #finish(): void {
    for (const turn of this.#waiting.splice(0)) this.#advance(turn, false);
  }

  /** @returns whether it is done */
  #advance(turn: { readonly work: Work; next: number }, sliced: boolean): boolean {
    const { work } = turn;
    const startMs = sliced ? this.#clock.monotonicMs() : 0;
    while (turn.next < work.length) {
      work.step(turn.next++);
      // The clock is read for every 16th step only.
      if (sliced && (turn.next & 15) === 0 && this.#clock.monotonicMs() - startMs >= sliceMs)
        return turn.next >= work.length;
    }
    return true;
  }
}
