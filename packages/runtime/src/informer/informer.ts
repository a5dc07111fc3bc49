// The face of an informer: what controllers and other readers may rely on, whether one watch fills the cache or several do.

import type { KubeList, KubeObject } from '@homeostat/machinery';
import type { ObjectKey, ResourceType } from '@homeostat/client';
import type { IndexDefinition, Lister } from '../store/lister.ts';
import type { CachedListOptions } from './cached-lists.ts';
import type { ChangeHandler } from './change.ts';

/** Where an informer is. */
export type InformerState =
  /** Not run yet. */
  | 'new'
  /** The first list is under way, or is being tried again. */
  | 'syncing'
  /**
   * The API server does not serve the resource (404: a CustomResourceDefinition that is not there yet, or is gone). It is asked
   * again at least every 5 s, or at once on {@link Informer.lookAgain}; what was cached before stays.
   */
  | 'waiting-for-resource'
  /** The cache has been filled and follows the server; failures since are in {@link Informer.lastError}. */
  | 'synced'
  | 'stopped';

/** The failure an informer is recovering from. */
export interface InformerFailure {
  readonly error: unknown;
  /** Wall time of it, milliseconds since the epoch. */
  readonly atMs: number;
  /** Failures in a row, this one included. */
  readonly count: number;
}

export interface HandlerOptions {
  /** Every object again after this time, milliseconds, at least 1000; 0 never; default the informer's. */
  readonly resyncPeriodMs?: number;
}

/** A handler's place in an informer. */
export interface Registration {
  /**
   * Whether the handler has been told of all objects of the first list, or of those that were there when it came: each once, be it
   * without success (it is told again then). Stays so.
   */
  hasSynced(): boolean;
  /** Resolves when {@link hasSynced}. @throws the signal's reason. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Ends it; resolves when a call under way has ended. Twice is fine. */
  remove(): Promise<void>;
}

/** Hears how far the cache, or that of one of its namespaces, is: the version reached, and the object when one changed. Called after handlers. */
export type ProgressHandler = (resourceVersion: string, key: ObjectKey | undefined) => void;

/** A cache of one resource, and those who hear of its changes. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly resource: ResourceType<T>;
  /** The reader half of the cache. */
  readonly lister: Lister<T>;
  /** The version the cache has reached; empty before the first list. */
  readonly resourceVersion: string;
  /** Changes that came and are not in the cache yet. */
  readonly queuedItems: number;
  /** Watches open now: at most one a namespace that is followed by itself. */
  readonly openWatches: number;
  /** The version the cache has reached for one namespace; undefined: for all of them. */
  versionFor(namespace: string | undefined): string;
  /** The namespaces that can be read, where it follows a set of them; undefined: its whole selection. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** Whether objects of a namespace can be read: always, but for informers of a set of namespaces that it is not in, or not yet. */
  knows(namespace: string | undefined): boolean;
  /** Whether the first list is in the cache and told to the handlers; stays so. */
  readonly hasSynced: boolean;
  readonly state: InformerState;
  /** Undefined when the last list or watch worked. */
  readonly lastError: InformerFailure | undefined;
  /**
   * A list from the cache as an API server answers it: selectors as text, limit, continue tokens.
   * @throws ApiError 400, 410 for a token that was given up, 503 before the cache is filled; Error for a field without an index
   */
  list(options?: CachedListOptions): KubeList<T>;
  /** Adds indexes, before or after the start. @throws Error when a name is taken by another function. */
  addIndexes(indexes: readonly IndexDefinition<T>[]): void;
  /** Adds a handler at any time; it hears of what is cached as additions first. @throws Error after the stop. */
  addHandler(handle: ChangeHandler<T>, options?: HandlerOptions): Registration;
  /** Hears of progress until the returned function is called. */
  onProgress(handler: ProgressHandler): () => void;
  /** Hears of every change of {@link state} until the returned function is called. */
  onState(handler: (state: InformerState) => void): () => void;
  /** Hears of every failed list or watch until the returned function is called. It is logged anyway. */
  onError(handler: (failure: InformerFailure) => void): () => void;
  /** Asks for a resource that is waited for at once; otherwise does nothing. */
  lookAgain(): void;
  /** Resolves when {@link hasSynced}. @throws the signal's reason. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Fills and follows the cache until `signal` aborts. @throws Error when run twice. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}
