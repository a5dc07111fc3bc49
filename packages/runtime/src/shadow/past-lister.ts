// A cache as it was at a moment: what has changed since is shown in its former state. The cache itself is not touched.

import type { KubeObject } from '@homeostat/machinery';
import { type ObjectKey, toKey } from '@homeostat/client';
import type { IndexDefinition, LabelMatch, Lister } from '../store/lister.ts';

export interface PastListerOptions {
  readonly base: Lister;
  /** The former state of keys that have changed; may grow while the lister is in use. */
  readonly changed: () => ReadonlyMap<ObjectKey, KubeObject | undefined>;
  /** Those of `base` that a former state is found by. */
  readonly indexes: readonly IndexDefinition[];
}

/** Creates the lister. Costs O(changes since) a list. */
export function createPastLister({ base, changed, indexes }: PastListerOptions): Lister {
  const back = (found: readonly KubeObject[], belongs: (object: KubeObject) => boolean): readonly KubeObject[] => {
    const former = changed();
    if (former.size === 0) return found;
    const kept = found.filter(({ metadata }) => !former.has(toKey(metadata?.namespace, metadata?.name ?? '')));
    for (const object of former.values()) if (object !== undefined && belongs(object)) kept.push(object);
    return kept;
  };
  const one = (key: ObjectKey): KubeObject | undefined => {
    const former = changed();
    return former.has(key) ? former.get(key) : base.getByKey(key);
  };
  const list = (namespace?: string, selector?: LabelMatch): readonly KubeObject[] =>
    back(
      base.list(namespace, selector),
      ({ metadata }) =>
        (namespace === undefined || namespace === '' || metadata?.namespace === namespace) &&
        (selector === undefined || selector(metadata?.labels ?? {})),
    );
  return {
    get: (namespace, name) => one(toKey(namespace, name)),
    getByKey: one,
    list,
    byIndex(name, value) {
      const definition = indexes.find((index) => index.name === name);
      return back(base.byIndex(name, value), (object) =>
        name === 'namespace'
          ? (object.metadata?.namespace ?? '') === value
          : definition?.valuesOf(object).includes(value) === true,
      );
    },
    get size() {
      return list().length;
    },
  };
}
