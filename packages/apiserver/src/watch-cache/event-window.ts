// The recent changes of one resource, for watches that start in the past (spec/apiserver.md §6.6): bounded by count and
// by age, so that a quiet resource keeps its history and a busy one a known amount of memory.

import type { CacheEvent } from './cache-event.ts';

const countMin = 100;
const countMax = 20_000;
/** Only the latest events keep their encoded frames and decoded objects. */
const latestMax = 256;
const ageMaxMs = 75_000;

export class EventWindow {
  #events: CacheEvent[] = [];
  #head = 0;
  /** Events at and below this revision are not in the window. */
  #floor: number;

  constructor(floor: number) {
    this.#floor = floor;
  }

  /** A watch may start after any revision from this on. */
  get floor(): number {
    return this.#floor;
  }

  push(event: CacheEvent): void {
    this.#events.push(event);
    this.#events[this.#events.length - 1 - latestMax]?.settle();
    while (this.#count() > countMin && (this.#count() > countMax || this.#oldestAge(event.arrivedMs) > ageMaxMs))
      this.#drop();
    // A dead prefix of half the array is worth moving the rest once.
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Events above `revision`, oldest first. */
  after(revision: number): readonly CacheEvent[] {
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }

  reset(floor: number): void {
    this.#events = [];
    this.#head = 0;
    this.#floor = floor;
  }

  #count(): number {
    return this.#events.length - this.#head;
  }

  #oldestAge(nowMs: number): number {
    return nowMs - (this.#events[this.#head]?.arrivedMs ?? nowMs);
  }

  #drop(): void {
    const dropped = this.#events[this.#head];
    if (dropped === undefined) return;
    this.#floor = dropped.revision;
    this.#events[this.#head] = undefined as never;
    this.#head++;
  }
}
