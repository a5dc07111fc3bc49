// @homeostat/storage/sqlite/worker: the thread that waits for the disk. It knows rows and transactions of SQLite,
// nothing of compares, watches or time; it does one request at a time and answers each.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { StorageErrorCode } from '../store.ts';
import { configureConnection, rowId } from './schema.ts';
import { storageCodeOf } from './sqlite-error.ts';
import { numbersPerRow, type WriteBatch } from './write-batch.ts';

export interface CommitWorkerData {
  readonly path: string;
  /** Largest size of the file in bytes; 0 = the disk's. */
  readonly sizeBytesMax: number;
}

export type WorkerRequest =
  /** The file has its tables now. */
  | { readonly type: 'open' }
  | { readonly type: 'write'; readonly batch: WriteBatch }
  /** Removes what only revisions below `to` need, all below `from` being gone already. */
  | { readonly type: 'compact'; readonly from: number; readonly to: number }
  /** Moves the write-ahead log into the file. */
  | { readonly type: 'checkpoint' }
  | { readonly type: 'close' };

export type WorkerReply =
  { readonly type: 'done' } | { readonly type: 'failed'; readonly code: StorageErrorCode; readonly message: string };

class CommitWorker {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #deleteReplaced: StatementSync;
  readonly #deleteDeletions: StatementSync;
  readonly #setCompacted: StatementSync;

  constructor({ path, sizeBytesMax }: CommitWorkerData) {
    this.#database = new DatabaseSync(path);
    configureConnection(this.#database);
    if (sizeBytesMax > 0) this.#database.exec(`PRAGMA max_page_count = ${Math.ceil(sizeBytesMax / 4096)}`);
    this.#insert = this.#database.prepare(
      'INSERT INTO state (id, key, value, createRevision, version, previous, expiresAtMs) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#deleteReplaced = this.#database.prepare(
      'DELETE FROM state WHERE id IN (SELECT previous FROM state WHERE id >= ? AND id < ? AND previous > 0)',
    );
    this.#deleteDeletions = this.#database.prepare('DELETE FROM state WHERE id >= ? AND id < ? AND value IS NULL');
    this.#setCompacted = this.#database.prepare("UPDATE meta SET value = ? WHERE name = 'compactedRevision'");
  }

  handle(request: Exclude<WorkerRequest, { type: 'open' }>): void {
    switch (request.type) {
      case 'write':
        return this.#transaction(() => this.#write(request.batch));
      case 'compact':
        return this.#transaction(() => this.#compact(rowId(request.from, 0), rowId(request.to, 0), request.to));
      case 'checkpoint':
        return this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      case 'close':
        return this.#close();
    }
  }

  #close(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // On a full disk the log stays beside the file: nothing is lost, the next opening reads both.
      if (storageCodeOf(error) !== 'no-space') throw error;
    } finally {
      this.#database.close();
    }
  }

  #transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      // SQLite has rolled back by itself after some errors.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #write({ keys, numbers, values }: WriteBatch): void {
    let begin = 0;
    keys.forEach((key, index) => {
      const [id = 0, createRevision = 0, version = 0, previous = 0, expiresAtMs = 0, end = 0] = numbers.subarray(
        index * numbersPerRow,
        (index + 1) * numbersPerRow,
      );
      const value = end < 0 ? null : values.subarray(begin, end);
      this.#insert.run(id, key, value, createRevision, version, previous, expiresAtMs);
      if (end >= 0) begin = end;
    });
  }

  #compact(fromId: number, toId: number, revision: number): void {
    this.#deleteReplaced.run(fromId, toId);
    this.#deleteDeletions.run(fromId, toId);
    this.#setCompacted.run(revision);
  }
}

const port = parentPort;
if (port !== null) {
  let worker: CommitWorker | undefined;
  port.on('message', (request: WorkerRequest) => {
    try {
      if (request.type === 'open') worker = new CommitWorker(workerData as CommitWorkerData);
      else worker?.handle(request);
      port.postMessage({ type: 'done' } satisfies WorkerReply);
      if (request.type === 'close') port.close();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      port.postMessage({ type: 'failed', code: storageCodeOf(error), message } satisfies WorkerReply);
      if (request.type === 'close') port.close();
    }
  });
}
