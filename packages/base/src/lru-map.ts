// A map that forgets what was used longest ago (design law 10: every buffer has a bound).

/** A bounded map; `get` and `set` count as use. */
export class LruMap<K, V> {
  readonly #sizeMax: number;
  readonly #map = new Map<K, V>();

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    const value = this.#map.get(key);
    if (value === undefined) return undefined;
    this.#map.delete(key);
    this.#map.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#map.delete(key);
    this.#map.set(key, value);
    if (this.#map.size <= this.#sizeMax) return;
    const oldest = this.#map.keys().next();
    if (oldest.done !== true) this.#map.delete(oldest.value);
  }

  /** From what was used longest ago on; no use itself. Entries may be deleted meanwhile. */
  entries(): MapIterator<[K, V]> {
    return this.#map.entries();
  }

  delete(key: K): void {
    this.#map.delete(key);
  }
}
