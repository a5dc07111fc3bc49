// A clock whose timers share one timer of the clock below: thousands of nodes and containers wait at the price of a heap entry each.

import { type Clock, sleepOn, type Timer } from '@homeostat/base';

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
      pop(heap);
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
      pop(heap);
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
    push(heap, entry);
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

function push(heap: Entry[], entry: Entry): void {
  let index = heap.push(entry) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(entry, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    let least = heap[child];
    if (least === undefined) break;
    const right = heap[child + 1];
    if (right !== undefined && isBefore(right, least)) {
      least = right;
      child++;
    }
    if (!isBefore(least, last)) break;
    heap[index] = least;
    index = child;
  }
  heap[index] = last;
}
