// Reads the caches of several namespaces as one. Outside of them every read of one namespace is an error: an answer "not there" would
// be a lie.

import type { KubeObject } from '@homeostat/machinery';
import { type ObjectKey, splitKey, toKey } from '@homeostat/client';
import type { LabelMatch, Lister } from '../store/lister.ts';
import { UnknownNamespaceError } from './namespace-set.ts';

/**
 * Creates a lister over those that `listers` gives, by namespace, at the time of each read.
 * @throws UnknownNamespaceError from reads of a namespace that is not among them
 */
export function createMultiNamespaceLister<T extends KubeObject>(
  listers: () => ReadonlyMap<string, Lister<T>>,
): Lister<T> {
  const inNamespace = (namespace: string | undefined, wanted: string): Lister<T> => {
    const lister = listers().get(namespace ?? '');
    if (lister === undefined) throw new UnknownNamespaceError(namespace, wanted);
    return lister;
  };
  const all = (read: (lister: Lister<T>) => readonly T[]): readonly T[] => {
    const found: T[] = [];
    for (const lister of listers().values()) for (const object of read(lister)) found.push(object);
    return found;
  };
  return {
    get: (namespace, name) => inNamespace(namespace, toKey(namespace, name)).get(namespace, name),
    getByKey: (key: ObjectKey) => inNamespace(splitKey(key).namespace, key).getByKey(key),
    list(namespace?: string, selector?: LabelMatch) {
      if (namespace === undefined || namespace === '') return all((lister) => lister.list(undefined, selector));
      return inNamespace(namespace, namespace).list(namespace, selector);
    },
    byIndex: (name, value) => all((lister) => lister.byIndex(name, value)),
    get size() {
      let size = 0;
      for (const lister of listers().values()) size += lister.size;
      return size;
    },
  };
}
