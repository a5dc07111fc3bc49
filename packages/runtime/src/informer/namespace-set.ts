// The namespaces that informers follow, changeable while they run. One set serves all informers of a process.

import type { KubeObject } from '@homeostat/machinery';
import type { ObjectKey } from '@homeostat/client';
import type { Lister } from '../store/lister.ts';

/** Thrown by reads outside the set: nothing is known of such an object, not even that there is none. */
export class UnknownNamespaceError extends Error {
  override readonly name = 'UnknownNamespaceError';
  readonly namespace: string | undefined;

  constructor(namespace: string | undefined, wanted: string) {
    super(`unable to get: ${wanted} because of unknown namespace for the cache`);
    this.namespace = namespace;
  }
}

/**
 * A set of namespaces.
 *
 * @example
 * const namespaces = new NamespaceSet(['team-a']);
 * const informers = new InformerFactory({ client, env, namespaces });
 * namespaces.replace(['team-a', 'team-b']); // its informers follow
 */
export class NamespaceSet {
  #current: ReadonlySet<string>;
  readonly #handlers = new Set<() => void>();

  constructor(namespaces: Iterable<string>) {
    this.#current = new Set(namespaces);
  }

  get current(): ReadonlySet<string> {
    return this.#current;
  }

  has(namespace: string): boolean {
    return this.#current.has(namespace);
  }

  /** Makes `namespaces` the set. Informers of those that came start; of those that left, objects are told as deleted and forgotten. */
  replace(namespaces: Iterable<string>): void {
    this.#current = new Set(namespaces);
    for (const handler of this.#handlers) handler();
  }

  /** Hears of every change until the returned function is called. */
  onChange(handler: () => void): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }
}

/** The object of a key; undefined when there is none, and when nothing is known of its namespace. */
export function findKnown<T extends KubeObject>(lister: Lister<T> | undefined, key: ObjectKey): T | undefined {
  try {
    return lister?.getByKey(key);
  } catch (error) {
    if (error instanceof UnknownNamespaceError) return undefined;
    throw error;
  }
}
