// A handler that hears of some objects only. To it, an object that begins to pass is added and one that ceases to pass is deleted.

import type { KubeObject } from '@homeostat/machinery';
import { keyOf, type ObjectKey } from '@homeostat/client';
import type { Change, ChangeHandler } from './change.ts';

/**
 * Wraps `handler` so that it hears only of objects for which `passes` holds. Which objects those are is remembered by key (memory: one
 * key an object that passes), so the handler's view is whole even when an object's last state passes otherwise than the one before.
 *
 * @example
 * informer.addHandler(filterChanges((pod) => pod.spec?.nodeName === 'node-1', handle));
 */
export function filterChanges<T extends KubeObject>(
  passes: (object: T) => boolean,
  handler: ChangeHandler<T>,
): ChangeHandler<T> {
  const told = new Set<ObjectKey>();
  return (change) => {
    const key = keyOf(change.object);
    const next = narrow(change, told.has(key), passes);
    if (next === undefined) return undefined;
    const note = (): void => {
      if (next.type === 'deleted') told.delete(key);
      else told.add(key);
    };
    // What the handler failed on it has not heard: it is told again.
    const result = handler(next);
    if (result !== undefined) return result.then(note);
    note();
    return undefined;
  };
}

function narrow<T extends KubeObject>(
  change: Change<T>,
  known: boolean,
  passes: (object: T) => boolean,
): Change<T> | undefined {
  switch (change.type) {
    case 'added':
      return passes(change.object) ? change : undefined;
    case 'updated':
      if (passes(change.object)) return known ? change : { type: 'added', object: change.object, initial: false };
      return known ? { type: 'deleted', object: change.old, lastStateUnknown: false } : undefined;
    case 'deleted':
    case 'resync':
      return known ? change : undefined;
  }
}
