// Stage 4 of the loop, the base: a queue of keys. A key is in it once, however often it is added, and is never handed out while
// it is being worked on (spec/client.md §6.1, §7.1). Who goes first is a matter of priority, of age, and of fairness among flows.
// Delays and back-off are laid over it in files of their own.

import { type Clock, createDeferred, type Deferred, invariant } from '@homeostat/base';
import { createFairLane, type Fairness } from './fair-lane.ts';
import { createFifoLane, type Entry, type Lane } from './lane.ts';
import type { QueueContents } from './queue-contents.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** What workers and producers share. */
export interface WorkQueue {
  /** Adds a key, unless it is there already; a key under work is handed out again after `done`. Ignored after the shut-down. */
  add(key: string, options?: AddOptions): void;
  /** Takes the next key, to be given back with `done`; undefined when none is ready. */
  tryGet(): string | undefined;
  /** Waits for a key; undefined when the queue is shut down and empty. */
  get(): Promise<string | undefined>;
  /** Ends the work on a key. */
  done(key: string): void;
  /** Takes a key out again, delays included; work under way goes on, but is not followed by more. Whether there was anything to take out. */
  cancel(key: string): boolean;
  /** The priority a key under work was taken with, so that retries keep it. */
  priorityOf(key: string): number;
  /** Keys ready to be taken. */
  readonly length: number;
  readonly shuttingDown: boolean;
  /** Takes no more keys; those in the queue are still handed out. Ends a `drain` that waits. */
  shutDown(): void;
  /** Shuts down and resolves when all keys, those added again while under work included, are done; or at a `shutDown`. */
  drain(): Promise<void>;
  /** What is in it, for diagnostics; at most `limit` keys of each state, default 1000. O(keys). */
  contents(limit?: number): QueueContents;
}

export interface AddOptions {
  /** Higher goes first; default 0. A key keeps the highest it was added with until it is taken. */
  readonly priority?: number;
}

export interface WorkQueueOptions {
  /** Costs two clock readings a key; absent: nothing is measured. */
  readonly metrics?: QueueMetrics | undefined;
  /** Absent: priorities are strict, and a low one may wait for ever. */
  readonly aging?: Aging | undefined;
  /** Absent: first in, first out within a priority. */
  readonly fairness?: Fairness | undefined;
}

/**
 * Waiting counts as priority. Guarantee: a key of priority p that became ready at time t goes before every key of priority q that
 * became ready after t + (q − p)·`msPerPoint`. With fairness that holds for the oldest key of each priority.
 */
export interface Aging {
  readonly clock: Clock;
  /** Waiting time that is worth one point of priority, milliseconds. */
  readonly msPerPoint: number;
}

/** Priority of keys whose change nobody waits for: first lists and resyncs. */
export const lowPriority = -100;

/** Empty lanes kept for the next key of their priority. */
const idleLanesMax = 16;

/** Creates an empty queue. */
export function createWorkQueue(options: WorkQueueOptions = {}): WorkQueue {
  const { metrics, aging, fairness } = options;
  const entries = new Map<string, Entry>();
  const newLane = (priority: number): Lane =>
    fairness === undefined ? createFifoLane(priority) : createFairLane(priority, fairness);
  /** Highest priority first; the first one made is the default. */
  const lanes: Lane[] = [newLane(0)];
  let pruneAt = idleLanesMax * 2;
  let length = 0;
  let processing = 0;
  let places = 0;
  let shuttingDown = false;
  let getters: Deferred<void>[] = [];
  let drained: Deferred<void> | undefined;

  const laneOf = (priority: number): Lane => {
    let at = 0;
    for (; at < lanes.length; at++) {
      const lane = lanes[at];
      if (lane === undefined || lane.priority < priority) break;
      if (lane.priority === priority) return lane;
    }
    const lane = newLane(priority);
    lanes.splice(at, 0, lane);
    if (lanes.length > pruneAt) {
      // Keys that were raised leave empty lanes below those that are looked at.
      for (let each = lanes.length - 1; each >= 0; each--)
        if (lanes[each] !== lane && lanes[each]?.oldest() === undefined) lanes.splice(each, 1);
      pruneAt = Math.max(idleLanesMax, lanes.length) * 2;
    }
    return lane;
  };

  /** Of a place taken now; smaller goes first. */
  const rankOf = (priority: number): number =>
    aging === undefined ? -priority : aging.clock.monotonicMs() - priority * aging.msPerPoint;

  const enqueue = (entry: Entry, rank: number): void => {
    entry.place = ++places;
    entry.rank = rank;
    laneOf(entry.priority).push(entry);
  };

  /** A higher priority gives a new place, unless waiting has made the old one better. */
  const raise = (entry: Entry, priority: number): void => {
    entry.priority = priority;
    if (entry.processing) return;
    const rank = rankOf(priority);
    if (rank < entry.rank) enqueue(entry, rank);
  };

  const wakeOne = (): void => {
    getters.shift()?.resolve();
  };

  const wakeAll = (): void => {
    for (const getter of getters) getter.resolve();
    getters = [];
  };

  const checkDrained = (): void => {
    if (drained !== undefined && processing === 0 && length === 0) drained.resolve();
  };

  const nextLane = (): Lane | undefined => {
    let best: Lane | undefined;
    let bestRank = Infinity;
    for (let at = 0; at < lanes.length; at++) {
      const lane = lanes[at];
      const oldest = lane?.oldest();
      if (lane === undefined) continue;
      if (oldest === undefined) {
        if (lanes.length > idleLanesMax) lanes.splice(at--, 1);
        continue;
      }
      if (aging === undefined) return lane;
      // Of equal ranks the higher priority goes first.
      if (best !== undefined && !(oldest.rank < bestRank)) continue;
      best = lane;
      bestRank = oldest.rank;
    }
    return best;
  };

  const queue: WorkQueue = {
    add(key, { priority: wanted = 0 } = noOptions) {
      if (shuttingDown) return;
      const priority = Number.isNaN(wanted) ? 0 : wanted;
      let entry = entries.get(key);
      if (entry === undefined) {
        entry = newEntry(key, priority);
        entries.set(key, entry);
      } else if (entry.dirty) {
        if (priority > entry.priority) raise(entry, priority);
        return;
      }
      entry.dirty = true;
      entry.priority = priority;
      if (metrics !== undefined) entry.addedMs = metrics.added();
      if (entry.processing) return;
      enqueue(entry, rankOf(entry.priority));
      length++;
      wakeOne();
    },

    tryGet() {
      if (length === 0) return undefined;
      const entry = nextLane()?.take();
      invariant(entry !== undefined, `a work queue of length ${length} had no key`);
      length--;
      processing++;
      entry.place = 0;
      entry.takenPriority = entry.priority;
      entry.dirty = false;
      entry.processing = true;
      if (metrics !== undefined) entry.startedMs = metrics.started(entry.key, entry.addedMs);
      return entry.key;
    },

    async get() {
      for (;;) {
        const key = queue.tryGet();
        if (key !== undefined) return key;
        if (shuttingDown) return undefined;
        const getter = createDeferred<void>();
        getters.push(getter);
        await getter.promise;
      }
    },

    done(key) {
      const entry = entries.get(key);
      if (entry === undefined || !entry.processing) return;
      entry.processing = false;
      processing--;
      metrics?.finished(key, entry.startedMs);
      if (entry.dirty) {
        enqueue(entry, rankOf(entry.priority));
        length++;
        wakeOne();
      } else {
        entries.delete(key);
        checkDrained();
      }
    },

    cancel(key) {
      const entry = entries.get(key);
      if (entry === undefined || !entry.dirty) return false;
      entry.dirty = false;
      if (entry.processing) return true;
      entry.place = 0;
      entries.delete(key);
      length--;
      checkDrained();
      return true;
    },

    priorityOf: (key) => entries.get(key)?.takenPriority ?? 0,

    get length() {
      return length;
    },

    get shuttingDown() {
      return shuttingDown;
    },

    shutDown() {
      shuttingDown = true;
      wakeAll();
      drained?.resolve();
    },

    drain() {
      shuttingDown = true;
      wakeAll();
      drained ??= createDeferred<void>();
      checkDrained();
      return drained.promise;
    },

    contents(limit = 1000) {
      const ready: { key: string; priority: number }[] = [];
      const working: string[] = [];
      for (const entry of entries.values()) {
        if (entry.processing && working.length < limit) working.push(entry.key);
        else if (!entry.processing && ready.length < limit) ready.push({ key: entry.key, priority: entry.priority });
      }
      return { ready, processing: working, waiting: [] };
    },
  };
  metrics?.observe({ length: () => length });
  return queue;
}

const noOptions: AddOptions = {};

/** A key that is not in line yet. */
export function newEntry(key: string, priority = 0): Entry {
  return {
    key,
    dirty: false,
    processing: false,
    priority,
    takenPriority: priority,
    place: 0,
    rank: 0,
    addedMs: 0,
    startedMs: 0,
  };
}
