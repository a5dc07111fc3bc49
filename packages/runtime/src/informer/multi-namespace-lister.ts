// Reads the caches of several namespaces as one. Outside of them every read of one namespace is an error: an answer "not there" would
// be a lie.

import type { KubeObject } from '@homeostat/machinery';
import { type ObjectKey, splitKey, toKey } from '@homeostat/client';
import type { LabelMatch, Lister } from '../store/lister.ts';
import { UnknownNamespaceError } from './namespace-set.ts';

/** The caches that can be read at the time of each read. */
export interface NamespaceCaches<T extends KubeObject> {
  /** Undefined: nothing is known of the namespace. */
  of(namespace: string): Lister<T> | undefined;
  all(): Iterable<Lister<T>>;
}

/**
 * Creates a lister over several caches.
 * @throws UnknownNamespaceError from reads of a namespace that none of them holds
 */
export function createMultiNamespaceLister<T extends KubeObject>(caches: NamespaceCaches<T>): Lister<T> {
  const inNamespace = (namespace: string | undefined, wanted: string): Lister<T> => {
    const lister = caches.of(namespace ?? '');
    if (lister === undefined) throw new UnknownNamespaceError(namespace, wanted);
    return lister;
  };
  const all = (read: (lister: Lister<T>) => readonly T[]): readonly T[] => {
    const found: T[] = [];
    for (const lister of caches.all()) for (const object of read(lister)) found.push(object);
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
      for (const lister of caches.all()) size += lister.size;
      return size;
    },
  };
}
