// One resource as it is stored, whatever versions serve it: its keys, its rules, its cache. What the registry's pipelines
// work on.

import type { KindStrategy, ResourceInfo } from '@homeostat/api';
import type { Env } from '@homeostat/base';
import { canonicalize, type GroupResource, type KubeObject, type Mutable } from '@homeostat/machinery';
import type { KeyValue, Store } from '@homeostat/storage';
import { type CacheHub } from '../watch-cache/cache-hub.ts';
import { ObjectVersion, withoutResourceVersion } from '../watch-cache/object-version.ts';
import { type ResourceCache, rememberVersion, versionOf } from '../watch-cache/resource-cache.ts';
import { StoredObject } from '../watch-cache/stored-object.ts';
import type { StorageHooks } from './storage-hooks.ts';

export interface StoredResourceOptions {
  readonly env: Env;
  readonly store: Store;
  readonly hub: CacheHub;
  /** The served resource whose version is the storage version. */
  readonly info: ResourceInfo;
  readonly strategy: KindStrategy;
  /** Group that serves it, where it is not the storage version's: errors name that one. */
  readonly servedGroup?: string;
  readonly hooks?: StorageHooks;
  /** Seconds an object lives after its last write; 0 or absent: for ever. */
  readonly ttlSeconds?: number;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  readonly freeze?: boolean;
  /** Field labels whose exact selectors the cache dispatches by index; default those that are hot among the built-in ones. */
  readonly indexedFields?: readonly string[];
  /** Values of field labels as the cache reads them; default the strategy's. */
  readonly cachedFields?: (object: KubeObject) => Readonly<Record<string, string>>;
}

export class StoredResource {
  readonly env: Env;
  readonly store: Store;
  readonly info: ResourceInfo;
  readonly strategy: KindStrategy;
  readonly hooks: StorageHooks;
  readonly ttlSeconds: number;
  readonly returnsDeletedObject: boolean;
  readonly cache: ResourceCache;
  readonly hub: CacheHub;
  readonly #prefix: string;
  readonly #freeze: boolean;
  readonly #servedGroup: string;

  constructor(options: StoredResourceOptions) {
    const { info, strategy } = options;
    this.env = options.env;
    this.store = options.store;
    this.hub = options.hub;
    this.info = info;
    this.strategy = strategy;
    this.hooks = options.hooks ?? {};
    this.ttlSeconds = options.ttlSeconds ?? 0;
    this.returnsDeletedObject = options.returnsDeletedObject ?? false;
    this.#freeze = options.freeze ?? false;
    this.#servedGroup = options.servedGroup ?? info.group;
    this.#prefix = `/registry/${info.storage.prefix}/`;
    const selectable = options.cachedFields ?? strategy.selectableFields;
    this.cache = options.hub.add({
      prefix: this.#prefix,
      selectableFields: selectable === undefined ? undefined : (object) => selectable.call(strategy, object),
      indexedFields: options.indexedFields ?? hotFields.filter((field) => knowsField(strategy, field)),
      monotonicMs: () => options.env.clock.monotonicMs(),
    });
  }

  get prefix(): string {
    return this.#prefix;
  }

  get groupResource(): GroupResource {
    return { group: this.#servedGroup, resource: this.info.resource };
  }

  key(namespace: string, name: string): string {
    return namespace === '' ? `${this.#prefix}${name}` : `${this.#prefix}${namespace}/${name}`;
  }

  /** The version of a stored item: the cache's own, which is decoded already, wherever the cache has it. */
  version(item: KeyValue): ObjectVersion {
    const path = item.key.slice(this.#prefix.length);
    const slash = path.indexOf('/');
    const cached = this.cache.get(slash < 0 ? '' : path.slice(0, slash), path.slice(slash + 1));
    return cached?.revision === item.modRevision ? cached : versionOf(item, this.#prefix.length);
  }

  /** The version that a write just made, known to the cache before its event arrives there. */
  written(key: string, revision: number, holder: StoredObject): ObjectVersion {
    return rememberVersion(new ObjectVersion(key.slice(this.#prefix.length), revision, holder));
  }

  /** An object that is not stored (dry run), to be answered in the same way. Revision 0 shows no resourceVersion. */
  unsaved(key: string, revision: number, object: KubeObject): ObjectVersion {
    return new ObjectVersion(
      key.slice(this.#prefix.length),
      revision,
      new StoredObject(withoutResourceVersion(object)),
    );
  }

  /** An object as the pipelines of this resource work on it: in the storage version, with resourceVersion. */
  working(version: ObjectVersion): KubeObject {
    return version.object;
  }

  /** Gives the one reference to objects their final form: frozen, when the server was asked to. */
  protected finish(object: KubeObject): StoredObject {
    if (this.#freeze) deepFreeze(object);
    return new StoredObject(object);
  }

  /** The final form of a draft: fields in order, empty ones left out, no resourceVersion. */
  toStored(draft: Mutable<KubeObject> | KubeObject): StoredObject {
    const { info } = this;
    // Protobuf can't tell an empty list from none: what rests in it comes back with null.
    const options = { emptyAsNull: info.storage.format === 'protobuf' };
    const canonical = withoutResourceVersion(canonicalize(draft, info.schema, options) as KubeObject);
    return this.finish(canonical);
  }

  /** Present state that sees every acknowledged write: from the cache when it is up to date, else from the store. */
  async current(namespace: string, name: string): Promise<ObjectVersion | undefined> {
    const isLoaded = this.hub.loading(this.#prefix) === undefined;
    if (isLoaded && this.hub.revision >= this.store.revision) return this.cache.get(namespace, name);
    const { item } = await this.store.get(this.key(namespace, name));
    return item === undefined ? undefined : this.version(item);
  }
}

const hotFields = ['spec.nodeName'];

function knowsField(strategy: KindStrategy, field: string): boolean {
  const labels = strategy.fieldLabels;
  if (labels === undefined) return false;
  return Array.isArray(labels) ? labels.includes(field) : field in labels;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
}
