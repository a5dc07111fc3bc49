// The watch cache of one stored resource: current state, recent history, watchers. Fed by the hub (`cache-hub.ts`) with
// every change in revision order; never touches the store itself.

import type { KubeObject } from '@homeostat/machinery';
import type { KeyValue, StoreEvent } from '@homeostat/storage';
import { CacheEvent } from './cache-event.ts';
import { CacheWatcher, type Predicate } from './cache-watcher.ts';
import { EventWindow } from './event-window.ts';
import { ObjectVersion } from './object-version.ts';
import { SortedPaths } from './sorted-paths.ts';
import { WatcherIndex } from './watcher-index.ts';

export interface ResourceCacheOptions {
  /** Key prefix with its trailing slash, e.g. `/registry/pods/`. */
  readonly prefix: string;
  readonly selectableFields?: ((object: KubeObject) => Readonly<Record<string, string>>) | undefined;
  /** Field labels whose exact selectors are dispatched by index. */
  readonly indexedFields?: readonly string[];
  readonly monotonicMs: () => number;
  /** Most events a watcher may have waiting; default 10,000. */
  readonly queueLengthMax?: number;
  /** Makes a new object version final, e.g. freezes it. */
  readonly onVersion?: (version: ObjectVersion) => void;
}

export class ResourceCache {
  readonly prefix: string;
  readonly selectableFields: ResourceCacheOptions['selectableFields'];
  readonly indexedFields: readonly string[];
  readonly #options: ResourceCacheOptions;
  readonly #state = new SortedPaths();
  readonly #window: EventWindow;
  readonly #watchers: WatcherIndex;
  readonly #listeners = new Set<(event: CacheEvent) => void>();
  /** Changes at and below are part of the loaded state. */
  #loaded = 0;
  #generation = 0;

  constructor(options: ResourceCacheOptions) {
    this.prefix = options.prefix;
    this.selectableFields = options.selectableFields;
    this.indexedFields = options.indexedFields ?? [];
    this.#options = options;
    this.#window = new EventWindow(0);
    this.#watchers = new WatcherIndex(this.indexedFields, (version) => version.fields(this.selectableFields));
  }

  get size(): number {
    return this.#state.size;
  }

  /** Rises when the whole state was replaced: changes since then did not come as events. */
  get generation(): number {
    return this.#generation;
  }

  /** Oldest revision a watch may start after. */
  get floor(): number {
    return this.#window.floor;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /**
   * Replaces everything by a snapshot of the store; watchers are ended, because they may have missed changes. Listeners hear the
   * difference as changes: what follows the cache must know of what was stored before it started.
   */
  replace(items: readonly KeyValue[], revision: number): void {
    for (const watcher of [...this.#watchers]) watcher.close();
    const before = this.#state.list('');
    this.#state.clear();
    for (const item of items) this.#state.set(this.#version(item));
    this.#window.reset(revision);
    this.#loaded = revision;
    this.#generation++;
    if (this.#listeners.size > 0) this.#tellReplaced(before, revision);
  }

  #tellReplaced(before: readonly ObjectVersion[], revision: number): void {
    const nowMs = this.#options.monotonicMs();
    const tell = (current: ObjectVersion | undefined, previous: ObjectVersion | undefined): void => {
      const event = new CacheEvent(revision, current, previous, nowMs);
      for (const listener of this.#listeners) listener(event);
    };
    const old = new Map(before.map((version) => [version.path, version]));
    for (const version of this.#state.list('')) {
      const previous = old.get(version.path);
      old.delete(version.path);
      if (previous?.revision !== version.revision) tell(version, previous);
    }
    for (const gone of old.values()) tell(undefined, gone);
  }

  apply(change: StoreEvent): void {
    if (change.revision <= this.#loaded) return;
    const path = change.key.slice(this.prefix.length);
    const slash = path.indexOf('/');
    const namespace = slash < 0 ? '' : path.slice(0, slash);
    const name = slash < 0 ? path : path.slice(slash + 1);
    const previous = this.#state.get(namespace, name);
    let current: ObjectVersion | undefined;
    if (change.current === undefined) {
      if (previous === undefined) return;
      this.#state.delete(namespace, name);
    } else {
      current = this.#version(change.current);
      this.#state.set(current);
    }
    const event = new CacheEvent(change.revision, current, previous, this.#options.monotonicMs());
    this.#window.push(event);
    this.#watchers.dispatch(event);
    for (const listener of this.#listeners) listener(event);
  }

  get(namespace: string, name: string): ObjectVersion | undefined {
    return this.#state.get(namespace, name);
  }

  /** A snapshot in key order. */
  list(namespace = ''): ObjectVersion[] {
    return this.#state.list(namespace);
  }

  /**
   * Opens a watcher that sees every change after `revision`; those in the window are queued at once.
   * Returns undefined when the window no longer reaches back that far.
   */
  watch(predicate: Predicate, revision: number, hubRevision: number): CacheWatcher | undefined {
    if (revision < this.#window.floor) return undefined;
    const watcher = new CacheWatcher({
      predicate,
      queueLengthMax: this.#options.queueLengthMax ?? 10_000,
      onClose: (closed) => this.#watchers.remove(closed),
    });
    watcher.revision = Math.max(revision, hubRevision);
    if (revision < hubRevision) {
      const backlog = new CacheWatcher({ predicate, queueLengthMax: Number.POSITIVE_INFINITY, onClose: () => {} });
      for (const event of this.#window.after(revision)) backlog.offer(event);
      watcher.seed(backlog.take());
    }
    this.#watchers.add(watcher);
    return watcher;
  }

  /** Calls `listener` after each change; returns the way to stop it. */
  onEvent(listener: (event: CacheEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Gives up what objects remember of being read: another cache may read other fields of them. */
  forget(): void {
    for (const version of this.#state.list('')) version.forget();
  }

  closeWatchers(): void {
    for (const watcher of [...this.#watchers]) watcher.close();
  }

  #version(item: KeyValue): ObjectVersion {
    const version = versionOf(item, this.prefix.length);
    this.#options.onVersion?.(version);
    return version;
  }
}

const shared = new WeakMap<object, ObjectVersion>();

/** The one ObjectVersion of a stored value at a revision: writer, cache and exact reads share it, and with it its encodings. */
export function versionOf(item: KeyValue, prefixLength: number): ObjectVersion {
  const known = shared.get(item.value);
  if (known !== undefined && known.revision === item.modRevision) return known;
  const version = ObjectVersion.of(item, prefixLength);
  shared.set(item.value, version);
  return version;
}

/** Registers the version a writer just stored, so that the cache takes the same one. */
export function rememberVersion(version: ObjectVersion): ObjectVersion {
  const known = shared.get(version.holder);
  if (known !== undefined && known.revision === version.revision) return known;
  shared.set(version.holder, version);
  return version;
}
