// @homeostat/storage/sqlite: the durable engine for one machine. The whole current state is in memory as bytes; SQLite
// is its log. Sequencing is the code of the memory engine; the disk is waited for in a worker (commit-queue.ts), which
// starts while the state is being read. Lays no claim to sharing: one process has the directory (directory-lock.ts).

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Env } from '@homeostat/base';
import { SequencedStore } from '../sequencing/sequenced-store.ts';
import { StorageError, type Store, type ValueHolder } from '../store.ts';
import { holdBytes } from '../value-holder.ts';
import { CommitQueue } from './commit-queue.ts';
import type { CommitWorkerData } from './commit-worker.ts';
import { lockDirectory, type DirectoryLock } from './directory-lock.ts';
import { loadState, type LoadedState } from './load-state.ts';
import { configureConnection } from './schema.ts';
import { storageCodeOf } from './sqlite-error.ts';

export { type DirectoryLock, lockDirectory };

export interface SqliteStoreOptions {
  /** Folder of the store's files; made (for the owner only) when it is absent. */
  readonly directory: string;
  readonly env: Env;
  /** Largest size of the file in bytes, then writes fail with `no-space`; default: what the disk has. */
  readonly sizeBytesMax?: number;
  /** Revisions of history kept at most; default 200,000. More costs memory and disk for the replaced values. */
  readonly historyMax?: number;
  /** Writes in flight at most, then `overloaded`; default 4,096. */
  readonly pendingMax?: number;
  /** Bytes of writes in flight at most, then `overloaded`; default 64 MiB. */
  readonly pendingBytesMax?: number;
}

export interface SqliteStore extends Store {
  /** Number of changes kept since the compaction. */
  readonly historyLength: number;
}

/**
 * Opens the store in a directory, recovering what was committed whatever ended its last user.
 *
 * @throws StorageError `locked` (naming the holder), `corrupt`, `incompatible`, `no-space`, `io`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { directory, env } = options;
  const lock = takeDirectory(directory, env.clock.nowMs());
  const path = join(directory, 'state.db');
  const worker = startWorker({ path, sizeBytesMax: options.sizeBytesMax ?? 0 });
  let database: DatabaseSync | undefined;
  try {
    // SQLite gives its side files the mode of the file.
    closeSync(openSync(path, 'a', 0o600));
    const opened = (database = new DatabaseSync(path));
    configureConnection(opened);
    const loaded = await loadState(opened, env.clock);
    // The last connection that closes moves the log into the file, which takes time: so this one is not the last.
    return new LockedSqliteStore(options, loaded, { worker, lock, reader: opened });
  } catch (error) {
    database?.close();
    await worker.terminate();
    lock.release();
    throw openingError(directory, error);
  }
}

function takeDirectory(directory: string, nowMs: number): DirectoryLock {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return lockDirectory(directory, nowMs);
  } catch (error) {
    throw error instanceof StorageError ? error : openingError(directory, error);
  }
}

function startWorker(workerData: CommitWorkerData): Worker {
  const worker = new Worker(fileURLToPath(import.meta.resolve('@homeostat/storage/sqlite/worker')), {
    workerData,
    env: workerEnvironment(),
  });
  // A worker that cannot start is noticed by the queue; until the queue listens, an error must not end the process.
  worker.on('error', () => {});
  return worker;
}

// A thread does not inherit the compile cache. With it the worker starts three times as fast, and from source it needs no
// TypeScript parser of its own, which would take 23 MB.
function workerEnvironment(): Record<string, string> {
  const directory = getCompileCacheDir();
  // The directory is the one of this version of Node within the one that is configured.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}

/** What an open store holds besides memory. */
interface Resources {
  readonly worker: Worker;
  readonly lock: DirectoryLock;
  /** The connection that read the state; closed when the worker has the file open too. */
  readonly reader: DatabaseSync;
}

function closeReader({ reader }: Resources): void {
  if (reader.isOpen) reader.close();
}

class LockedSqliteStore extends SequencedStore implements SqliteStore {
  readonly #resources: Resources;

  constructor(options: SqliteStoreOptions, loaded: LoadedState, resources: Resources) {
    super({
      ...options,
      ...loaded,
      retain: retainBytes,
      createLog: (listener) =>
        new CommitQueue({
          worker: resources.worker,
          listener,
          directory: options.directory,
          compactedRevision: loaded.state.compactedRevision,
          onOpen: () => closeReader(resources),
        }),
    });
    this.#resources = resources;
  }

  override async close(): Promise<void> {
    try {
      await super.close();
    } finally {
      await this.#resources.worker.terminate();
      closeReader(this.#resources);
      this.#resources.lock.release();
    }
  }
}

/** What stays of a written value: its bytes, without the object and without the large buffer they may be a view of. */
function retainBytes(value: ValueHolder): ValueHolder {
  const bytes = value.bytes();
  return holdBytes(bytes.byteLength * 2 < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes);
}

function openingError(directory: string, error: unknown): StorageError {
  const isOurs = error instanceof StorageError;
  const code = isOurs ? error.code : storageCodeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const advice =
    code === 'corrupt'
      ? ' (the file state.db is damaged or not a store: restore a copy of the directory, or move it away to start empty)'
      : '';
  return new StorageError(code, `opening the store in ${directory}: ${message}${advice}`, { cause: error });
}
