// Finds the watchers an event can matter to without asking all of them (design law 13): by name, by the value of an
// indexed field (`spec.nodeName`), by namespace, else everything.

import type { CacheEvent } from './cache-event.ts';
import type { CacheWatcher } from './cache-watcher.ts';
import type { ObjectVersion } from './object-version.ts';

export class WatcherIndex {
  readonly #all = new Set<CacheWatcher>();
  readonly #byNamespace = new Map<string, Set<CacheWatcher>>();
  readonly #byPath = new Map<string, Set<CacheWatcher>>();
  /** Keys `field=value`. */
  readonly #byField = new Map<string, Set<CacheWatcher>>();
  readonly #fields: readonly string[];
  readonly #fieldsOf: (version: ObjectVersion) => Readonly<Record<string, string>>;
  readonly #members = new Set<CacheWatcher>();

  constructor(fields: readonly string[], fieldsOf: (version: ObjectVersion) => Readonly<Record<string, string>>) {
    this.#fields = fields;
    this.#fieldsOf = fieldsOf;
  }

  get size(): number {
    return this.#members.size;
  }

  add(watcher: CacheWatcher): void {
    this.#members.add(watcher);
    const [map, key] = this.#place(watcher);
    if (map === undefined) {
      this.#all.add(watcher);
      return;
    }
    const set = map.get(key);
    if (set === undefined) map.set(key, new Set([watcher]));
    else set.add(watcher);
  }

  remove(watcher: CacheWatcher): void {
    if (!this.#members.delete(watcher)) return;
    const [map, key] = this.#place(watcher);
    if (map === undefined) {
      this.#all.delete(watcher);
      return;
    }
    const set = map.get(key);
    set?.delete(watcher);
    if (set?.size === 0) map.delete(key);
  }

  dispatch(event: CacheEvent): void {
    if (this.#members.size === 0) return;
    for (const watcher of this.#all) watcher.offer(event);
    const version = event.current ?? event.previous;
    if (version === undefined) return;
    if (this.#byNamespace.size > 0) offer(this.#byNamespace.get(version.namespace), event);
    if (this.#byPath.size > 0) {
      offer(this.#byPath.get(version.path), event);
      // A name without a namespace: `metadata.name=x` over all namespaces, or of a cluster-scoped resource.
      offer(this.#byPath.get(`*/${version.name}`), event);
    }
    if (this.#byField.size > 0) this.#dispatchFields(event);
  }

  [Symbol.iterator](): IterableIterator<CacheWatcher> {
    return this.#members.values();
  }

  #dispatchFields(event: CacheEvent): void {
    for (const field of this.#fields) {
      const now = event.current === undefined ? undefined : this.#fieldsOf(event.current)[field];
      const before = event.previous === undefined ? undefined : this.#fieldsOf(event.previous)[field];
      if (now !== undefined) offer(this.#byField.get(`${field}=${now}`), event);
      if (before !== undefined && before !== now) offer(this.#byField.get(`${field}=${before}`), event);
    }
  }

  #place(watcher: CacheWatcher): [Map<string, Set<CacheWatcher>> | undefined, string] {
    const { namespace, name, indexed } = watcher.predicate;
    if (name !== '') return [this.#byPath, namespace === '' ? `*/${name}` : `${namespace}/${name}`];
    if (indexed !== undefined && this.#fields.includes(indexed.field))
      return [this.#byField, `${indexed.field}=${indexed.value}`];
    if (namespace !== '') return [this.#byNamespace, namespace];
    return [undefined, ''];
  }
}

function offer(watchers: Set<CacheWatcher> | undefined, event: CacheEvent): void {
  if (watchers === undefined) return;
  for (const watcher of watchers) watcher.offer(event);
}
