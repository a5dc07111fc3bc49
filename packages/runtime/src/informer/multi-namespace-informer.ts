// One informer face over one shared informer per namespace, for those who may not, or need not, see all of them. The set of namespaces
// may change while it runs.

import { abortable, aborted, createDeferred, type Deferred, type Env, Scope } from '@homeostat/base';
import type { KubeList, KubeObject } from '@homeostat/machinery';
import { compareResourceVersions, resourceId, type ResourceType } from '@homeostat/client';
import type { IndexDefinition, Lister } from '../store/lister.ts';
import { CachedLists, type CachedListOptions } from './cached-lists.ts';
import type { ChangeHandler } from './change.ts';
import type {
  HandlerOptions,
  Informer,
  InformerFailure,
  InformerState,
  ProgressHandler,
  Registration,
} from './informer.ts';
import { InformerHealth } from './informer-health.ts';
import { Listener } from './listener.ts';
import { createMultiNamespaceLister } from './multi-namespace-lister.ts';
import type { NamespaceSet } from './namespace-set.ts';

export interface MultiNamespaceInformerOptions<T extends KubeObject = KubeObject> {
  readonly resource: ResourceType<T>;
  readonly env: Env;
  readonly namespaces: NamespaceSet;
  /** Makes the informer of one namespace; it is run here. */
  readonly createInformer: (namespace: string) => Informer<T>;
}

interface Child<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly stop: AbortController;
  ended: Promise<void>;
}

interface Handler<T extends KubeObject> {
  readonly listener: Listener<T>;
  readonly options: HandlerOptions;
  /** By namespace: its place in that namespace's informer, and whether anything came from there. */
  readonly sources: Map<string, { readonly registration: Registration; heard: boolean }>;
  synced: boolean;
  readonly whenSynced: Deferred<void>;
}

/**
 * An informer of several namespaces.
 *
 * Guarantees, beside those of each shared informer: (1) a handler is called for one object after the other, whatever the namespace;
 * (2) a namespace can be read once all of it is cached, and not before; (3) when a namespace leaves the set, its objects are told as
 * deleted with `outOfScope`, and reading it is an error from before that moment.
 */
export class MultiNamespaceInformer<T extends KubeObject = KubeObject> implements Informer<T> {
  readonly resource: ResourceType<T>;
  readonly lister: Lister<T>;
  readonly #options: MultiNamespaceInformerOptions<T>;
  readonly #env: Env;
  readonly #health: InformerHealth;
  readonly #children = new Map<string, Child<T>>();
  readonly #handlers = new Set<Handler<T>>();
  readonly #progress = new Set<ProgressHandler>();
  readonly #whenSynced = createDeferred<void>();
  readonly #lists: CachedLists<T>;
  readonly #indexes: IndexDefinition<T>[] = [];
  #scope: Scope | undefined;
  /** Changes of the set, one after the other. */
  #changing: Promise<void> = Promise.resolve();
  #synced = false;

  /** @throws TypeError for a resource without namespaces. */
  constructor(options: MultiNamespaceInformerOptions<T>) {
    if (!options.resource.namespaced) throw new TypeError(`${resourceId(options.resource)} has no namespaces`);
    this.resource = options.resource;
    this.#options = options;
    this.#env = options.env;
    this.#health = new InformerHealth(options.env);
    this.lister = createMultiNamespaceLister<T>({
      of: (namespace) => this.#readableCache(namespace),
      all: () =>
        Array.from(this.namespaces, (namespace) => this.#readableCache(namespace)).filter(
          (lister) => lister !== undefined,
        ),
    });
    this.#lists = new CachedLists({
      resource: options.resource,
      clock: options.env.clock,
      random: options.env.random,
      lister: this.lister,
      resourceVersion: () => this.resourceVersion,
      synced: () => this.#synced,
    });
    for (const namespace of options.namespaces.current) this.#add(namespace);
  }

  get queuedItems(): number {
    let queued = 0;
    for (const { informer } of this.#children.values()) queued += informer.queuedItems;
    return queued;
  }

  get openWatches(): number {
    let open = 0;
    for (const { informer } of this.#children.values()) open += informer.openWatches;
    return open;
  }

  /** The oldest of the versions that the namespaces' caches have reached; empty while one has none. */
  get resourceVersion(): string {
    let oldest: string | undefined;
    for (const { informer } of this.#children.values()) {
      const version = informer.resourceVersion;
      if (oldest === undefined || version === '' || (compareResourceVersions(version, oldest) ?? 0) < 0)
        oldest = version;
    }
    return oldest ?? '';
  }

  get namespaces(): ReadonlySet<string> {
    return new Set([...this.#children.keys()].filter((namespace) => this.#readableCache(namespace) !== undefined));
  }

  knows(namespace: string | undefined): boolean {
    return this.#readableCache(namespace ?? '') !== undefined;
  }

  versionFor(namespace: string | undefined): string {
    return namespace === undefined
      ? this.resourceVersion
      : (this.#children.get(namespace)?.informer.resourceVersion ?? '');
  }

  get hasSynced(): boolean {
    return this.#synced;
  }

  get state(): InformerState {
    return this.#health.state;
  }

  get lastError(): InformerFailure | undefined {
    let last: InformerFailure | undefined;
    for (const { informer } of this.#children.values()) {
      const failure = informer.lastError;
      if (failure !== undefined && (last === undefined || failure.atMs > last.atMs)) last = failure;
    }
    return last;
  }

  list(options?: CachedListOptions): KubeList<T> {
    return this.#lists.list(options);
  }

  addIndexes(indexes: readonly IndexDefinition<T>[]): void {
    for (const { informer } of this.#children.values()) informer.addIndexes(indexes);
    this.#indexes.push(...indexes);
  }

  addHandler(handle: ChangeHandler<T>, options: HandlerOptions = {}): Registration {
    const name = resourceId(this.resource);
    if (this.state === 'stopped') throw new Error(`handler was not added: the informer of ${name} has stopped`);
    const handler: Handler<T> = {
      listener: new Listener({ name, env: this.#env, handler: handle }),
      options,
      sources: new Map(),
      synced: false,
      whenSynced: createDeferred<void>(),
    };
    this.#handlers.add(handler);
    for (const [namespace, { informer }] of this.#children) this.#listen(handler, namespace, informer);
    this.#checkSynced(handler);
    return {
      hasSynced: () => handler.synced,
      waitForSync: (signal) => abortable(handler.whenSynced.promise, signal),
      remove: async () => {
        this.#handlers.delete(handler);
        for (const { registration } of handler.sources.values()) await registration.remove();
        await handler.listener.remove();
      },
    };
  }

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
    for (const { informer } of this.#children.values()) informer.lookAgain();
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await abortable(this.#whenSynced.promise, signal);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.state !== 'new') throw new Error(`the informer of ${resourceId(this.resource)} was run twice`);
    this.#health.moveTo('syncing');
    const scope = new Scope({ signal });
    this.#scope = scope;
    const stopFollowing = this.#options.namespaces.onChange(() => this.#follow());
    try {
      scope.spawn('until stopped', (inner) => aborted(inner));
      for (const [namespace, child] of this.#children) this.#start(namespace, child);
      this.#follow();
      await scope.join();
    } finally {
      stopFollowing();
      this.#health.moveTo('stopped');
      await this.#changing;
      await Promise.all(Array.from(this.#handlers, ({ listener }) => listener.remove()));
    }
  }

  /** The cache of a namespace, once it holds all of it: a cache is filled at once. */
  #readableCache(namespace: string): Lister<T> | undefined {
    const child = this.#children.get(namespace);
    if (child === undefined || child.stop.signal.aborted) return undefined;
    const { hasSynced, lister } = child.informer;
    return hasSynced || lister.size > 0 ? lister : undefined;
  }

  /** Brings the informers in line with the set. */
  #follow(): void {
    this.#changing = this.#changing.then(async () => {
      if (this.#scope?.signal.aborted === true) return;
      const { current } = this.#options.namespaces;
      for (const namespace of [...this.#children.keys()]) if (!current.has(namespace)) await this.#drop(namespace);
      for (const namespace of current) {
        if (this.#children.has(namespace)) continue;
        const child = this.#add(namespace);
        this.#start(namespace, child);
      }
      this.#review();
    });
  }

  #add(namespace: string): Child<T> {
    const informer = this.#options.createInformer(namespace);
    const child: Child<T> = { informer, stop: new AbortController(), ended: Promise.resolve() };
    this.#children.set(namespace, child);
    informer.addIndexes(this.#indexes);
    for (const handler of this.#handlers) this.#listen(handler, namespace, informer);
    informer.onProgress((version, key) => {
      for (const handler of this.#progress) handler(version, key);
    });
    informer.onState(() => this.#review());
    informer.onError((failure) => this.#health.tell(failure));
    return child;
  }

  #start(namespace: string, child: Child<T>): void {
    const ended = createDeferred<void>();
    child.ended = ended.promise;
    this.#scope?.spawn(`informer of ${namespace}`, async (signal) => {
      try {
        await child.informer.run({ signal: AbortSignal.any([signal, child.stop.signal]) });
      } finally {
        ended.resolve();
      }
    });
  }

  async #drop(namespace: string): Promise<void> {
    const child = this.#children.get(namespace);
    if (child === undefined) return;
    child.stop.abort();
    const stopping = this.#scope?.signal ?? neverAborts;
    await Promise.race([child.ended, aborted(stopping)]);
    if (stopping.aborted) return;
    this.#children.delete(namespace);
    // The informer's last step is complete: those who heard anything of it have heard of all it holds.
    const objects = child.informer.lister.list();
    for (const handler of this.#handlers) {
      const heard = handler.sources.get(namespace)?.heard === true;
      handler.sources.delete(namespace);
      if (!heard) continue;
      for (const object of objects) {
        handler.listener.notify({ type: 'deleted', object, lastStateUnknown: true, outOfScope: true });
      }
    }
  }

  #listen(handler: Handler<T>, namespace: string, informer: Informer<T>): void {
    const registration = informer.addHandler((change) => {
      const source = handler.sources.get(namespace);
      if (source !== undefined) source.heard = true;
      handler.listener.notify(change);
    }, handler.options);
    handler.sources.set(namespace, { registration, heard: false });
    registration.waitForSync(neverAborts).then(
      () => this.#checkSynced(handler),
      () => {},
    );
  }

  #checkSynced(handler: Handler<T>): void {
    if (handler.synced || this.state === 'new') return;
    for (const { registration } of handler.sources.values()) if (!registration.hasSynced()) return;
    handler.listener.whenTold(() => {
      handler.synced = true;
      handler.whenSynced.resolve();
    });
  }

  /** Sums up the states of the namespaces. */
  #review(): void {
    if (this.state === 'new' || this.state === 'stopped') return;
    const states = Array.from(this.#children.values(), ({ informer }) => informer.state);
    const synced = states.every((state) => state === 'synced');
    if (synced && !this.#synced) {
      this.#synced = true;
      this.#whenSynced.resolve();
      for (const handler of this.#handlers) this.#checkSynced(handler);
    }
    if (states.includes('waiting-for-resource')) this.#health.moveTo('waiting-for-resource');
    else this.#health.moveTo(synced ? 'synced' : 'syncing');
  }
}

const neverAborts = new AbortController().signal;
