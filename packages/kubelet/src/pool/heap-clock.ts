// A clock whose timers share one timer of the clock below: thousands of nodes and containers wait at the price of a heap entry each.

import { type Clock, heapPop, heapPush, sleepOn, type Timer } from '@homeostat/base';

interface Entry {
  readonly atMs: number;
  readonly sequence: number;
  callback: (() => void) | undefined;
}

/** Creates a {@link Clock} over `clock`. Timers that are due together fire in the order in which they were set. */
export function createHeapClock(clock: Clock): Clock {
  let heap: Entry[] = [];
  let cancelled = 0;
  let sequence = 0;
  let timer: Timer | undefined;
  let timerMs = Infinity;

  const arm = (): void => {
    while (heap[0] !== undefined && heap[0].callback === undefined) {
      heapPop(heap, isBefore);
      cancelled--;
    }
    const nextMs = heap[0]?.atMs ?? Infinity;
    if (nextMs === timerMs) return;
    timer?.cancel();
    timerMs = nextMs;
    timer = nextMs === Infinity ? undefined : clock.setTimer(nextMs - clock.monotonicMs(), fire);
  };

  const fire = (): void => {
    timer = undefined;
    timerMs = Infinity;
    const nowMs = clock.monotonicMs();
    for (let first = heap[0]; first !== undefined && first.atMs <= nowMs; first = heap[0]) {
      heapPop(heap, isBefore);
      const { callback } = first;
      if (callback === undefined) {
        cancelled--;
        continue;
      }
      first.callback = undefined;
      callback();
    }
    arm();
  };

  const setTimer = (delayMs: number, callback: () => void): Timer => {
    const entry: Entry = {
      atMs: clock.monotonicMs() + Math.max(0, delayMs),
      sequence: sequence++,
      callback,
    };
    heapPush(heap, entry, isBefore);
    arm();
    return {
      cancel: () => {
        if (entry.callback === undefined) return;
        entry.callback = undefined;
        // Cancelled entries must not pile up under a far-away one.
        if (++cancelled > 64 && cancelled * 2 > heap.length) {
          heap = heap.filter((kept) => kept.callback !== undefined).sort((a, b) => (isBefore(a, b) ? -1 : 1));
          cancelled = 0;
        }
        arm();
      },
    };
  };

  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    setTimer,
    sleep: (delayMs, signal) => sleepOn({ setTimer }, delayMs, signal),
    yield: () => clock.yield(),
  };
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
}
