// Follows the store with one watch over everything and feeds the cache of each resource, in revision order. Because all
// caches move together, "fresh enough" is one number: the hub's revision.

import { abortable, type Clock, createDeferred, type Deferred, type Logger, Scope } from '@homeostat/base';
import { type KeyValue, StorageError, type Store, type StoreEvent } from '@homeostat/storage';
import { ResourceCache, type ResourceCacheOptions } from './resource-cache.ts';

const root = '/registry/';

const backoffMinMs = 50;
const backoffMaxMs = 5_000;

/** A cache that was added while the hub ran: its snapshot is on the way, changes wait here. */
interface Loading {
  readonly events: StoreEvent[];
  readonly done: Deferred<void>;
}

export class CacheHub {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #caches = new Map<string, ResourceCache>();
  readonly #loading = new Map<string, Loading>();
  readonly #waiters: { readonly revision: number; readonly deferred: Deferred<void> }[] = [];
  readonly #ready = createDeferred<void>();
  #scope: Scope | undefined;
  #revision = 0;

  constructor(options: { readonly store: Store; readonly clock: Clock; readonly log: Logger }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#ready.promise.catch(() => {}); // who needs it awaits it; nobody may
  }

  /** Every change up to here is in the caches. */
  get revision(): number {
    return this.#revision;
  }

  /** Resolves when the first snapshot is loaded. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Adds the cache of a resource; it loads by itself when the hub already runs. Idempotent by prefix. */
  add(options: ResourceCacheOptions): ResourceCache {
    const known = this.#caches.get(options.prefix);
    if (known !== undefined) return known;
    const cache = new ResourceCache(options);
    this.#caches.set(options.prefix, cache);
    if (this.#scope !== undefined) {
      const loading: Loading = { events: [], done: createDeferred<void>() };
      loading.done.promise.catch(() => {}); // readers await it; there may be none
      this.#loading.set(options.prefix, loading);
      this.#scope.spawn(`load ${options.prefix}`, (signal) => this.#loadLate(cache, loading, signal));
    }
    return cache;
  }

  /** What readers of a cache wait for before anything else; undefined for one that is loaded. */
  loading(prefix: string): Promise<void> | undefined {
    return this.#loading.size === 0 ? undefined : this.#loading.get(prefix)?.done.promise;
  }

  remove(prefix: string): void {
    const cache = this.#caches.get(prefix);
    cache?.closeWatchers();
    cache?.forget();
    this.#caches.delete(prefix);
    this.#loading.get(prefix)?.done.resolve();
    this.#loading.delete(prefix);
  }

  /**
   * Waits until the caches have every change up to `revision`.
   * Returns false when `timeoutMs` passes first. @throws the signal's reason
   */
  async waitFor(
    revision: number,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<boolean> {
    if (this.#revision >= revision) return true;
    const deferred = createDeferred<void>();
    const waiter = { revision, deferred };
    this.#waiters.push(waiter);
    this.#store.requestProgress();
    let expired = false;
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : this.#clock.setTimer(options.timeoutMs, () => {
            expired = true;
            deferred.resolve();
          });
    try {
      await abortable(deferred.promise, options.signal);
      return !expired;
    } finally {
      timer?.cancel();
      const index = this.#waiters.indexOf(waiter);
      if (index >= 0) this.#waiters.splice(index, 1);
    }
  }

  /** Follows the store until the signal aborts; reloads everything when the store's history was lost. */
  async run(options: { readonly signal: AbortSignal }): Promise<void> {
    const { signal } = options;
    let backoffMs = backoffMinMs;
    await using scope = new Scope({ signal });
    this.#scope = scope;
    while (!signal.aborted) {
      try {
        await this.#load();
        backoffMs = backoffMinMs;
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof StorageError && error.code === 'closed') break;
        this.#log.warn('watch of the store broke off; the caches load again', { error });
        await this.#clock.sleep(backoffMs, signal).catch(() => {}); // the loop looks at the signal
        backoffMs = Math.min(backoffMs * 2, backoffMaxMs);
      }
    }
    this.#scope = undefined;
    for (const cache of this.#caches.values()) cache.closeWatchers();
    for (const waiter of this.#waiters.splice(0)) waiter.deferred.reject(signal.reason);
    for (const loading of this.#loading.values()) loading.done.reject(signal.reason);
    this.#ready.reject(signal.reason);
  }

  /** Loads one cache while the others go on; tries until it succeeds or is no longer wanted. */
  async #loadLate(cache: ResourceCache, loading: Loading, signal: AbortSignal): Promise<void> {
    const wanted = (): boolean => this.#loading.get(cache.prefix) === loading && !signal.aborted;
    for (let backoffMs = backoffMinMs; wanted(); backoffMs = Math.min(backoffMs * 2, backoffMaxMs)) {
      try {
        const { items, revision } = await this.#store.range({ prefix: cache.prefix });
        if (!wanted()) return;
        cache.replace(items, revision);
        this.#loading.delete(cache.prefix);
        for (const event of loading.events) cache.apply(event);
        loading.done.resolve();
      } catch (error) {
        if (!wanted() || (error instanceof StorageError && error.code === 'closed')) return;
        this.#log.warn('a cache could not be loaded', { prefix: cache.prefix, error });
        await this.#clock.sleep(backoffMs, signal);
      }
    }
  }

  async #load(): Promise<void> {
    const { items, revision } = await this.#store.range({ prefix: root });
    const byPrefix = new Map<string, KeyValue[]>();
    for (const item of items) {
      const cache = this.#find(item.key);
      if (cache === undefined) continue;
      const list = byPrefix.get(cache.prefix);
      if (list === undefined) byPrefix.set(cache.prefix, [item]);
      else list.push(item);
    }
    for (const cache of this.#caches.values()) cache.replace(byPrefix.get(cache.prefix) ?? [], revision);
    for (const loading of this.#loading.values()) loading.done.resolve();
    this.#loading.clear();
    this.#advance(revision);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const watch = this.#store.watch({ prefix: root, fromRevision: this.#revision + 1, signal, bufferMax: 1_000_000 });
    this.#ready.resolve();
    for await (const batch of watch) {
      if (batch.type === 'events') for (const event of batch.events) this.#apply(event);
      this.#advance(batch.revision);
    }
  }

  #apply(event: StoreEvent): void {
    const cache = this.#find(event.key);
    if (cache === undefined) return;
    const loading = this.#loading.get(cache.prefix);
    if (loading === undefined) cache.apply(event);
    else loading.events.push(event);
  }

  #advance(revision: number): void {
    if (revision > this.#revision) this.#revision = revision;
    for (let index = this.#waiters.length - 1; index >= 0; index--) {
      const waiter = this.#waiters[index];
      if (waiter !== undefined && waiter.revision <= this.#revision) waiter.deferred.resolve();
    }
  }

  /** The cache a key belongs to: prefixes have one or two segments (`pods`, `services/specs`, `<group>/<plural>`). */
  #find(key: string): ResourceCache | undefined {
    const first = key.indexOf('/', root.length);
    if (first < 0) return undefined;
    const one = this.#caches.get(key.slice(0, first + 1));
    if (one !== undefined) return one;
    const second = key.indexOf('/', first + 1);
    return second < 0 ? undefined : this.#caches.get(key.slice(0, second + 1));
  }
}
