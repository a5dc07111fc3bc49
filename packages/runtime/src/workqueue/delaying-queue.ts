// Keys to be added later (spec/client.md §6.2). One key waits once, at its earliest time; adding it now ends the wait. One timer
// serves all waiting keys, whatever their number and however far away they are.

import { type Clock, heapPop, heapPush, type Timer } from '@homeostat/base';
import type { AddOptions, WorkQueue } from './work-queue.ts';

export interface DelayingQueue extends WorkQueue {
  /** Adds the key after `delayMs`; at once when that is 0, negative or not a number. Of several delays the earliest counts. */
  addAfter(key: string, delayMs: number, options?: AddOptions): void;
  /** Keys that wait. */
  readonly waiting: number;
}

interface Waiting {
  readonly key: string;
  readonly priority: number;
  readonly readyMs: number;
  readonly sequence: number;
  cancelled: boolean;
}

/** Ten years: beyond it a delay is never, and arithmetic with it is still exact. */
const delayMaxMs = 10 * 365 * 24 * 3_600_000;

/** Lays delays over a queue. */
export function createDelayingQueue(queue: WorkQueue, clock: Clock): DelayingQueue {
  const byKey = new Map<string, Waiting>();
  let heap: Waiting[] = [];
  let cancelled = 0;
  let sequence = 0;
  let timer: Timer | undefined;
  let timerMs = Infinity;

  const cancel = (waiting: Waiting): void => {
    waiting.cancelled = true;
    byKey.delete(waiting.key);
    // Cancelled entries must not pile up under a far-away one.
    if (++cancelled > 64 && cancelled * 2 > heap.length) {
      heap = heap.filter((entry) => !entry.cancelled).sort((a, b) => (isBefore(a, b) ? -1 : 1));
      cancelled = 0;
    }
  };

  const arm = (): void => {
    while (heap[0]?.cancelled) {
      heapPop(heap, isBefore);
      cancelled--;
    }
    const nextMs = heap[0]?.readyMs ?? Infinity;
    if (nextMs === timerMs) return;
    timer?.cancel();
    timerMs = nextMs;
    timer = nextMs === Infinity ? undefined : clock.setTimer(nextMs - clock.monotonicMs(), fire);
  };

  const fire = (): void => {
    timer = undefined;
    timerMs = Infinity;
    const nowMs = clock.monotonicMs();
    for (let first = heap[0]; first !== undefined && (first.cancelled || first.readyMs <= nowMs); first = heap[0]) {
      heapPop(heap, isBefore);
      if (first.cancelled) {
        cancelled--;
        continue;
      }
      byKey.delete(first.key);
      queue.add(first.key, { priority: first.priority });
    }
    arm();
  };

  const stop = (): void => {
    timer?.cancel();
    timer = undefined;
    timerMs = Infinity;
    heap = [];
    cancelled = 0;
    byKey.clear();
  };

  return {
    add(key, options) {
      if (byKey.size > 0) {
        const waiting = byKey.get(key);
        if (waiting !== undefined && !queue.shuttingDown) {
          cancel(waiting);
          arm();
          queue.add(key, { ...options, priority: Math.max(waiting.priority, options?.priority ?? 0) });
          return;
        }
      }
      queue.add(key, options);
    },
    addAfter(key, delayMs, options) {
      if (queue.shuttingDown) return;
      if (!(delayMs > 0)) {
        this.add(key, options);
        return;
      }
      const readyMs = clock.monotonicMs() + Math.min(delayMs, delayMaxMs);
      const known = byKey.get(key);
      const priority = Math.max(options?.priority ?? 0, known?.priority ?? -Infinity);
      if (known !== undefined) {
        if (known.readyMs <= readyMs && priority === known.priority) return;
        cancel(known);
      }
      const waiting: Waiting = {
        key,
        priority,
        readyMs: Math.min(readyMs, known?.readyMs ?? Infinity),
        sequence: sequence++,
        cancelled: false,
      };
      byKey.set(key, waiting);
      heapPush(heap, waiting, isBefore);
      arm();
    },
    get waiting() {
      return byKey.size;
    },
    tryGet: () => queue.tryGet(),
    get: () => queue.get(),
    done: (key) => queue.done(key),
    cancel(key) {
      const waiting = byKey.get(key);
      if (waiting !== undefined) {
        cancel(waiting);
        arm();
      }
      return queue.cancel(key) || waiting !== undefined;
    },
    priorityOf: (key) => queue.priorityOf(key),
    get length() {
      return queue.length;
    },
    get shuttingDown() {
      return queue.shuttingDown;
    },
    shutDown() {
      stop();
      queue.shutDown();
    },
    drain() {
      stop();
      return queue.drain();
    },
    contents(limit = 1000) {
      const nowMs = clock.monotonicMs();
      const waiting = Array.from(byKey.values().take(limit), ({ key, readyMs, priority }) => ({
        key,
        inMs: readyMs - nowMs,
        priority,
      }));
      return { ...queue.contents(limit), waiting };
    },
  };
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.readyMs < b.readyMs || (a.readyMs === b.readyMs && a.sequence < b.sequence);
}
