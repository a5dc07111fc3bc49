// The clock of one simulated process: it runs fast or slow, its wall time is off, and while the process is paused or dead nothing of it runs.

import { type Clock, sleepOn, type Timer, type VirtualClock } from '@homeostat/base';

export interface ProcessClockOptions {
  readonly clock: VirtualClock;
  /** Own seconds in a true second. */
  readonly rate: number;
  readonly wallOffsetMs: number;
}

export class ProcessClock implements Clock {
  wallOffsetMs: number;
  readonly #clock: VirtualClock;
  readonly #rate: number;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #held: (() => void)[] = [];

  constructor({ clock, rate, wallOffsetMs }: ProcessClockOptions) {
    this.#clock = clock;
    this.#rate = rate;
    this.wallOffsetMs = wallOffsetMs;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs() * this.#rate;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    let cancelled = false;
    const timer = this.#clock.setTimer(delayMs / this.#rate, () =>
      this.whenRunning(() => {
        if (!cancelled) callback();
      }),
    );
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  yield(): Promise<void> {
    return this.#clock.yield();
  }

  /** Runs `callback` now, after the pause, or never. Everything that comes in from outside the process goes through here. */
  whenRunning(callback: () => void): void {
    if (this.#state === 'running') callback();
    else if (this.#state === 'paused') this.#held.push(callback);
  }

  get running(): boolean {
    return this.#state === 'running';
  }

  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    // In the order in which they came, as an event loop would find them.
    for (const callback of this.#held.splice(0)) callback();
  }

  kill(): void {
    this.#state = 'dead';
    this.#held = [];
  }
}
