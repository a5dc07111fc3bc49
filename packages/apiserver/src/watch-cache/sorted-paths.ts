// The current objects of one resource in key order, with a bucket per namespace: O(1) get, O(log n + move) insert,
// lists that cost what they return.

import type { ObjectVersion } from './object-version.ts';

interface Bucket {
  readonly byName: Map<string, ObjectVersion>;
  /** Names in order; undefined after an insert that did not append, until the next ordered read. */
  sorted: ObjectVersion[] | undefined;
}

export class SortedPaths {
  readonly #buckets = new Map<string, Bucket>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): ObjectVersion | undefined {
    return this.#buckets.get(namespace)?.byName.get(name);
  }

  set(version: ObjectVersion): void {
    let bucket = this.#buckets.get(version.namespace);
    if (bucket === undefined) {
      bucket = { byName: new Map(), sorted: [] };
      this.#buckets.set(version.namespace, bucket);
    }
    const known = bucket.byName.has(version.name);
    bucket.byName.set(version.name, version);
    if (!known) this.#size++;
    const sorted = bucket.sorted;
    if (sorted === undefined) return;
    const last = sorted.at(-1);
    if (!known && (last === undefined || last.name < version.name)) {
      sorted.push(version);
      return;
    }
    const index = find(sorted, version.name);
    if (known) sorted[index] = version;
    else sorted.splice(index, 0, version);
  }

  delete(namespace: string, name: string): void {
    const bucket = this.#buckets.get(namespace);
    if (bucket === undefined || !bucket.byName.delete(name)) return;
    this.#size--;
    if (bucket.byName.size === 0) {
      this.#buckets.delete(namespace);
      return;
    }
    if (bucket.sorted !== undefined) bucket.sorted.splice(find(bucket.sorted, name), 1);
  }

  /** A snapshot in key order, of one namespace or (empty) of all. The caller owns the array. */
  list(namespace = ''): ObjectVersion[] {
    if (namespace !== '') return [...this.#sorted(this.#buckets.get(namespace))];
    if (this.#buckets.size === 1) {
      for (const bucket of this.#buckets.values()) return [...this.#sorted(bucket)];
    }
    // Keys order as `namespace/`: the slash decides between `a` and `a-b`.
    const names = [...this.#buckets.keys()].sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
    return names.flatMap((name) => this.#sorted(this.#buckets.get(name)));
  }

  clear(): void {
    this.#buckets.clear();
    this.#size = 0;
  }

  #sorted(bucket: Bucket | undefined): readonly ObjectVersion[] {
    if (bucket === undefined) return [];
    bucket.sorted ??= [...bucket.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return bucket.sorted;
  }
}

/** Index of the first entry whose name is not below `name`. */
function find(sorted: readonly ObjectVersion[], name: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
