// Stage 2 of the loop: what the reflector saw, in the order it saw it, until the informer takes it. One ordered list of
// deltas, as client-go's RealFIFO in atomic mode; no merging by key, so nothing overtakes (spec/client.md §4.2; ADR in docs/adr).
// Bound: `lengthMax` deltas, then the producer must wait for room; nothing is dropped.

import { createDeferred, type Deferred } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';

/** One thing that happened, or that the informer asked to be done at this place in the order. */
export type Delta<T extends KubeObject = KubeObject> =
  | { readonly type: 'upserted'; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T }
  /** The whole content, from a list. */
  | { readonly type: 'replaced'; readonly objects: readonly T[]; readonly resourceVersion: string }
  /** Progress without a change. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  /** Work of the informer that must be done in order: attach a handler, resync, compare for a repair. */
  | { readonly type: 'task'; run(): Promise<void> | void };

export interface DeltaFifoOptions {
  /** Deltas held before `room` waits; default 10,000. */
  readonly lengthMax?: number;
}

/** A bounded queue of deltas with one consumer. */
export class DeltaFifo<T extends KubeObject = KubeObject> {
  readonly #lengthMax: number;
  #head = 0;
  #items: (Delta<T> | undefined)[] = [];
  #filled: Deferred<void> | undefined;
  #emptied: Deferred<void> | undefined;

  constructor(options: DeltaFifoOptions = {}) {
    this.#lengthMax = options.lengthMax ?? 10_000;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** Appends. Producers that stream must await {@link room} when it is not undefined. */
  push(delta: Delta<T>): void {
    this.#items.push(delta);
    this.#filled?.resolve();
    this.#filled = undefined;
  }

  /** Takes the oldest delta; undefined when empty. */
  shift(): Delta<T> | undefined {
    if (this.#head === this.#items.length) return undefined;
    const delta = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    if (this.#emptied !== undefined && this.length < this.#lengthMax) {
      this.#emptied.resolve();
      this.#emptied = undefined;
    }
    return delta;
  }

  /** Resolves when there is something to take. One consumer only. */
  filled(): Promise<void> {
    if (this.length > 0) return Promise.resolve();
    this.#filled ??= createDeferred<void>();
    return this.#filled.promise;
  }

  /** Undefined when there is room, else a promise for it. */
  room(): Promise<void> | undefined {
    if (this.length < this.#lengthMax) return undefined;
    this.#emptied ??= createDeferred<void>();
    return this.#emptied.promise;
  }
}
