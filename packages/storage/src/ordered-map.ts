// A persistent ordered map from keys to values: `clone` is O(1), writes copy only the path they touch.
// Thin room over sorted-btree that fixes the key order (bytewise, as etcd's) and speaks in prefixes.
// Knows nothing of revisions; `sequencing/versioned-map.ts` adds them.

import sortedBTree from 'sorted-btree';

const BTree = sortedBTree.default;

/**
 * Order of the keys of a family of clones. UTF-16 order equals byte order as long as no key holds a surrogate, so the
 * cheap comparison serves until the first such key is seen; both orders agree about all keys before it.
 */
class KeyOrder {
  #surrogates = false;

  readonly compare = (a: string, b: string): number => {
    if (a === b) return 0;
    if (this.#surrogates) return compareCodePoints(a, b);
    return a < b ? -1 : 1;
  };

  notice(key: string): void {
    if (!this.#surrogates && /[\ud800-\udfff]/.test(key)) this.#surrogates = true;
  }
}

export class OrderedMap<V> {
  readonly #order: KeyOrder;
  readonly #tree: InstanceType<typeof BTree<string, V>>;

  private constructor(order: KeyOrder, tree: InstanceType<typeof BTree<string, V>>) {
    this.#order = order;
    this.#tree = tree;
  }

  static empty<V>(): OrderedMap<V> {
    const order = new KeyOrder();
    return new OrderedMap<V>(order, new BTree<string, V>(undefined, order.compare));
  }

  get size(): number {
    return this.#tree.size;
  }

  get(key: string): V | undefined {
    this.#order.notice(key);
    return this.#tree.get(key);
  }

  set(key: string, value: V): void {
    this.#order.notice(key);
    this.#tree.set(key, value);
  }

  delete(key: string): void {
    this.#order.notice(key);
    this.#tree.delete(key);
  }

  /** An independent copy; O(1), later writes on either side copy what they touch. */
  clone(): OrderedMap<V> {
    return new OrderedMap(this.#order, this.#tree.clone());
  }

  /** Number of keys at or after `from` that start with `prefix`. */
  count(prefix: string, from = prefix): number {
    return this.#scan(prefix, from, undefined);
  }

  /** Values of the keys at or after `from` that start with `prefix`, in key order, at most `limit`. */
  collect(prefix: string, from = prefix, limit = Number.POSITIVE_INFINITY): V[] {
    const values: V[] = [];
    if (limit > 0) {
      this.#scan(prefix, from, (_key, value) => (values.push(value) >= limit ? { break: limit } : undefined));
    }
    return values;
  }

  #scan(
    prefix: string,
    from: string,
    visit: ((key: string, value: V) => { break: number } | undefined) | undefined,
  ): number {
    this.#order.notice(from);
    const end = prefixEnd(prefix) ?? this.#tree.maxKey();
    if (end === undefined || this.#order.compare(from, end) > 0) return 0;
    return this.#tree.forRange(from, end, prefixEnd(prefix) === undefined, visit);
  }
}

/** The least key above every key with this prefix; undefined when there is none (the empty prefix). */
function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    if (point < 0x10ffff) return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

// Surrogates stand for code points above U+FFFF, so they sort above the rest of the basic plane.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
