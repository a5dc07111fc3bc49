// The file format of the SQLite engine, version 1. Shared by the loader (main thread) and the worker.
//
// One table of states in the order they came to be. A row's number is `revision * 1024 + ordinal`, so writing appends
// and reading in row order replays history; `previous` names the row that this one replaced, which is what
// compaction needs to find the rows nobody can ask for. A deletion is a row without a value.

import type { DatabaseSync } from 'node:sqlite';

/** Format written and understood by this version. */
export const schemaVersion = 1;

/** Marks the file as ours (`PRAGMA application_id`): "Hmst". */
export const applicationId = 0x486d7374;

const ordinalsPerRevision = 1024;

export function rowId(revision: number, ordinal: number): number {
  return revision * ordinalsPerRevision + ordinal;
}

export function revisionOf(id: number): number {
  return Math.floor(id / ordinalsPerRevision);
}

export function ordinalOf(id: number): number {
  return id % ordinalsPerRevision;
}

/** Sets what each connection needs for itself: writes are on the disk when COMMIT returns. */
export function configureConnection(database: DatabaseSync): void {
  // Checkpoints happen when the writer is idle, see commit-worker.ts.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
}

/** Creates the tables in an empty file, all or nothing. */
export function createSchema(database: DatabaseSync): void {
  database.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO meta VALUES ('schemaVersion', ${schemaVersion}), ('compactedRevision', 1);
    CREATE TABLE state (
      id INTEGER PRIMARY KEY,
      key TEXT NOT NULL,
      value BLOB,
      createRevision INTEGER NOT NULL,
      version INTEGER NOT NULL,
      previous INTEGER NOT NULL,
      expiresAtMs REAL NOT NULL
    ) STRICT;
    PRAGMA application_id = ${applicationId};
    COMMIT;`);
}
