// The port between sequencing (main thread) and durability. Engines that are not durable have none.

import type { StorageError } from '../store.ts';
import type { Change } from './change.ts';

/** Makes changes durable in the order they are appended. */
export interface CommitLog {
  /** Takes a change; `CommitListener.committed` follows when it is durable. Never waits, never throws. */
  append(change: Change): void;
  /** Bytes of values appended and not yet durable. */
  readonly pendingBytes: number;
  /** Removes from disk what only revisions below `revision` need. @throws StorageError */
  compact(revision: number): Promise<void>;
  /** Makes durable what was appended, then releases everything. */
  close(): Promise<void>;
}

export interface CommitListener {
  /** Everything up to `revision` is durable. */
  committed(revision: number): void;
  /**
   * Nothing that was appended and not committed will be: those changes never happened.
   * `fatal` = the log accepts nothing any more.
   */
  failed(error: StorageError, fatal: boolean): void;
}
