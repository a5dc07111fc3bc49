// Time that moves only when told to. The world is idle when a whole turn of the event loop ran no task of ours;
// since nothing in the simulated core does real I/O, the clock may then jump to the next timer (design law 8).

import { sleepOn, type Clock, type Timer } from './clock.ts';
import { heapPop, heapPush } from './heap.ts';
import { nextMacrotask } from './platform/macrotask.ts';
import { StandstillWatch } from './standstill-watch.ts';

interface PendingTimer {
  readonly setMs: number;
  readonly atMs: number;
  readonly sequence: number;
  readonly callback: () => void;
  cancelled: boolean;
}

export interface VirtualClockOptions {
  /** Most turns at one instant, see {@link turnsMaxDefault}. */
  readonly turnsMax?: number;
}

/**
 * Turns (batches of tasks resumed, and timers of 0 ms fired) at one instant of virtual time after which the world is taken to go round in a
 * circle. The busiest instants of simulated clusters take some hundreds; a controller takes one for 16 keys.
 */
export const turnsMaxDefault = 10_000;

/**
 * A deterministic {@link Clock}; nothing happens in it between calls of `advance`, `run`, `runUntil` and `settle`. These throw when time
 * stands still while tasks go on for ever: the error says where timers were set and turns were given up.
 */
export class VirtualClock implements Clock {
  #elapsedMs = 0;
  #sequence = 0;
  #ready: (() => void)[] = [];
  readonly #startMs: number;
  readonly #heap: PendingTimer[] = [];
  readonly #standstill: StandstillWatch;

  /** @param startMs wall time at the start; default 2026-01-01T00:00:00Z */
  constructor(startMs = 1_767_225_600_000, { turnsMax = turnsMaxDefault }: VirtualClockOptions = {}) {
    this.#startMs = startMs;
    this.#standstill = new StandstillWatch(turnsMax);
  }

  nowMs(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    this.#standstill.note(delayMs, this.setTimer);
    const timer: PendingTimer = {
      setMs: this.#elapsedMs,
      atMs: this.#elapsedMs + Math.max(0, delayMs),
      sequence: this.#sequence++,
      callback,
      cancelled: false,
    };
    heapPush(this.#heap, timer, before);
    return {
      cancel: () => {
        timer.cancelled = true;
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  yield(): Promise<void> {
    this.#standstill.note(undefined, this.yield);
    return new Promise((resolve) => this.#ready.push(resolve));
  }

  /** Runs whatever can run at the present instant, without moving time (timers that are due fire). */
  async settle(): Promise<void> {
    await this.#runTo(this.#elapsedMs, () => false);
  }

  /** Moves time on by `deltaMs`, firing timers in order and letting every task run to its next wait in between. */
  async advance(deltaMs: number): Promise<void> {
    const target = this.#elapsedMs + deltaMs;
    await this.#runTo(target, () => false);
    this.#elapsedMs = target;
  }

  /**
   * Moves time on, timer by timer, until `done` holds at an instant when everything is idle.
   * @throws when `limitMs` of virtual time have passed or no timer is left.
   */
  async runUntil(done: () => boolean, limitMs = 3_600_000): Promise<void> {
    const outcome = await this.#runTo(this.#elapsedMs + limitMs, done);
    if (outcome === 'done' || done()) return;
    throw new Error(`virtual time: condition not met after ${limitMs} ms (now ${this.#elapsedMs} ms)`);
  }

  /** Drives the clock until `promise` settles and returns its value. */
  async run<T>(promise: Promise<T>, limitMs = 3_600_000): Promise<T> {
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    promise.then(mark, mark);
    await this.runUntil(() => settled, limitMs);
    return promise;
  }

  /** @throws StandstillError when turns follow one another for ever at one instant */
  async #runTo(targetMs: number, done: () => boolean): Promise<'done' | 'end'> {
    for (;;) {
      await nextMacrotask();
      if (this.#ready.length > 0) {
        this.#standstill.turn(this.nowMs(), this.#elapsedMs);
        const ready = this.#ready;
        this.#ready = [];
        for (const resume of ready) resume();
        continue;
      }
      while (this.#heap[0]?.cancelled) heapPop(this.#heap, before);
      const next = this.#heap[0];
      if (next !== undefined && next.atMs <= this.#elapsedMs) {
        // Any number of timers set earlier may fall due at once; only those that were set for now can go on for ever.
        if (next.setMs === this.#elapsedMs) this.#standstill.turn(this.nowMs(), this.#elapsedMs);
        heapPop(this.#heap, before)?.callback();
        continue;
      }
      if (done()) return 'done';
      if (next === undefined || next.atMs > targetMs) return 'end';
      this.#elapsedMs = next.atMs;
    }
  }
}

function before(a: PendingTimer, b: PendingTimer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
}
