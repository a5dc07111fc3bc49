// What handlers are told. Events are true to uids: a recreated object is a deletion and an addition, never an update.

import type { KubeObject } from '@homeostat/machinery';

/** One change of the cache. */
export type Change<T extends KubeObject = KubeObject> =
  | {
      readonly type: 'added';
      readonly object: T;
      /** Part of the first list, as far as this handler is concerned. */ readonly initial: boolean;
    }
  | { readonly type: 'updated'; readonly old: T; readonly object: T }
  /**
   * `object` is the last known state; `lastStateUnknown` when the deletion itself was not seen (tombstone). `outOfScope`: the object may
   * well live on, but its namespace has left the set that is followed; reading it is an error now.
   */
  | {
      readonly type: 'deleted';
      readonly object: T;
      readonly lastStateUnknown: boolean;
      readonly outOfScope?: true;
    }
  /** Nothing changed; the resync period of the handler has passed. */
  | { readonly type: 'resync'; readonly object: T };

/**
 * Hears changes, one after the other, in the order of the cache. A handler that returns a promise gets the next change when it
 * settled; while it is busy, changes of one object are merged. One that throws or rejects is told again of the object's
 * state, with back-off, until it succeeds.
 */
export type ChangeHandler<T extends KubeObject = KubeObject> = (change: Change<T>) => void | Promise<void>;
