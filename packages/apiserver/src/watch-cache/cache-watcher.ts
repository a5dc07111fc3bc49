// One watch on one resource: a scope, a predicate and a bounded queue that the cache fills and the endpoint drains.
// A watcher whose queue is full is ended (design law 10); its client comes back and relists.

import type { CacheEvent, WatchItem } from './cache-event.ts';
import type { ObjectVersion } from './object-version.ts';

/** What narrows a list or a watch. */
export interface Predicate {
  /** Only this namespace; empty: all. */
  readonly namespace: string;
  /** Only this name, when a field selector says so or the path does; empty: all. */
  readonly name: string;
  /** Label and field selectors; absent: everything in scope. */
  matches?(version: ObjectVersion): boolean;
  /** A field the cache indexes, and the value this predicate requires of it. */
  readonly indexed?: { readonly field: string; readonly value: string };
}

export interface CacheWatcherOptions {
  readonly predicate: Predicate;
  readonly queueLengthMax: number;
  /** Called when the watcher is over, once. */
  onClose(watcher: CacheWatcher): void;
}

export class CacheWatcher {
  readonly predicate: Predicate;
  readonly #queueLengthMax: number;
  readonly #onClose: (watcher: CacheWatcher) => void;
  #queue: WatchItem[] = [];
  #wake: (() => void) | undefined;
  #closed: 'open' | 'slow' | 'done' = 'open';
  /** Revision up to which this watcher has seen everything. */
  revision = 0;

  constructor(options: CacheWatcherOptions) {
    this.predicate = options.predicate;
    this.#queueLengthMax = options.queueLengthMax;
    this.#onClose = options.onClose;
  }

  get closed(): boolean {
    return this.#closed !== 'open';
  }

  /** Offers an event; what the watcher sees of it depends on whether it matched before and after (spec §6.5). */
  offer(event: CacheEvent): void {
    if (this.#closed !== 'open') return;
    const item = this.seen(event);
    if (item === undefined) return;
    if (this.#queue.length >= this.#queueLengthMax) {
      this.#queue = [];
      this.#closed = 'slow';
      this.close();
      return;
    }
    this.#queue.push(item);
    this.#notify();
  }

  seen(event: CacheEvent): WatchItem | undefined {
    const now = event.current !== undefined && inScope(this.predicate, event.current);
    const before = event.previous !== undefined && inScope(this.predicate, event.previous);
    if (now)
      return {
        type: before ? 'MODIFIED' : 'ADDED',
        version: event.current as ObjectVersion,
        revision: event.revision,
        event,
      };
    if (before) return { type: 'DELETED', version: event.last, revision: event.revision, event };
    return undefined;
  }

  /** Queues what happened between the start and now; the bound is for what comes after. */
  seed(items: readonly WatchItem[]): void {
    this.#queue = [...items];
  }

  /** Takes everything that is queued; resolves empty when the watcher was woken or closed without events. */
  take(): readonly WatchItem[] {
    const items = this.#queue;
    if (items.length > 0) this.#queue = [];
    return items;
  }

  get pending(): number {
    return this.#queue.length;
  }

  /** Resolves when there is something to take, or the watcher is closed, or `poke` was called. */
  wait(): Promise<void> {
    if (this.#queue.length > 0 || this.#closed !== 'open') return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  poke(): void {
    this.#notify();
  }

  close(): void {
    if (this.#closed === 'open') this.#closed = 'done';
    this.#onClose(this);
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

export function inScope(predicate: Predicate, version: ObjectVersion): boolean {
  if (predicate.namespace !== '' && predicate.namespace !== version.namespace) return false;
  if (predicate.name !== '' && predicate.name !== version.name) return false;
  return predicate.matches === undefined || predicate.matches(version);
}
