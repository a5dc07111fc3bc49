// Keeps a second process (or a second store of the same process) out of a store's directory.
// The lock is an exclusive SQLite transaction on an empty file: the operating system drops it when the process ends,
// however it ends, so there are no stale locks to guess about. `holder.json` only says who has it.

import { openSync, closeSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../store.ts';
import { isBusy } from './sqlite-error.ts';

export interface DirectoryLock {
  release(): void;
}

/** @throws StorageError `locked`, naming the holder */
export function lockDirectory(directory: string, nowMs: number): DirectoryLock {
  const path = join(directory, 'lock');
  const holderPath = join(directory, 'holder.json');
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new StorageError(
      'locked',
      `opening the store in ${directory}: it is in use by ${describeHolder(holderPath)}; stop that first or use another directory`,
      { cause: error },
    );
  }
  writeHolder(holderPath, nowMs);
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}

function writeHolder(path: string, nowMs: number): void {
  const since = new Date(nowMs).toISOString();
  const holder = { pid: process.pid, program: process.argv[1] ?? process.execPath, since };
  try {
    writeFileSync(path, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch {
    // On a full disk the lock holds all the same; a second process is refused without being told by whom.
  }
}

function describeHolder(path: string): string {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as { pid: number; program: string; since: string };
    const own = holder.pid === process.pid ? ' (this process)' : '';
    return `process ${holder.pid}${own}, ${holder.program}, since ${holder.since}`;
  } catch {
    // The holder has the lock but has not written its name yet.
    return 'another process';
  }
}
