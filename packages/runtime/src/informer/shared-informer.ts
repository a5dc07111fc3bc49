// Joins stages 1 to 3 of the loop: reflector → FIFO → store, and tells handlers of changes. One per resource and process.
// What an event means for the store is `cache-writer.ts`; what handlers do with a change is theirs.

import { abortable, createDeferred, type Env, Pacer, Scope } from '@homeostat/base';
import type { KubeList, KubeObject } from '@homeostat/machinery';
import { type ResourceType, resourceId } from '@homeostat/client';
import { type Delta, DeltaFifo } from '../delta-fifo/delta-fifo.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { IndexDefinition, Lister } from '../store/lister.ts';
import { createStore, type Store } from '../store/store.ts';
import { CacheWriter } from './cache-writer.ts';
import { CachedLists, type CachedListOptions } from './cached-lists.ts';
import type { ChangeHandler } from './change.ts';
import { HandlerSet } from './handler-set.ts';
import type {
  HandlerOptions,
  Informer,
  InformerFailure,
  InformerState,
  ProgressHandler,
  Registration,
} from './informer.ts';
import { InformerHealth } from './informer-health.ts';
import type { InformerSource } from './informer-source.ts';
import { runRepairs } from './repair.ts';

export interface SharedInformerOptions<T extends KubeObject = KubeObject> {
  readonly resource: ResourceType<T>;
  readonly env: Env;
  readonly source: InformerSource<T>;
  /** Resync of handlers that ask for none of their own, milliseconds; 0 (default) never. */
  readonly resyncPeriodMs?: number;
  /**
   * Every so often the cache is compared with a consistent list and mended: the bound within which a lost watch event is found.
   * Milliseconds; default 10 minutes; 0 never. Costs one metadata list.
   */
  readonly repairPeriodMs?: number;
  /** Applied once to every object before it is cached; must give a new object and be idempotent. */
  readonly transform?: (object: T) => T;
  /** Deep-freezes cached objects: for tests and development. */
  readonly freeze?: boolean;
  /** Lists by streaming when the server can; default true. */
  readonly streaming?: boolean;
  /** How long a watch that fails with 500 InternalError is opened again before a new list, milliseconds; default 0. */
  readonly internalErrorRetryMs?: number;
}

const defaultRepairPeriodMs = 600_000;

/**
 * A shared cache of one resource.
 *
 * Guarantees: (1) handlers hear changes of one object in order, and what they hear leads from nothing to the cache's state;
 * (2) an object that was recreated is told as deleted and added; (3) the cache never goes back in time; (4) a lost event is found
 * within one repair period; (5) the store holds a change before any handler hears of it.
 */
export class SharedInformer<T extends KubeObject = KubeObject> implements Informer<T> {
  readonly resource: ResourceType<T>;
  readonly namespaces = undefined;
  readonly #options: SharedInformerOptions<T>;
  readonly #env: Env;
  readonly #store: Store<T>;
  readonly #lists: CachedLists<T>;
  readonly #cache: CacheWriter<T>;
  readonly #fifo = new DeltaFifo<T>();
  readonly #reflector: Reflector<T>;
  readonly #pacer: Pacer;
  readonly #handlers: HandlerSet<T>;
  readonly #progress = new Set<ProgressHandler>();
  readonly #whenSynced = createDeferred<void>();
  readonly #name: string;
  readonly #health: InformerHealth;
  #synced = false;

  constructor(options: SharedInformerOptions<T>) {
    this.#options = options;
    this.resource = options.resource;
    this.#env = options.env;
    this.#name = resourceId(options.resource);
    this.#health = new InformerHealth(options.env);
    this.#store = createStore<T>({ namespaced: options.resource.namespaced });
    this.#lists = new CachedLists<T>({
      resource: options.resource,
      clock: options.env.clock,
      random: options.env.random,
      lister: this.#store.reader,
      resourceVersion: () => this.#cache.resourceVersion,
      synced: () => this.#synced,
    });
    this.#pacer = new Pacer(options.env.clock);
    this.#handlers = new HandlerSet<T>({
      name: this.#name,
      env: options.env,
      onResyncDue: () => this.#inOrder(() => this.#handlers.resync(this.#store.reader.values(), this.#pacer)),
    });
    this.#cache = new CacheWriter<T>({
      name: this.#name,
      env: options.env,
      reader: this.#store.reader,
      writer: this.#store.writer,
      pacer: this.#pacer,
      tell: (change) => this.#handlers.tell(change),
      onProgress: (resourceVersion, key) => {
        for (const handler of this.#progress) handler(resourceVersion, key);
      },
      transform: options.transform,
      freeze: options.freeze,
    });
    this.#reflector = new Reflector<T>({
      name: this.#name,
      env: options.env,
      listWatcher: options.source,
      ...(options.streaming === undefined ? {} : { streaming: options.streaming }),
      ...(options.internalErrorRetryMs === undefined ? {} : { internalErrorRetryMs: options.internalErrorRetryMs }),
      ...(options.resource.as === undefined ? { kind: options.resource.kind } : {}),
      sink: {
        replace: (objects, resourceVersion) => this.#fifo.push({ type: 'replaced', objects, resourceVersion }),
        upsert: (object) => this.#fifo.push({ type: 'upserted', object }),
        delete: (object) => this.#fifo.push({ type: 'deleted', object }),
        progress: (resourceVersion) => this.#fifo.push({ type: 'bookmark', resourceVersion }),
        room: () => this.#fifo.room(),
      },
      onError: (error) => this.#health.failed(error),
      onRecovered: () => this.#health.recovered(),
      onMissing: (missing) =>
        this.#health.moveTo(missing ? 'waiting-for-resource' : this.#synced ? 'synced' : 'syncing'),
    });
  }

  /** The reader half of the cache. */
  get lister(): Lister<T> {
    return this.#store.reader;
  }

  get queuedItems(): number {
    return this.#fifo.length;
  }

  get openWatches(): number {
    return this.#reflector.watching ? 1 : 0;
  }

  /** The version the cache has reached; empty before the first list. */
  get resourceVersion(): string {
    return this.#cache.resourceVersion;
  }

  knows(_namespace: string | undefined): boolean {
    return true;
  }

  versionFor(_namespace: string | undefined): string {
    return this.#cache.resourceVersion;
  }

  list(options?: CachedListOptions): KubeList<T> {
    return this.#lists.list(options);
  }

  /** Whether the first list is in the cache and told to the handlers. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  get state(): InformerState {
    return this.#health.state;
  }

  get lastError(): InformerFailure | undefined {
    return this.#health.lastError;
  }

  /** Adds indexes, before or after the start. @throws Error when a name is taken by another function. */
  addIndexes(indexes: readonly IndexDefinition<T>[]): void {
    this.#store.writer.addIndexes(indexes);
  }

  /** Adds a handler at any time; it hears of what is cached as additions first. @throws Error after the stop. */
  addHandler(handle: ChangeHandler<T>, options: HandlerOptions = {}): Registration {
    if (this.state === 'stopped') throw new Error(`handler was not added: the informer of ${this.#name} has stopped`);
    const resyncPeriodMs = options.resyncPeriodMs ?? this.#options.resyncPeriodMs ?? 0;
    const handler = this.#handlers.add(handle, { resyncPeriodMs, attached: this.state === 'new' });
    if (this.state !== 'new') {
      this.#inOrder(() => {
        const present = { synced: this.#synced, pacer: this.#pacer };
        return this.#handlers.attach(handler, this.#store.reader.values(), present);
      });
    }
    return {
      hasSynced: () => handler.synced,
      waitForSync: (signal) => abortable(handler.whenSynced.promise, signal),
      remove: () => this.#handlers.remove(handler),
    };
  }

  /** Hears of progress until the returned function is called. */
  onProgress(handler: ProgressHandler): () => void {
    this.#progress.add(handler);
    return () => void this.#progress.delete(handler);
  }

  onState(handler: (state: InformerState) => void): () => void {
    return this.#health.onState(handler);
  }

  onError(handler: (failure: InformerFailure) => void): () => void {
    return this.#health.onError(handler);
  }

  lookAgain(): void {
    this.#reflector.lookAgain();
  }

  /** Resolves when {@link hasSynced}. @throws the signal's reason. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    await abortable(this.#whenSynced.promise, signal);
  }

  /** Fills and follows the cache until `signal` aborts. @throws Error when run twice. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.state !== 'new') throw new Error(`the informer of ${this.#name} was run twice`);
    this.#health.moveTo('syncing');
    this.#handlers.start();
    const scope = new Scope({ signal });
    try {
      scope.spawn('reflector', (inner) => this.#reflector.run({ signal: inner }));
      scope.spawn('pump', (inner) => this.#pump(inner));
      const periodMs = this.#options.repairPeriodMs ?? defaultRepairPeriodMs;
      if (periodMs > 0) scope.spawn('repair', (inner) => this.#repair(periodMs, inner));
      await scope.join();
    } finally {
      this.#health.moveTo('stopped');
      await this.#handlers.stop();
    }
  }

  async #pump(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#inOrder(() => {});
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      const delta = this.#fifo.shift();
      if (delta === undefined) {
        await this.#fifo.filled();
        this.#pacer.restart();
        continue;
      }
      const slow = this.#process(delta);
      if (slow !== undefined) await slow;
      if (this.#pacer.due()) await this.#pacer.yield();
    }
  }

  #process(delta: Delta<T>): Promise<void> | void {
    switch (delta.type) {
      case 'upserted':
        return this.#cache.upsert(delta.object);
      case 'deleted':
        return this.#cache.delete(delta.object);
      case 'bookmark':
        return this.#cache.reached(delta.resourceVersion, undefined);
      case 'replaced':
        return this.#replace(delta.objects, delta.resourceVersion);
      case 'task':
        return delta.run();
    }
  }

  async #replace(objects: readonly T[], resourceVersion: string): Promise<void> {
    await this.#cache.replace(objects, resourceVersion, !this.#synced);
    if (!this.#synced) this.#markSynced();
    for (const handler of this.#progress) handler(resourceVersion, undefined);
  }

  #markSynced(): void {
    this.#synced = true;
    this.#handlers.markSynced();
    this.#health.moveTo('synced');
    this.#whenSynced.resolve();
    this.#env.log.debug('cache is synced', { informer: this.#name, objects: this.#store.reader.size });
  }

  /** Runs work when everything queued before it has been processed. */
  #inOrder(run: () => Promise<void> | void): void {
    this.#fifo.push({ type: 'task', run });
  }

  #repair(periodMs: number, signal: AbortSignal): Promise<void> {
    return runRepairs<T>({
      name: this.#name,
      env: this.#env,
      periodMs,
      source: this.#options.source,
      signal,
      cache: {
        lister: this.#store.reader,
        keys: () => this.#store.reader.keys(),
        synced: () => this.#synced,
        resourceVersion: () => this.#cache.newestVersion,
        aheadAt: (resourceVersion) => {
          this.#cache.aheadAt(resourceVersion);
          this.#reflector.raiseFloor(resourceVersion);
        },
        startTouching: () => this.#cache.startTouching(),
        stopTouching: () => this.#cache.stopTouching(),
        inOrder: (run) => {
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          const task = async (): Promise<void> => run().then(resolve, reject);
          this.#inOrder(task);
          return abortable(promise, signal);
        },
        upsert: (object) => this.#cache.upsertRepaired(object),
        delete: (object, resourceVersion) => this.#cache.deleteRepaired(object, resourceVersion),
      },
    });
  }
}
