// How often something was found in each domain: by topology key, then by the value nodes have for it. What-if runs see a base that is
// shared, and their own differences.

type Domains = Map<string, Map<string, number>>;

export class PairCounts {
  readonly #base: PairCounts | undefined;
  readonly #own: Domains = new Map();
  /** Pairs with a count above 0, base included. */
  #positive: number;

  constructor(base?: PairCounts) {
    this.#base = base;
    this.#positive = base === undefined ? 0 : base.#positive;
  }

  /** Nothing was found anywhere. */
  get isEmpty(): boolean {
    return this.#positive === 0;
  }

  get(key: string, value: string): number {
    return (this.#own.get(key)?.get(value) ?? 0) + (this.#base?.get(key, value) ?? 0);
  }

  add(key: string, value: string, by: number): void {
    if (by === 0) return;
    const before = this.get(key, value);
    let values = this.#own.get(key);
    if (values === undefined) this.#own.set(key, (values = new Map()));
    values.set(value, (values.get(value) ?? 0) + by);
    const after = before + by;
    if (before <= 0 && after > 0) this.#positive++;
    else if (before > 0 && after <= 0) this.#positive--;
  }

  /** Topology keys anything was counted for. */
  keys(): ReadonlySet<string> {
    const keys = new Set(this.#own.keys());
    return this.#base === undefined ? keys : keys.union(this.#base.keys());
  }

  clone(): PairCounts {
    // Differences stay small: they concern one node.
    const copy = new PairCounts(this.#base ?? this);
    if (this.#base === undefined) return copy;
    for (const [key, values] of this.#own) copy.#own.set(key, new Map(values));
    copy.#positive = this.#positive;
    return copy;
  }
}
