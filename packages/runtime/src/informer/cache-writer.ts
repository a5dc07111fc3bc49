// The one writer of an informer's cache: takes events, lists and repairs into the store, in the order in which it is called, and tells
// what changed. Events of the past change nothing: what a list or a repair has brought is never undone by an older word.

import { type Env, invariant, type Pacer } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { isNewerResourceVersion, keyOf, type ObjectKey } from '@homeostat/client';
import type { StoreReader, StoreWriter } from '../store/store.ts';
import type { Change } from './change.ts';

export interface CacheWriterOptions<T extends KubeObject> {
  /** For logs. */
  readonly name: string;
  readonly env: Env;
  readonly reader: StoreReader<T>;
  readonly writer: StoreWriter<T>;
  readonly pacer: Pacer;
  /** Called when the store holds the change. */
  readonly tell: (change: Change<T>) => void;
  /** Called after `tell`: the version reached, and the object when one changed. */
  readonly onProgress: (resourceVersion: string, key: ObjectKey | undefined) => void;
  readonly transform?: ((object: T) => T) | undefined;
  readonly freeze?: boolean | undefined;
}

/** Writes one cache. */
export class CacheWriter<T extends KubeObject> {
  readonly #options: CacheWriterOptions<T>;
  #resourceVersion = '';
  /** The version of the newest state that a repair has brought, ahead of the watch. */
  #aheadAt = '';
  /** Keys changed since a repair began; undefined when none is under way. */
  #touched: Set<ObjectKey> | undefined;
  /** Objects that a repair took out, and the version at which they were gone, until the watch has told as much. */
  readonly #repairedDeletions = new Map<ObjectKey, string>();

  constructor(options: CacheWriterOptions<T>) {
    this.#options = options;
  }

  /** The version the cache has reached; empty before the first list. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** The newest version that anything in the cache rests on. */
  get newestVersion(): string {
    return isNewerResourceVersion(this.#aheadAt, this.#resourceVersion) ? this.#aheadAt : this.#resourceVersion;
  }

  /** Takes in an addition or an update. */
  upsert(raw: T): void {
    const { reader, writer } = this.#options;
    const object = this.#prepare(raw);
    const version = raw.metadata?.resourceVersion ?? '';
    if (object === undefined) {
      this.reached(version, undefined);
      return;
    }
    const key = keyOf(object);
    this.#touched?.add(key);
    const before = reader.getByKey(key);
    // A repair or a list may have brought a newer state than the event tells of.
    const known = before?.metadata?.resourceVersion ?? this.#repairedDeletions.get(key) ?? '';
    if (!isNewerResourceVersion(known, version)) {
      writer.set(key, object);
      this.#tellOf(before, object, false);
    }
    this.reached(version, key);
  }

  /** Takes in a deletion. */
  delete(raw: T): void {
    const { reader, writer, tell } = this.#options;
    const key = keyOf(raw);
    const version = raw.metadata?.resourceVersion ?? '';
    this.#touched?.add(key);
    const before = reader.getByKey(key);
    // The deletion of an earlier object of this name must not take the present one.
    if (before !== undefined && !isNewerResourceVersion(before.metadata?.resourceVersion ?? '', version)) {
      writer.delete(key);
      const object = this.#prepare(raw) ?? before;
      const same = before.metadata?.uid === object.metadata?.uid;
      tell({ type: 'deleted', object: same ? object : before, lastStateUnknown: !same });
    }
    this.reached(version, key);
  }

  /** Makes a list the content: all at once, then each difference is told. @param initial what is added is part of the first list */
  async replace(objects: readonly T[], resourceVersion: string, initial: boolean): Promise<void> {
    const { reader, writer, pacer, tell } = this.#options;
    const replacement = writer.startReplacement();
    for (const raw of objects) {
      // What can't be transformed stays as it was: it is not gone.
      const object = this.#prepare(raw) ?? this.#sameCached(raw);
      if (object !== undefined) replacement.add(object);
      if (pacer.due()) await pacer.yield();
    }
    const before = replacement.commit();
    for (const [key, object] of before) {
      if (reader.getByKey(key) !== undefined) continue;
      this.#touched?.add(key);
      tell({ type: 'deleted', object, lastStateUnknown: true });
      if (pacer.due()) await pacer.yield();
    }
    for (const [key, object] of reader.entries()) {
      this.#touched?.add(key);
      this.#tellOf(before.get(key), object, initial);
      if (pacer.due()) await pacer.yield();
    }
    this.#resourceVersion = resourceVersion;
    this.#aheadAt = '';
    this.#repairedDeletions.clear();
  }

  /** The watch has come to this version. */
  reached(version: string, key: ObjectKey | undefined): void {
    if (isNewerResourceVersion(version, this.#resourceVersion) || this.#resourceVersion === '')
      this.#resourceVersion = version;
    if (this.#repairedDeletions.size > 0) this.#forgetRepairedDeletions();
    this.#options.onProgress(this.#resourceVersion, key);
  }

  /** From now on, keys that events or lists change are added to the returned set. */
  startTouching(): ReadonlySet<ObjectKey> {
    invariant(this.#touched === undefined, 'two repairs of one cache at once');
    this.#touched = new Set();
    return this.#touched;
  }

  stopTouching(): void {
    this.#touched = undefined;
  }

  /** A repair brings what was true at this version. */
  aheadAt(version: string): void {
    if (isNewerResourceVersion(version, this.#aheadAt) || this.#aheadAt === '') this.#aheadAt = version;
  }

  /** Repairs change objects, not how far the cache is: the watch goes on where it was. */
  upsertRepaired(raw: T): void {
    const object = this.#prepare(raw);
    if (object === undefined) return;
    const before = this.#options.writer.set(keyOf(object), object);
    this.#tellOf(before, object, false);
    this.#options.onProgress(this.#resourceVersion, keyOf(object));
  }

  /** @param version of the list that did not have the object */
  deleteRepaired(object: T, version: string): void {
    const key = keyOf(object);
    if (this.#options.writer.delete(key) === undefined) return;
    this.#repairedDeletions.set(key, version);
    this.#options.tell({ type: 'deleted', object, lastStateUnknown: true });
    this.#options.onProgress(this.#resourceVersion, key);
  }

  /** Tells of the step from one state of a key to the next. */
  #tellOf(before: T | undefined, object: T, initial: boolean): void {
    const { tell } = this.#options;
    if (before === undefined) {
      tell({ type: 'added', object, initial });
      return;
    }
    if (before === object || before.metadata?.resourceVersion === object.metadata?.resourceVersion) return;
    if (before.metadata?.uid !== object.metadata?.uid) {
      tell({ type: 'deleted', object: before, lastStateUnknown: true });
      tell({ type: 'added', object, initial });
      return;
    }
    tell({ type: 'updated', old: before, object });
  }

  #forgetRepairedDeletions(): void {
    for (const [key, version] of this.#repairedDeletions) {
      if (!isNewerResourceVersion(version, this.#resourceVersion)) this.#repairedDeletions.delete(key);
    }
  }

  /** The cached state of the same object, of an earlier version. */
  #sameCached(raw: T): T | undefined {
    const cached = this.#options.reader.getByKey(keyOf(raw));
    return cached?.metadata?.uid === raw.metadata?.uid ? cached : undefined;
  }

  /** The object as it is cached; undefined when the transform failed. */
  #prepare(object: T): T | undefined {
    const { transform, freeze, env, name } = this.#options;
    try {
      const prepared = transform === undefined ? object : transform(object);
      return freeze === true ? deepFreeze(prepared) : prepared;
    } catch (error) {
      env.log.error('an object was left out because its transform failed', { informer: name, error });
      return undefined;
    }
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}
