// Merges two changes of one object into what a handler that saw neither must hear. Keeps memory bounded by the number of
// objects while a handler is busy or failing, and never hides that an object was replaced by another of its name.

import type { KubeObject } from '@homeostat/machinery';
import type { Change } from './change.ts';

/** The changes left to tell of one object, oldest first: none, one, or a deletion followed by an addition. */
export type Pending<T extends KubeObject> = readonly Change<T>[];

/** `pending` followed by `next`, in the fewest changes that lead to the same state. */
export function mergeChange<T extends KubeObject>(pending: Pending<T>, next: Change<T>): Pending<T> {
  const last = pending.at(-1);
  if (last === undefined) return [next];
  const before = pending.slice(0, -1);
  switch (next.type) {
    case 'resync':
      return last.type === 'deleted' ? pending : last.type === 'resync' ? [...before, next] : pending;
    case 'updated':
      if (last.type === 'added') return [...before, { ...last, object: next.object }];
      if (last.type === 'updated') return [...before, { type: 'updated', old: last.old, object: next.object }];
      return [...before, next];
    case 'deleted':
      // An addition nobody heard of, gone again: an earlier deletion still counts.
      if (last.type === 'added') return before;
      return [...before, next];
    case 'added':
      return last.type === 'deleted' ? [...before, last, next] : [...before, next];
  }
}
