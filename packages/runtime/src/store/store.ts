// Stage 3 of the loop: the objects of one resource by key, with indexes. Two halves: the informer writes, everybody else
// reads. It decides nothing about versions, events or handlers.

import { invariant } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { keyOf, type ObjectKey, toKey } from '@homeostat/client';
import type { IndexDefinition, LabelMatch, Lister } from './lister.ts';

/** The reader half, with what the informer and tests also want to see. */
export interface StoreReader<T extends KubeObject = KubeObject> extends Lister<T> {
  /** The values an index has, in no order. @throws Error when nobody declared the index. */
  indexValues(name: string): readonly string[];
  keys(): Iterable<ObjectKey>;
  values(): Iterable<T>;
  entries(): Iterable<readonly [ObjectKey, T]>;
}

/** The writer half; exactly one informer holds it. */
export interface StoreWriter<T extends KubeObject = KubeObject> {
  /** Adds or replaces. Returns what was there. O(indexes). */
  set(key: ObjectKey, object: T): T | undefined;
  /** Removes. Returns what was there. */
  delete(key: ObjectKey): T | undefined;
  /**
   * Adds indexes; those declared before under the same name with the same function are skipped.
   * @throws Error when the name is taken by another function. O(objects).
   */
  addIndexes(indexes: readonly IndexDefinition<T>[]): void;
  /** Starts a new content beside the present one: fill it in slices, then swap it in at once. */
  startReplacement(): StoreReplacement<T>;
}

export interface StoreReplacement<T extends KubeObject = KubeObject> {
  add(object: T): void;
  /** Makes it the content; returns the content before. */
  commit(): ReadonlyMap<ObjectKey, T>;
}

export interface Store<T extends KubeObject = KubeObject> {
  readonly reader: StoreReader<T>;
  readonly writer: StoreWriter<T>;
}

type Bucket<T> = Map<ObjectKey, T>;

interface Index<T extends KubeObject> {
  readonly definition: IndexDefinition<T>;
  readonly buckets: Map<string, Bucket<T>>;
}

interface Content<T extends KubeObject> {
  readonly items: Map<ObjectKey, T>;
  /** By namespace; undefined for cluster-scoped resources. */
  readonly namespaces: Index<T> | undefined;
  readonly indexes: Map<string, Index<T>>;
}

const noLabels: Readonly<Record<string, string>> = {};

/** Creates an empty store. */
export function createStore<T extends KubeObject>(options: { readonly namespaced: boolean }): Store<T> {
  const namespaceIndex: IndexDefinition<T> = {
    name: 'namespace',
    valuesOf: (object) => [object.metadata?.namespace ?? ''],
  };

  const newContent = (definitions: Iterable<IndexDefinition<T>>): Content<T> => ({
    items: new Map(),
    namespaces: options.namespaced ? { definition: namespaceIndex, buckets: new Map() } : undefined,
    indexes: new Map(Array.from(definitions, (definition) => [definition.name, { definition, buckets: new Map() }])),
  });

  let content = newContent([]);

  const indexNamed = (name: string): Index<T> => {
    const index = name === 'namespace' ? content.namespaces : content.indexes.get(name);
    if (index === undefined) throw new Error(`Index with name ${name} does not exist`);
    return index;
  };

  const reader: StoreReader<T> = {
    get: (namespace, name) => content.items.get(toKey(namespace, name)),
    getByKey: (key) => content.items.get(key),
    list(namespace, selector) {
      if (namespace === undefined || namespace === '') return select(content.items, selector);
      return select(indexNamed('namespace').buckets.get(namespace), selector);
    },
    byIndex: (name, value) => select(indexNamed(name).buckets.get(value), undefined),
    indexValues: (name) => [...indexNamed(name).buckets.keys()],
    keys: () => content.items.keys(),
    values: () => content.items.values(),
    entries: () => content.items.entries(),
    get size() {
      return content.items.size;
    },
  };

  const writer: StoreWriter<T> = {
    set(key, object) {
      const before = content.items.get(key);
      put(content, key, object, before);
      return before;
    },
    delete(key) {
      const before = content.items.get(key);
      if (before === undefined) return undefined;
      content.items.delete(key);
      if (content.namespaces !== undefined) removeFrom(content.namespaces, key, before);
      for (const index of content.indexes.values()) removeFrom(index, key, before);
      return before;
    },
    addIndexes(definitions) {
      for (const definition of definitions) {
        const known = content.indexes.get(definition.name);
        if (known?.definition.valuesOf === definition.valuesOf) continue;
        if (known !== undefined || definition.name === 'namespace') {
          throw new Error(`indexer conflict: ${definition.name} is declared twice with different functions`);
        }
        const index: Index<T> = { definition, buckets: new Map() };
        for (const [key, object] of content.items) addTo(index, key, object);
        content.indexes.set(definition.name, index);
      }
    },
    startReplacement() {
      let next: Content<T> | undefined = newContent(Array.from(content.indexes.values(), (index) => index.definition));
      return {
        add(object) {
          invariant(next !== undefined, 'a replacement was committed before its last object was added');
          const key = keyOf(object);
          put(next, key, object, next.items.get(key));
        },
        commit() {
          invariant(next !== undefined, 'a replacement was committed twice');
          const before = content.items;
          // Indexes declared while the replacement was being filled.
          for (const [name, { definition }] of content.indexes) {
            if (next.indexes.has(name)) continue;
            const index: Index<T> = { definition, buckets: new Map() };
            for (const [key, object] of next.items) addTo(index, key, object);
            next.indexes.set(name, index);
          }
          content = next;
          next = undefined;
          return before;
        },
      };
    },
  };

  return { reader, writer };
}

function put<T extends KubeObject>(content: Content<T>, key: ObjectKey, object: T, before: T | undefined): void {
  content.items.set(key, object);
  // Keys hold the namespace, so an object never changes its namespace bucket.
  if (content.namespaces !== undefined) addTo(content.namespaces, key, object);
  for (const index of content.indexes.values()) {
    if (before === undefined) addTo(index, key, object);
    else move(index, key, before, object);
  }
}

function addTo<T extends KubeObject>(index: Index<T>, key: ObjectKey, object: T): void {
  for (const value of index.definition.valuesOf(object)) bucketOf(index, value).set(key, object);
}

function move<T extends KubeObject>(index: Index<T>, key: ObjectKey, before: T, object: T): void {
  const oldValues = index.definition.valuesOf(before);
  const newValues = index.definition.valuesOf(object);
  for (const value of oldValues) {
    if (!newValues.includes(value)) removeValue(index, key, value);
  }
  for (const value of newValues) bucketOf(index, value).set(key, object);
}

function removeFrom<T extends KubeObject>(index: Index<T>, key: ObjectKey, object: T): void {
  for (const value of index.definition.valuesOf(object)) removeValue(index, key, value);
}

function removeValue<T extends KubeObject>(index: Index<T>, key: ObjectKey, value: string): void {
  const bucket = index.buckets.get(value);
  if (bucket === undefined) return;
  bucket.delete(key);
  if (bucket.size === 0) index.buckets.delete(value);
}

function bucketOf<T extends KubeObject>(index: Index<T>, value: string): Bucket<T> {
  let bucket = index.buckets.get(value);
  if (bucket === undefined) {
    bucket = new Map();
    index.buckets.set(value, bucket);
  }
  return bucket;
}

function select<T extends KubeObject>(bucket: Bucket<T> | undefined, selector: LabelMatch | undefined): readonly T[] {
  if (bucket === undefined) return [];
  const objects = [...bucket.values()];
  return selector === undefined ? objects : objects.filter((object) => selector(object.metadata?.labels ?? noLabels));
}
