// A cache as it will look once it shows what was just written: answers of writes laid over a lister, deleted objects left out. One
// reconcile reads through it, so that it sees its own writes at once; it is thrown away with the run. The cache itself is not touched.

import type { KubeObject } from '@homeostat/machinery';
import { isNewerResourceVersion, keyOf, type ObjectKey, toKey } from '@homeostat/client';
import type { IndexDefinition, LabelMatch, Lister } from './lister.ts';

/** What a write left behind: an object, or the uid of one that is gone. */
export type Written<T extends KubeObject = KubeObject> = { readonly object: T } | { readonly goneUid: string };

export interface WrittenListerOptions<T extends KubeObject> {
  readonly base: Lister<T>;
  /** By key; may grow while the lister is in use. */
  readonly written: ReadonlyMap<ObjectKey, Written<T>>;
  /** Those of `base` that a written object is found by. */
  readonly indexes: readonly IndexDefinition<T>[];
  /** Whether the cache would hold the object: its selection. Undefined: not known; then it is shown where the cache shows its name. */
  readonly selects: (object: T) => boolean | undefined;
  /** Whether the cache has reached a version: then it knows better than the write. */
  readonly reached: (resourceVersion: string) => boolean;
}

/** Creates the lister. Costs nothing while nothing is written, and O(writes) a list after. */
export function createWrittenLister<T extends KubeObject>(options: WrittenListerOptions<T>): Lister<T> {
  const { base, written, indexes, selects, reached } = options;

  const shown = (key: ObjectKey, cached: T | undefined): T | undefined => {
    const write = written.get(key);
    if (write === undefined) return cached;
    if ('goneUid' in write) return cached?.metadata?.uid === write.goneUid ? undefined : cached;
    const { object } = write;
    // A repair may show an object newer than the cache is as a whole.
    const version = object.metadata?.resourceVersion ?? '';
    if (reached(version) || !isNewerResourceVersion(version, cached?.metadata?.resourceVersion ?? '0')) return cached;
    return (selects(object) ?? cached !== undefined) ? object : undefined;
  };

  /** `found` with own writes in it; `belongs` says whether a written object would have been found. */
  const overlay = (found: readonly T[], belongs: (object: T) => boolean): readonly T[] => {
    if (written.size === 0) return found;
    const seen = new Set<ObjectKey>();
    const result: T[] = [];
    for (const cached of found) {
      const key = keyOf(cached);
      seen.add(key);
      const object = shown(key, cached);
      if (object !== undefined && (object === cached || belongs(object))) result.push(object);
    }
    for (const key of written.keys()) {
      if (seen.has(key)) continue;
      const cached = base.getByKey(key);
      const object = shown(key, cached);
      if (object !== undefined && object !== cached && belongs(object)) result.push(object);
    }
    return result;
  };

  return {
    get: (namespace, name) => shown(toKey(namespace, name), base.get(namespace, name)),
    getByKey: (key) => shown(key, base.getByKey(key)),
    list: (namespace?: string, selector?: LabelMatch) =>
      overlay(
        base.list(namespace, selector),
        ({ metadata }) =>
          (namespace === undefined || namespace === '' || metadata?.namespace === namespace) &&
          (selector === undefined || selector(metadata?.labels ?? {})),
      ),
    byIndex(name, value) {
      const definition = indexes.find((index) => index.name === name);
      return overlay(base.byIndex(name, value), (object) =>
        name === 'namespace'
          ? (object.metadata?.namespace ?? '') === value
          : definition?.valuesOf(object).includes(value) === true,
      );
    },
    get size() {
      return written.size === 0 ? base.size : this.list().length;
    },
  };
}
