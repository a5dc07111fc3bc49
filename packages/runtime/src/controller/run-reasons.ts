// Why a key is looked at: kept beside the queue, for logs and `why` only (law 1: a reconcile is never told, so that it can't decide on
// it). A bounded list a key, taken when a run starts.

import type { ObjectKey } from '@homeostat/client';
import type { Change } from '../informer/change.ts';

/** A change of a watched object that woke a key. */
export interface WakeCause {
  readonly resource: string;
  readonly change: Change['type'];
  readonly object: ObjectKey;
  /** API group of {@link resource}; empty for the core group. */
  readonly group: string;
  /** The resourceVersion, and the uid, of the object as it woke. */
  readonly version: string;
  readonly uid: string;
}

/** One reason of a run. */
export type RunReason =
  | ({ readonly type: 'change' } & WakeCause)
  /** The run before failed, `failures` times in a row by now. */
  | { readonly type: 'retry'; readonly failures: number }
  /** The run before asked to look again. */
  | { readonly type: 'requeue'; readonly afterMs: number }
  /** The cache went past a write of an earlier run without showing it. */
  | { readonly type: 'unseen-write'; readonly resource: string }
  /** The object moved on during the run before. */
  | { readonly type: 'superseded' }
  /** The controller's `startKeys`, or a call of `wake`. */
  | { readonly type: 'start' | 'wake' };

export interface RunReasons {
  /** The latest, oldest first. */
  readonly reasons: readonly RunReason[];
  /** Earlier ones that were dropped. */
  readonly dropped: number;
}

/** Reasons kept for one key; of more, the oldest are dropped and counted. */
const reasonsMax = 8;

/** The reasons of one controller's keys. Memory: at most {@link reasonsMax} for each key that waits for a run. */
export class ReasonBook {
  readonly #books = new Map<ObjectKey, { reasons: RunReason[]; dropped: number }>();

  add(key: ObjectKey, reason: RunReason): void {
    const book = this.#books.get(key);
    if (book === undefined) {
      this.#books.set(key, { reasons: [reason], dropped: 0 });
      return;
    }
    book.reasons.push(reason);
    if (book.reasons.length <= reasonsMax) return;
    book.reasons.shift();
    book.dropped++;
  }

  /** The reasons of a run that starts; what comes later belongs to the next one. */
  take(key: ObjectKey): RunReasons {
    const book = this.#books.get(key);
    if (book === undefined) return none;
    this.#books.delete(key);
    return book;
  }

  get size(): number {
    return this.#books.size;
  }
}

const none: RunReasons = { reasons: [], dropped: 0 };

/** The latest change among reasons. */
export function latestChange({ reasons }: RunReasons): WakeCause | undefined {
  const found = reasons.findLast((reason) => reason.type === 'change');
  if (found === undefined) return undefined;
  const { type: _type, ...cause } = found;
  return cause;
}
