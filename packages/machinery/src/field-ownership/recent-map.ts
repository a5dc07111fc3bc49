// A map that remembers what was used lately and forgets the rest: two generations, so that the bound costs nothing per
// entry. Weak where its keys are objects: it keeps none of them alive.

/** What both Map and WeakMap can do. */
interface Store<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

export class RecentMap<K, V> {
  readonly #create: () => Store<K, V>;
  readonly #generationMax: number;
  #young: Store<K, V>;
  #old: Store<K, V>;
  #added = 0;

  /** @param generationMax - entries of one generation; at least as many and at most twice as many are remembered */
  constructor(create: () => Store<K, V>, generationMax: number) {
    this.#create = create;
    this.#generationMax = generationMax;
    this.#young = create();
    this.#old = create();
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#added >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = this.#create();
      this.#added = 0;
    }
    this.#added++;
    this.#young.set(key, value);
  }
}
