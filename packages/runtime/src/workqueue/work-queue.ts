// Stage 4 of the loop, the base: a queue of keys. A key is in it once, however often it is added, and is never handed out while
// it is being worked on (spec/client.md §6.1, §7.1). Delays and back-off are laid over it in files of their own.

import { createDeferred, type Deferred, invariant } from '@homeostat/base';
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
  /** The priority a key under work was taken with, so that retries keep it. */
  priorityOf(key: string): number;
  /** Keys ready to be taken. */
  readonly length: number;
  readonly shuttingDown: boolean;
  /** Takes no more keys; those in the queue are still handed out. */
  shutDown(): void;
  /** Shuts down and resolves when all keys, those added again while under work included, are done. */
  drain(): Promise<void>;
}

export interface AddOptions {
  /** Higher goes first; default 0. A key keeps the highest it was added with until it is taken. */
  readonly priority?: number;
}

interface Entry {
  readonly key: string;
  /** To be handed out. */
  dirty: boolean;
  processing: boolean;
  priority: number;
  takenPriority: number;
  /** Position of the place in a lane that counts; places left behind in lower lanes don't match. */
  place: number;
  addedMs: number;
  startedMs: number;
}

interface Lane {
  readonly priority: number;
  entries: (Entry | undefined)[];
  places: number[];
  head: number;
}

/** Priority of keys whose change nobody waits for: first lists and resyncs. */
export const lowPriority = -100;

/** Creates an empty queue. `metrics` costs two clock readings a key; absent: nothing is measured. */
export function createWorkQueue(options: { readonly metrics?: QueueMetrics | undefined } = {}): WorkQueue {
  const { metrics } = options;
  const entries = new Map<string, Entry>();
  /** Highest priority first; the first one made is the default. */
  const lanes: Lane[] = [newLane(0)];
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
    return lane;
  };

  const enqueue = (entry: Entry): void => {
    const lane = laneOf(entry.priority);
    entry.place = ++places;
    lane.entries.push(entry);
    lane.places.push(entry.place);
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

  const queue: WorkQueue = {
    add(key, { priority = 0 } = noOptions) {
      if (shuttingDown) return;
      let entry = entries.get(key);
      if (entry === undefined) {
        entry = {
          key,
          dirty: false,
          processing: false,
          priority,
          takenPriority: priority,
          place: 0,
          addedMs: 0,
          startedMs: 0,
        };
        entries.set(key, entry);
      } else if (entry.dirty) {
        if (priority <= entry.priority) return;
        entry.priority = priority;
        if (!entry.processing) enqueue(entry);
        return;
      }
      entry.dirty = true;
      entry.priority = priority;
      if (metrics !== undefined) entry.addedMs = metrics.added();
      if (entry.processing) return;
      enqueue(entry);
      length++;
      wakeOne();
    },

    tryGet() {
      if (length === 0) return undefined;
      for (const lane of lanes) {
        while (lane.head < lane.entries.length) {
          const entry = lane.entries[lane.head];
          const place = lane.places[lane.head];
          lane.entries[lane.head++] = undefined;
          if (lane.head === lane.entries.length) clear(lane);
          else if (lane.head >= 4096 && lane.head * 2 >= lane.entries.length) compact(lane);
          if (entry === undefined || entry.place !== place) continue;
          length--;
          processing++;
          entry.place = 0;
          entry.takenPriority = entry.priority;
          entry.dirty = false;
          entry.processing = true;
          if (metrics !== undefined) entry.startedMs = metrics.started(entry.key, entry.addedMs);
          return entry.key;
        }
      }
      invariant(false, `a work queue of length ${length} had no key`);
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
        enqueue(entry);
        length++;
        wakeOne();
      } else {
        entries.delete(key);
        checkDrained();
      }
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
    },

    drain() {
      shuttingDown = true;
      wakeAll();
      drained ??= createDeferred<void>();
      checkDrained();
      return drained.promise;
    },
  };
  metrics?.observe({ length: () => length });
  return queue;
}

const noOptions: AddOptions = {};

function newLane(priority: number): Lane {
  return { priority, entries: [], places: [], head: 0 };
}

function clear(lane: Lane): void {
  lane.entries.length = 0;
  lane.places.length = 0;
  lane.head = 0;
}

function compact(lane: Lane): void {
  lane.entries = lane.entries.slice(lane.head);
  lane.places = lane.places.slice(lane.head);
  lane.head = 0;
}
