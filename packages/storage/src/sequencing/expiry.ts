// Deletes entries whose time to live has passed. It only decides when: the deletion is an ordinary transaction of
// the store, guarded by the revision the deadline was given with, so an entry written again keeps living.

import type { Clock, Timer } from '@homeostat/base';

/** An entry that is to be deleted at a time, unless it has been written again. */
export interface Deadline {
  readonly key: string;
  readonly modRevision: number;
  readonly atMs: number;
}

export interface ExpiryOptions {
  readonly clock: Clock;
  /** Deletes the key if it still has this revision; false = could not be done now, try again later. */
  readonly expire: (key: string, modRevision: number) => Promise<boolean>;
}

// Deadlines handled per turn, and the wait before a refused deletion is tried again.
const turnMax = 256;
const retryMs = 1000;

export class Expiry {
  readonly #clock: Clock;
  readonly #expire: ExpiryOptions['expire'];
  /** Binary heap, soonest first. Deadlines of entries that were replaced stay until they are due. */
  #heap: Deadline[] = [];
  #timer: { readonly timer: Timer; readonly atMs: number } | undefined;
  #stopped = false;

  constructor(options: ExpiryOptions) {
    this.#clock = options.clock;
    this.#expire = options.expire;
  }

  schedule(key: string, modRevision: number, atMs: number): void {
    if (this.#stopped) return;
    push(this.#heap, { key, modRevision, atMs });
    this.#arm();
  }

  /** What is still to come, in no particular order. */
  deadlines(): readonly Deadline[] {
    return [...this.#heap];
  }

  stop(): void {
    this.#stopped = true;
    this.#heap = [];
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const soonest = this.#heap[0];
    if (soonest === undefined || this.#stopped) return;
    if (this.#timer !== undefined && this.#timer.atMs <= soonest.atMs) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.setTimer(soonest.atMs - this.#clock.nowMs(), () => this.#fire());
    this.#timer = { timer, atMs: soonest.atMs };
  }

  #fire(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.nowMs();
    for (let done = 0; done < turnMax; done++) {
      const soonest = this.#heap[0];
      if (soonest === undefined || soonest.atMs > nowMs) break;
      pop(this.#heap);
      // Only a defect rejects, and that must end the process.
      void this.#expireOne(soonest);
    }
    this.#arm();
  }

  async #expireOne({ key, modRevision }: Deadline): Promise<void> {
    const done = await this.#expire(key, modRevision);
    if (!done) this.schedule(key, modRevision, this.#clock.nowMs() + retryMs);
  }
}

function push(heap: Deadline[], deadline: Deadline): void {
  let index = heap.push(deadline) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || above.atMs <= deadline.atMs) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = deadline;
}

function pop(heap: Deadline[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    let least = heap[child];
    if (least === undefined) break;
    const right = heap[child + 1];
    if (right !== undefined && right.atMs < least.atMs) {
      least = right;
      child++;
    }
    if (least.atMs >= last.atMs) break;
    heap[index] = least;
    index = child;
  }
  heap[index] = last;
}
