// A binary heap whose items can be found, replaced and taken out by key.

export interface KeyedHeapOptions<T> {
  keyOf(item: T): string;
  /** Whether `a` comes out before `b`; a strict order. */
  less(a: T, b: T): boolean;
}

/** All operations are O(log n), lookups O(1). */
export class KeyedHeap<T> {
  readonly #items: T[] = [];
  readonly #positions = new Map<string, number>();
  readonly #keyOf: (item: T) => string;
  readonly #less: (a: T, b: T) => boolean;

  constructor({ keyOf, less }: KeyedHeapOptions<T>) {
    this.#keyOf = keyOf;
    this.#less = less;
  }

  get size(): number {
    return this.#items.length;
  }

  has(key: string): boolean {
    return this.#positions.has(key);
  }

  get(key: string): T | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#items[position];
  }

  /** The item that comes out next. */
  peek(): T | undefined {
    return this.#items[0];
  }

  /** In no order. */
  values(): readonly T[] {
    return this.#items;
  }

  /** Adds an item, or puts the one of its key where it belongs now. */
  set(item: T): void {
    const key = this.#keyOf(item);
    const known = this.#positions.get(key);
    const position = known ?? this.#items.length;
    this.#place(item, position);
    this.#up(position);
    this.#down(this.#positions.get(key) ?? position);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.delete(this.#keyOf(top));
    return top;
  }

  /** @returns the item that was there */
  delete(key: string): T | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    const item = this.#items[position];
    this.#positions.delete(key);
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#place(last, position);
      this.#up(position);
      this.#down(this.#positions.get(this.#keyOf(last)) ?? position);
    }
    return item;
  }

  #place(item: T, position: number): void {
    this.#items[position] = item;
    this.#positions.set(this.#keyOf(item), position);
  }

  #up(from: number): void {
    let position = from;
    const item = this.#items[position];
    if (item === undefined) return;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#items[parent];
      if (above === undefined || !this.#less(item, above)) break;
      this.#place(above, position);
      position = parent;
    }
    if (position !== from) this.#place(item, position);
  }

  #down(from: number): void {
    let position = from;
    const item = this.#items[position];
    if (item === undefined) return;
    for (;;) {
      let child = 2 * position + 1;
      let least = this.#items[child];
      if (least === undefined) break;
      const right = this.#items[child + 1];
      if (right !== undefined && this.#less(right, least)) {
        least = right;
        child++;
      }
      if (!this.#less(least, item)) break;
      this.#place(least, position);
      position = child;
    }
    if (position !== from) this.#place(item, position);
  }
}
