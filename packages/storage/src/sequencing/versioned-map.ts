// The visible state of a store: the current map, the changes since the compaction, and from both the exact state
// at every retained revision. No I/O, no waiting, no watchers; one writer (`sequenced-store.ts`).

import { invariant } from '@homeostat/base';
import { OrderedMap } from '../ordered-map.ts';
import { StorageError } from '../store.ts';
import type { Change, Entry } from './change.ts';

// An old state is rebuilt from the next checkpoint by undoing the changes between: at most this many, whatever the
// length of the history. A checkpoint is a clone and costs the copies that later writes make.
const checkpointEvery = 256;

interface View {
  readonly revision: number;
  readonly map: OrderedMap<Entry>;
}

export class VersionedMap {
  #current: OrderedMap<Entry>;
  #revision: number;
  #compactedRevision: number;
  /** Changes of the revisions `#revision - length + 1 … #revision`. */
  #changes: Change[];
  #checkpoints: View[];
  #lastView: View | undefined;

  /**
   * @param base state before the first change that will be applied
   * @param revision revision of that state
   * @param compactedRevision lowest revision that may be asked for
   */
  constructor(base = OrderedMap.empty<Entry>(), revision = 1, compactedRevision = revision) {
    this.#current = base;
    this.#revision = revision;
    this.#compactedRevision = compactedRevision;
    this.#changes = [];
    this.#checkpoints = [];
  }

  get revision(): number {
    return this.#revision;
  }

  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  /** The current state; only to read, and only until the next `apply`. */
  get current(): OrderedMap<Entry> {
    return this.#current;
  }

  /** Number of changes kept. */
  get historyLength(): number {
    return this.#changes.length;
  }

  apply(change: Change): void {
    invariant(change.revision === this.#revision + 1, `revision ${change.revision} does not follow ${this.#revision}`);
    for (const event of change.events) {
      if (event.current === undefined) this.#current.delete(event.key);
      else this.#current.set(event.key, event.current);
    }
    this.#revision = change.revision;
    this.#changes.push(change);
    if (change.revision % checkpointEvery === 0) {
      this.#checkpoints.push({ revision: change.revision, map: this.#current.clone() });
    }
  }

  /** State at a revision, 0 or absent for the current one; only to read. @throws StorageError `compacted`, `future` */
  at(revision: number | undefined): OrderedMap<Entry> {
    if (revision === undefined || revision === 0 || revision === this.#revision) return this.#current;
    this.assertRetained(revision);
    if (revision > this.#revision) {
      throw new StorageError('future', `revision ${revision} is above the current revision ${this.#revision}`, {
        revision: this.#revision,
      });
    }
    if (this.#lastView?.revision === revision) return this.#lastView.map;
    const after = this.#checkpoints.find((checkpoint) => checkpoint.revision >= revision);
    const map = (after?.map ?? this.#current).clone();
    for (let undo = after?.revision ?? this.#revision; undo > revision; undo--) this.#undo(map, undo);
    this.#lastView = { revision, map };
    return map;
  }

  /** The changes at or after `revision`, oldest first. @throws StorageError `compacted` */
  changesFrom(revision: number): readonly Change[] {
    this.assertRetained(revision);
    const first = this.#revision - this.#changes.length + 1;
    return revision > this.#revision ? [] : this.#changes.slice(Math.max(0, revision - first));
  }

  /** Forgets the changes below `revision`. @throws StorageError `future` */
  compact(revision: number): void {
    if (revision <= this.#compactedRevision) return;
    if (revision > this.#revision) {
      throw new StorageError('future', `compacting at ${revision}, above the current revision ${this.#revision}`, {
        revision: this.#revision,
      });
    }
    const first = this.#revision - this.#changes.length + 1;
    this.#changes = this.#changes.slice(Math.max(0, revision - first));
    this.#checkpoints = this.#checkpoints.filter((checkpoint) => checkpoint.revision >= revision);
    if (this.#lastView !== undefined && this.#lastView.revision < revision) this.#lastView = undefined;
    this.#compactedRevision = revision;
  }

  /** An independent copy with the same history: O(1) in the data, a copy of references in the history. */
  fork(): VersionedMap {
    const copy = new VersionedMap(this.#current.clone(), this.#revision, this.#compactedRevision);
    copy.#changes = [...this.#changes];
    copy.#checkpoints = [...this.#checkpoints];
    return copy;
  }

  /** @throws StorageError `compacted` when `revision` is below the compaction. */
  assertRetained(revision: number): void {
    if (revision >= this.#compactedRevision) return;
    throw new StorageError(
      'compacted',
      `revision ${revision} has been compacted, the first one kept is ${this.#compactedRevision}`,
      { revision: this.#compactedRevision },
    );
  }

  #undo(map: OrderedMap<Entry>, revision: number): void {
    const change = this.#changes[this.#changes.length - 1 - (this.#revision - revision)];
    invariant(change?.revision === revision, `history has no change ${revision}`);
    for (const event of change.events) {
      if (event.previous === undefined) map.delete(event.key);
      else map.set(event.key, event.previous);
    }
  }
}
