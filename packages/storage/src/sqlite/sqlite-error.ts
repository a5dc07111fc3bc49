// Turns SQLite's result codes into the errors of the storage contract.

import type { StorageErrorCode } from '../store.ts';

/** What `node:sqlite` throws, as far as it is needed here. */
interface SqliteError extends Error {
  readonly errcode: number;
}

// Primary result codes of SQLite (the low byte of the extended ones).
const busy = 5;
const corrupt = 11;
const full = 13;
const notDatabase = 26;

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === busy;
}

export function storageCodeOf(error: unknown): StorageErrorCode {
  if (!isSqliteError(error)) return 'io';
  switch (error.errcode & 0xff) {
    case full:
      return 'no-space';
    case corrupt:
    case notDatabase:
      return 'corrupt';
    default:
      return 'io';
  }
}
