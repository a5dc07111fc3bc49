// One open watch: first the changes between its start and its opening, then what the hub pushes.
// Bounded: a reader that falls behind is ended with `slow-watcher`, and what it had not read is dropped.

import { invariant } from '@homeostat/base';
import { StorageError, type StoreEvent, type WatchBatch } from '../store.ts';
import type { Change } from './change.ts';

export interface WatchStreamOptions {
  readonly prefix: string;
  /** First revision to deliver. */
  readonly fromRevision: number;
  /** Changes at or after `fromRevision` that happened before the watch was opened. */
  readonly backlog: readonly Change[];
  readonly bufferMax: number;
  /** Called once, when the watch ends in whatever way. */
  readonly onEnd: () => void;
}

type State =
  /** Delivers. Left by `fail` and `end`. */
  | { readonly type: 'open' }
  /** The next `next` throws; then it is done. */
  | { readonly type: 'failed'; readonly error: StorageError }
  | { readonly type: 'done' };

export class WatchStream implements AsyncIterableIterator<WatchBatch> {
  readonly prefix: string;
  readonly #fromRevision: number;
  readonly #bufferMax: number;
  readonly #onEnd: () => void;
  #state: State = { type: 'open' };
  #backlog: readonly Change[];
  #backlogIndex = 0;
  #queue: WatchBatch[] = [];
  #queueHead = 0;
  #queuedEvents = 0;
  #waiting: PromiseWithResolvers<IteratorResult<WatchBatch>> | undefined;

  constructor(options: WatchStreamOptions) {
    this.prefix = options.prefix;
    this.#fromRevision = options.fromRevision;
    this.#bufferMax = options.bufferMax;
    this.#onEnd = options.onEnd;
    this.#backlog = options.backlog;
  }

  /** Takes the events of one revision, all of which match the prefix. */
  push(revision: number, events: readonly StoreEvent[]): void {
    if (this.#state.type !== 'open' || revision < this.#fromRevision) return;
    const batch: WatchBatch = { type: 'events', revision, events };
    if (this.#hand(batch)) return;
    this.#queuedEvents += events.length;
    if (this.#queuedEvents > this.#bufferMax) {
      this.fail(new StorageError('slow-watcher', `watch of ${this.prefix} fell ${this.#queuedEvents} events behind`));
      return;
    }
    this.#queue.push(batch);
  }

  /** Says that everything up to `revision` has been pushed. */
  pushProgress(revision: number): void {
    if (this.#state.type !== 'open') return;
    const batch: WatchBatch = { type: 'progress', revision };
    if (this.#hand(batch)) return;
    // A second sign says all that the first one would have said.
    if (this.#queue.at(-1)?.type === 'progress') this.#queue.pop();
    this.#queue.push(batch);
  }

  /** Ends the watch with an error; what was not read is dropped. */
  fail(error: StorageError): void {
    this.#close({ type: 'failed', error });
  }

  /** Ends the watch in the ordinary way; what was not read is dropped. */
  end(): void {
    this.#close({ type: 'done' });
  }

  next(): Promise<IteratorResult<WatchBatch>> {
    invariant(this.#waiting === undefined, 'a watch has one reader, which waits for one batch at a time');
    const batch = this.#nextFromBacklog() ?? this.#nextFromQueue();
    if (batch !== undefined) return Promise.resolve({ done: false, value: batch });
    if (this.#state.type === 'failed') {
      const { error } = this.#state;
      this.#state = { type: 'done' };
      return Promise.reject(error);
    }
    if (this.#state.type === 'done') return Promise.resolve({ done: true, value: undefined });
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<WatchBatch>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #hand(batch: WatchBatch): boolean {
    const waiting = this.#waiting;
    if (waiting === undefined) return false;
    this.#waiting = undefined;
    waiting.resolve({ done: false, value: batch });
    return true;
  }

  #nextFromBacklog(): WatchBatch | undefined {
    while (this.#backlogIndex < this.#backlog.length) {
      const change = this.#backlog[this.#backlogIndex++];
      const events = change?.events.filter((event) => event.key.startsWith(this.prefix)) ?? [];
      if (change !== undefined && events.length > 0) return { type: 'events', revision: change.revision, events };
    }
    this.#backlog = [];
    this.#backlogIndex = 0;
    return undefined;
  }

  #nextFromQueue(): WatchBatch | undefined {
    const batch = this.#queue[this.#queueHead];
    if (batch === undefined) return undefined;
    this.#queueHead++;
    if (batch.type === 'events') this.#queuedEvents -= batch.events.length;
    if (this.#queueHead === this.#queue.length) {
      this.#queue = [];
      this.#queueHead = 0;
    } else if (this.#queueHead >= 1024) {
      this.#queue = this.#queue.slice(this.#queueHead);
      this.#queueHead = 0;
    }
    return batch;
  }

  #close(state: State): void {
    if (this.#state.type !== 'open') return;
    this.#state = state;
    this.#backlog = [];
    this.#queue = [];
    this.#queueHead = 0;
    this.#backlogIndex = 0;
    this.#onEnd();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    if (state.type === 'failed') {
      this.#state = { type: 'done' };
      waiting.reject(state.error);
    } else {
      waiting.resolve({ done: true, value: undefined });
    }
  }
}
