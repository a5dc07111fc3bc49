// Writes events, those of one name one after the other (spec/infrastructure.md §3.4). Events are best effort: what the server refuses is dropped, a
// server that can't be reached is tried again, and a full queue drops what comes.

import { createDeferred, type Deferred, type Env, Scope } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { apiErrorOf, isAlreadyExists, isNamespaceTerminating } from '@homeostat/client';

/** A write; it may be tried several times. */
export type EventWrite<T extends KubeObject> = {
  readonly event: T;
  readonly send: (event: T, signal: AbortSignal) => Promise<void>;
};

interface Lane<T extends KubeObject> {
  readonly queue: EventWrite<T>[];
  filled: Deferred<void> | undefined;
}

const queueMax = 1_000;
const triesMax = 12;
const pauseMs = 10_000;
/** After the stop, what is queued gets this long to be written. */
const drainMs = 1_000;

export interface EventSinkOptions {
  /** Writes at once; default 1. Those of one event are never at once, and keep their order. */
  readonly workers?: number;
}

/** A bounded queue of event writes. */
export class EventSink<T extends KubeObject> {
  readonly #env: Env;
  readonly #lanes: readonly Lane<T>[];
  #dropped = 0;
  /** The queue has been full since it was last empty: said once, not for every event. */
  #overflowing = false;

  constructor(env: Env, { workers = 1 }: EventSinkOptions = {}) {
    this.#env = env;
    this.#lanes = Array.from({ length: workers }, () => ({ queue: [], filled: undefined }));
  }

  get length(): number {
    return this.#lanes.reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** Queues a write; dropped when the queue is full. */
  push(write: EventWrite<T>): void {
    const { length } = this;
    if (length >= queueMax) {
      this.#dropped++;
      if (!this.#overflowing) {
        this.#overflowing = true;
        this.#env.log.error('events are dropped: the queue is full', {
          event: write.event.metadata?.name,
          dropped: this.#dropped,
        });
      }
      return;
    }
    if (length === 0) this.#overflowing = false;
    const lane = this.#laneOf(write.event.metadata?.name ?? '');
    lane.queue.push(write);
    lane.filled?.resolve();
    lane.filled = undefined;
  }

  /** Writes until `signal` aborts; then what is queued is tried once more, for a second at most. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const scope = new Scope();
    for (const lane of this.#lanes) scope.spawn('event writer', () => this.#work(lane, signal));
    await scope.join();
    await this.#drain();
  }

  async #work(lane: Lane<T>, signal: AbortSignal): Promise<void> {
    const wake = (): void => lane.filled?.resolve();
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      const write = lane.queue.shift();
      if (write !== undefined) {
        await this.#write(write, lane, signal);
        continue;
      }
      lane.filled ??= createDeferred<void>();
      await lane.filled.promise;
    }
    signal.removeEventListener('abort', wake);
  }

  async #drain(): Promise<void> {
    if (this.length === 0) return;
    const limit = new AbortController();
    const timer = this.#env.clock.setTimer(drainMs, () => limit.abort(new Error('no time is left to write events')));
    try {
      for (const { queue } of this.#lanes) {
        for (let write = queue.shift(); write !== undefined && !limit.signal.aborted; write = queue.shift()) {
          await this.#tryOnce(write, limit.signal);
        }
      }
    } finally {
      timer.cancel();
    }
  }

  #laneOf(name: string): Lane<T> {
    let hash = 0x811c9dc5; // FNV-1a
    for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
    const lane = this.#lanes[((hash ^ (hash >>> 16)) >>> 0) % this.#lanes.length];
    if (lane === undefined) throw new RangeError('an event sink needs a worker');
    return lane;
  }

  async #write(write: EventWrite<T>, lane: Lane<T>, signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries++) {
      if (await this.#tryOnce(write, signal)) return;
      if (tries >= triesMax) {
        this.#env.log.error('an event was given up', { event: write.event.metadata?.name, tries });
        return;
      }
      // Many recorders find a returning server at different times.
      const delayMs = tries === 1 ? pauseMs * this.#env.random.float() : pauseMs;
      await this.#env.clock.sleep(delayMs, signal).catch(() => undefined);
      if (signal.aborted) {
        lane.queue.unshift(write);
        return;
      }
    }
  }

  /** True when done with it, for better or worse. */
  async #tryOnce({ event, send }: EventWrite<T>, signal: AbortSignal): Promise<boolean> {
    try {
      await send(event, signal);
      return true;
    } catch (error) {
      const fields = { event: event.metadata?.name, error };
      if (apiErrorOf(error) !== undefined) {
        if (isAlreadyExists(error) || isNamespaceTerminating(error))
          this.#env.log.debug('the server refused an event', fields);
        else this.#env.log.error('the server refused an event', fields);
        return true;
      }
      if (error instanceof TypeError) {
        this.#env.log.error('an event could not be sent', fields);
        return true;
      }
      // Cut short by a stop, it is written while draining or given up with the rest: nothing is wrong.
      if (signal.aborted) this.#env.log.debug('an event was cut short', fields);
      else this.#env.log.warn('an event could not be written and may be tried again', fields);
      return false;
    }
  }
}
