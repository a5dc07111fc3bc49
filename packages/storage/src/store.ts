// The storage contract: etcd's model of a revisioned key-value store with watch.
// Engines: `memory/`, `sqlite/`, later etcd. All pass the kit in `conformance/`. Knows nothing of Kubernetes.

/**
 * A stored value (design law 6): bytes per encoding, and the decoded object where a writer handed one over.
 * Immutable. Memory-like engines keep the holder itself, so its object reaches watchers without a decode;
 * engines on disk rebuild one from bytes.
 */
export interface ValueHolder {
  /** The stored bytes; computed at most once. */
  bytes(): Uint8Array;
  /** The decoded object if the writer supplied one or somebody decoded it through this holder. */
  object: unknown;
}

export interface KeyValue {
  readonly key: string;
  readonly value: ValueHolder;
  readonly createRevision: number;
  readonly modRevision: number;
  /** 1 after the create, one more for each put. */
  readonly version: number;
}

export interface RangeOptions {
  readonly prefix: string;
  /** First key to return (inclusive), for paging; must start with `prefix`. Default: `prefix`. */
  readonly from?: string;
  /** Most items to return; 0 or absent = all. */
  readonly limit?: number;
  /** Read at exactly this revision; absent = current. */
  readonly revision?: number;
  /** Only count, return no items. */
  readonly countOnly?: boolean;
}

export interface RangeResult {
  readonly items: readonly KeyValue[];
  /** Revision of the store the answer is of (the asked one, or the current one). */
  readonly revision: number;
  /** Whether more keys follow the last item. */
  readonly more: boolean;
  /** Number of keys from `from` to the end of the prefix, whatever the limit. */
  readonly count: number;
}

export type Operation =
  /** `ttlSeconds`: the entry is deleted by an ordinary transaction after that time, unless it is put again before. */
  | { readonly type: 'put'; readonly key: string; readonly value: ValueHolder; readonly ttlSeconds?: number }
  | { readonly type: 'delete'; readonly key: string };

/** Holds when the key's modRevision equals the given one; 0 = the key does not exist. */
export interface Compare {
  readonly key: string;
  readonly modRevision: number;
}

export interface TxnResult {
  /** Whether all compares held and the operations were done. */
  readonly succeeded: boolean;
  /** The transaction's revision when it wrote, else the current one. */
  readonly revision: number;
  /** When it failed: the present state of each compared key, in the order of `compare`. */
  readonly current: readonly (KeyValue | undefined)[];
  /** When it succeeded: the state before, of each operation's key, in the order of `operations`. */
  readonly previous: readonly (KeyValue | undefined)[];
}

export interface StoreEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** Revision of the change; several events of one transaction share it. */
  readonly revision: number;
  /** New state; for a delete, undefined. */
  readonly current: KeyValue | undefined;
  /** State before; undefined for a create. */
  readonly previous: KeyValue | undefined;
}

export interface WatchOptions {
  readonly prefix: string;
  /** First revision to deliver, which may lie in the future. Absent or 0 = everything after the call. */
  readonly fromRevision?: number;
  readonly signal: AbortSignal;
  /** Most undelivered events before the watch is ended with `slow-watcher`; default 10,000. */
  readonly bufferMax?: number;
}

/** What a watch yields: the events of one revision together, or a sign that nothing happened up to a revision. */
export type WatchBatch =
  | { readonly type: 'events'; readonly revision: number; readonly events: readonly StoreEvent[] }
  | { readonly type: 'progress'; readonly revision: number };

/** What a store or a watch of it could not do; {@link StorageErrorCode} says what the caller may do about it. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  /** For `compacted`: the first revision that is still there. For `future`: the current one. */
  readonly revision: number;

  constructor(code: StorageErrorCode, message: string, options: { revision?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.revision = options.revision ?? 0;
  }
}

export type StorageErrorCode =
  /** The revision is below the compaction: read the current state and start again from there. */
  | 'compacted'
  /** The revision is above the current one. */
  | 'future'
  /** The watch was ended because its reader fell behind: read the current state and watch again. */
  | 'slow-watcher'
  /** The store was closed. */
  | 'closed'
  /** The transaction can never be taken: too many operations or too many bytes. */
  | 'too-large'
  /** More writes are in flight than the engine takes: nothing was written, try again later. */
  | 'overloaded'
  /** The disk or the quota is full: nothing was written, reads still work, writes work again once there is room. */
  | 'no-space'
  /** The disk failed: nothing more can be written until the store is opened again. */
  | 'io'
  /** Opening: another process has the store open. */
  | 'locked'
  /** Opening: the files are not a store, or are damaged. */
  | 'corrupt'
  /** Opening: the files were written by a version whose format this one does not know. */
  | 'incompatible';

/**
 * A revisioned store. Guarantees, each shown by the conformance kit:
 * 1. One global revision, starting at 1 in an empty store, raised by exactly one for every transaction that writes.
 * 2. A transaction is atomic and linearizable; a read after an acknowledged write sees it.
 * 3. Acknowledged means durable, for engines that are.
 * 4. A watch delivers every change at or after its start once, in revision order, without gaps; its start may lie
 *    in the past as long as it is not compacted.
 * 5. `range` at a revision is exact for every revision from the compaction to the current.
 */
export interface Store {
  /** Revision of the last acknowledged write. */
  readonly revision: number;
  /** Lowest revision that reads and watches may ask for. */
  readonly compactedRevision: number;
  /** @throws StorageError `compacted`, `future` */
  get(
    key: string,
    options?: { readonly revision?: number },
  ): Promise<{ readonly item: KeyValue | undefined; readonly revision: number }>;
  /** Items in key order (bytewise). @throws StorageError `compacted`, `future` */
  range(options: RangeOptions): Promise<RangeResult>;
  /**
   * All-or-nothing. No key may occur twice in `operations`; a delete of an absent key does nothing and uses no revision.
   * @throws StorageError `no-space`, `overloaded`, `too-large`, `io`, `closed`
   */
  txn(transaction: {
    readonly compare: readonly Compare[];
    readonly operations: readonly Operation[];
  }): Promise<TxnResult>;
  /**
   * Opens a watch; the call itself fixes the start. The iterator ends when the signal aborts.
   * @throws StorageError `compacted` (at once), `slow-watcher`, `closed` (while iterating)
   */
  watch(options: WatchOptions): AsyncIterable<WatchBatch>;
  /** Makes every watch yield a `progress` batch with the current revision once it has yielded all events up to it. */
  requestProgress(): void;
  /**
   * Forgets history below `revision`; the current state stays, and so does the change of `revision` itself.
   * Does nothing when that was forgotten before. @throws StorageError `future`
   */
  compact(revision: number): Promise<void>;
  /** Ends watches with `closed`, flushes, releases files. */
  close(): Promise<void>;
}
