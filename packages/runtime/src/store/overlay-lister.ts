// A cache with one namespace (or all of it) replaced by what was just read live. Used for the one reconcile that may not rely
// on a lagging cache; thrown away after it.

import type { KubeObject } from '@homeostat/machinery';
import { keyOf, splitKey } from '@homeostat/client';
import type { IndexDefinition, LabelMatch, Lister } from './lister.ts';
import { createStore } from './store.ts';

export interface OverlayOptions<T extends KubeObject> {
  readonly base: Lister<T>;
  /** What was read live: the whole state of `namespace`. */
  readonly objects: readonly T[];
  /** Undefined: `objects` are the whole resource. */
  readonly namespace: string | undefined;
  readonly namespaced: boolean;
  readonly indexes: readonly IndexDefinition<T>[];
}

/** Creates a lister that shows live objects where there are some, and the cache elsewhere. */
export function createOverlayLister<T extends KubeObject>(options: OverlayOptions<T>): Lister<T> {
  const { base, objects, namespace, namespaced, indexes } = options;
  const { reader: live, writer } = createStore<T>({ namespaced });
  writer.addIndexes(indexes);
  for (const object of objects) writer.set(keyOf(object), object);
  if (namespace === undefined) return live;

  const outside = (found: readonly T[]): T[] => found.filter((object) => object.metadata?.namespace !== namespace);
  return {
    get: (wanted, name) => (wanted === namespace ? live.get(wanted, name) : base.get(wanted, name)),
    getByKey: (key) => (splitKey(key).namespace === namespace ? live.getByKey(key) : base.getByKey(key)),
    list(wanted?: string, selector?: LabelMatch) {
      if (wanted === namespace) return live.list(wanted, selector);
      if (wanted !== undefined && wanted !== '') return base.list(wanted, selector);
      return [...outside(base.list(undefined, selector)), ...live.list(undefined, selector)];
    },
    byIndex: (name, value) => [...outside(base.byIndex(name, value)), ...live.byIndex(name, value)],
    get size() {
      return this.list().length;
    },
  };
}
