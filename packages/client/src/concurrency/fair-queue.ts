// Who waits, and who is next: flows take turns, within a flow the first comes first. Bounded: one more than the bound is refused.

/** A queue of waiters that flows share fairly. */
export class FairQueue<T> {
  readonly #lengthMax: number;
  /** Flows with waiters, the next in turn first. */
  readonly #flows = new Map<string, Set<T>>();
  #length = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether there was room. */
  add(flow: string, waiter: T): boolean {
    if (this.#length >= this.#lengthMax) return false;
    let waiters = this.#flows.get(flow);
    if (waiters === undefined) {
      waiters = new Set();
      this.#flows.set(flow, waiters);
    }
    waiters.add(waiter);
    this.#length++;
    return true;
  }

  /** Removes one who gave up; nothing when it is gone already. */
  remove(flow: string, waiter: T): void {
    const waiters = this.#flows.get(flow);
    if (waiters?.delete(waiter) !== true) return;
    this.#length--;
    if (waiters.size === 0) this.#flows.delete(flow);
  }

  /** Takes the next in turn; undefined when nobody waits. */
  take(): T | undefined {
    for (const [flow, waiters] of this.#flows) {
      for (const waiter of waiters) {
        waiters.delete(waiter);
        this.#length--;
        // The flow goes to the end of the round.
        this.#flows.delete(flow);
        if (waiters.size > 0) this.#flows.set(flow, waiters);
        return waiter;
      }
    }
    return undefined;
  }
}
