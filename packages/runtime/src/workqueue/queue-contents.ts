// What a work queue holds, as data: for diagnostics pages and tests. Nothing decides on it.

/** A moment's picture of a queue. Lists are cut at the limit they were asked with; `length` of the queue counts all. */
export interface QueueContents {
  /** Waiting for a worker, in no particular order. */
  readonly ready: readonly { readonly key: string; readonly priority: number }[];
  /** Under work. */
  readonly processing: readonly string[];
  /** Not ready yet. `inMs` from now, milliseconds. */
  readonly waiting: readonly { readonly key: string; readonly inMs: number; readonly priority: number }[];
}
