// The reader half of a cache (stage 3 of the loop): what controllers see. Only the informer holds the writer half.

import type { KubeObject } from '@homeostat/machinery';
import type { ObjectKey, ResourceType } from '@homeostat/client';

/** Whether a set of labels is selected; absent labels are passed as an empty record. */
export type LabelMatch = (labels: Readonly<Record<string, string>>) => boolean;

/**
 * Reads one cache. Everything is synchronous and in memory.
 *
 * Guarantees: (1) objects are shared with everybody in the process and never change: build a new one to change one;
 * (2) within one synchronous run all answers show the same state; (3) lists are fresh arrays in a stable order.
 */
export interface Lister<T extends KubeObject = KubeObject> {
  /** The object of that name; `namespace` is undefined for cluster-scoped ones. O(1). */
  get(namespace: string | undefined, name: string): T | undefined;
  getByKey(key: ObjectKey): T | undefined;
  /** All objects, or those of one namespace, or those whose labels match. O(objects looked at). */
  list(namespace?: string, selector?: LabelMatch): readonly T[];
  /** Objects whose index `name` has `value`. O(result). @throws Error when nobody declared the index. */
  byIndex(name: string, value: string): readonly T[];
  /** How many objects the cache holds. */
  readonly size: number;
}

/** A named index: `valuesOf` must be a pure function of the object. */
export interface IndexDefinition<T extends KubeObject = KubeObject> {
  /** Unique per resource; declaring one name twice with different functions is an error. */
  readonly name: string;
  valuesOf(this: void, object: T): readonly string[];
}

/** The caches a controller declared. */
export interface Caches {
  /** @throws Error when the controller declared no watch on the resource. */
  lister<T extends KubeObject>(resource: ResourceType<T>): Lister<T>;
}
