// How many requests may be under way, learned from answers: additive increase, multiplicative decrease, as TCP finds its window. State
// and arithmetic only; `limit-concurrency.ts` does the sending.

/** What an answer says of the server's load. `unknown` counts for neither: an aborted request, a broken connection. */
export type Outcome = 'fine' | 'slow' | 'overloaded' | 'unknown';

export interface AdaptiveLimitOptions {
  /** Requests at once to begin with; default 64. */
  readonly initial?: number;
  /** Never fewer; default 1. */
  readonly min?: number;
  /** Never more; default 256. Raising it lets a fast server be loaded more, and a slow one be hit harder before it is noticed. */
  readonly max?: number;
}

const overloadedFactor = 0.5;
const slowFactor = 0.9;
/** Slowness is a guess, so it alone never takes the limit below this. */
const slowFloor = 16;

/**
 * A limit that moves.
 *
 * 1. An overloaded answer halves it, a slow one takes a tenth (not below 16).
 * 2. It falls at most once in a round trip: answers to requests sent before the last fall are old news.
 * 3. It grows by one in a round trip of fine answers, and only while at least half of it is in use.
 */
export class AdaptiveLimit {
  readonly #min: number;
  readonly #max: number;
  #limit: number;
  #fellAtMs = -Infinity;

  /** @throws RangeError unless 1 ≤ min ≤ initial ≤ max. */
  constructor(options: AdaptiveLimitOptions = {}) {
    const { initial = 64, min = 1, max = Math.max(256, initial) } = options;
    if (!(min >= 1 && min <= initial && initial <= max))
      throw new RangeError(`a limit needs 1 <= min <= initial <= max, got ${min}, ${initial}, ${max}`);
    this.#min = min;
    this.#max = max;
    this.#limit = initial;
  }

  /** Whole requests at once. */
  get value(): number {
    return Math.floor(this.#limit);
  }

  /** Takes note of an answer. `inFlight` counts the request itself. */
  observe(
    outcome: Outcome,
    sample: { readonly startedAtMs: number; readonly nowMs: number; readonly inFlight: number },
  ): void {
    switch (outcome) {
      case 'unknown':
        return;
      case 'fine':
        if (sample.inFlight * 2 >= this.#limit) this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
        return;
      case 'slow':
        if (this.#limit > slowFloor) this.#fall(Math.max(slowFloor, this.#limit * slowFactor), sample);
        return;
      case 'overloaded':
        this.#fall(Math.max(this.#min, this.#limit * overloadedFactor), sample);
    }
  }

  #fall(limit: number, { startedAtMs, nowMs }: { readonly startedAtMs: number; readonly nowMs: number }): void {
    if (startedAtMs < this.#fellAtMs) return;
    this.#limit = limit;
    this.#fellAtMs = nowMs;
  }
}
