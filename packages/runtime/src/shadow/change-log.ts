// The recent changes of a cache, kept so that it can be shown as it was: only while somebody needs that, and bounded.

import type { KubeObject } from '@homeostat/machinery';
import { keyOf, type ObjectKey } from '@homeostat/client';
import type { Change } from '../informer/change.ts';

interface Entry {
  readonly key: ObjectKey;
  /** The object before the change. */
  readonly old: KubeObject | undefined;
}

/** A moment of a {@link ChangeLog}. Release it when it is not needed any more. */
export interface Moment {
  /** What the keys that changed since then held at that moment; grows. Undefined: too much has changed since. */
  changed(): ReadonlyMap<ObjectKey, KubeObject | undefined> | undefined;
  release(): void;
}

export class ChangeLog {
  readonly #entriesMax: number;
  #entries: Entry[] = [];
  /** Of the first entry. */
  #start = 0;
  readonly #moments = new Set<Moment>();

  /** @param entriesMax changes kept; of more, the oldest are dropped, and moments before them are lost */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** Changes kept now. */
  get size(): number {
    return this.#entries.length;
  }

  add(change: Change): void {
    if (this.#moments.size === 0 || change.type === 'resync') return;
    const old = change.type === 'updated' ? change.old : change.type === 'deleted' ? change.object : undefined;
    this.#entries.push({ key: keyOf(change.object), old });
    if (this.#entries.length < 2 * this.#entriesMax) return;
    this.#entries = this.#entries.slice(this.#entriesMax);
    this.#start += this.#entriesMax;
  }

  /** Now. */
  mark(): Moment {
    let next = this.#start + this.#entries.length;
    const seen = new Map<ObjectKey, KubeObject | undefined>();
    const moment: Moment = {
      changed: () => {
        if (next < this.#start) return undefined;
        for (; next < this.#start + this.#entries.length; next++) {
          const entry = this.#entries[next - this.#start];
          if (entry !== undefined && !seen.has(entry.key)) seen.set(entry.key, entry.old);
        }
        return seen;
      },
      release: () => {
        this.#moments.delete(moment);
        if (this.#moments.size > 0) return;
        this.#start += this.#entries.length;
        this.#entries = [];
      },
    };
    this.#moments.add(moment);
    return moment;
  }
}
