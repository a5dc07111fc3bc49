// The SQLite engine against the kit, and its own failures: locks, damage, full disks, too much in flight.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { storeConformance } from '../conformance/store-conformance.ts';
import { StorageError, type Store, type StorageErrorCode } from '../store.ts';
import { holdBytes } from '../value-holder.ts';
import { openSqliteStore } from './sqlite-store.ts';

const root = mkdtempSync(join(tmpdir(), 'homeostat-sqlite-'));
after(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
function freshDirectory(): string {
  return join(root, String(folders++));
}

storeConformance(
  'sqlite store',
  async ({ env }) => {
    const directory = freshDirectory();
    let store = await openSqliteStore({ directory, env });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await openSqliteStore({ directory, env });
        return store;
      },
      dispose: () => store.close(),
    };
  },
  { durable: true, keepsHolders: false },
);

function put(store: Store, key: string, size = 10): Promise<{ readonly revision: number }> {
  const value = holdBytes(new Uint8Array(size).fill(7));
  return store.txn({ compare: [], operations: [{ type: 'put', key, value }] });
}

async function rejectsWith(code: StorageErrorCode, action: () => Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(action, (error) => {
    assert.ok(error instanceof StorageError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

const env = createVirtualEnv();

describe('openSqliteStore()', () => {
  it('refuses a directory that is in use, names the holder, and opens it once that is gone', async () => {
    const directory = freshDirectory();
    const first = await openSqliteStore({ directory, env });
    await rejectsWith('locked', () => openSqliteStore({ directory, env }), new RegExp(`process ${process.pid} `));
    await put(first, '/a');
    await first.close();
    const second = await openSqliteStore({ directory, env });
    assert.equal(second.revision, 2);
    await second.close();
  });

  it('makes files for the owner only', async () => {
    const directory = freshDirectory();
    const store = await openSqliteStore({ directory, env });
    await put(store, '/a');
    assert.equal(statSync(directory).mode & 0o077, 0);
    for (const name of readdirSync(directory)) assert.equal(statSync(join(directory, name)).mode & 0o077, 0, name);
    await store.close();
  });

  it('says that a file which is no database is corrupt', async () => {
    const directory = freshDirectory();
    await (await openSqliteStore({ directory, env })).close();
    writeFileSync(join(directory, 'state.db'), 'this is not a database, but text that is long enough to be looked at');
    await rejectsWith('corrupt', () => openSqliteStore({ directory, env }), /state\.db is damaged or not a store/);
  });

  it('says that a database of another program is corrupt and leaves it alone', async () => {
    const directory = freshDirectory();
    await (await openSqliteStore({ directory, env })).close();
    rmSync(join(directory, 'state.db'));
    const other = new DatabaseSync(join(directory, 'state.db'));
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    await rejectsWith('corrupt', () => openSqliteStore({ directory, env }), /another program/);
    const again = new DatabaseSync(join(directory, 'state.db'));
    assert.equal(again.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'], 1);
    again.close();
  });

  it('says that a truncated file is corrupt', async () => {
    const directory = freshDirectory();
    const store = await openSqliteStore({ directory, env });
    for (let index = 0; index < 50; index++) await put(store, `/k${index}`, 5000);
    await store.close();
    truncateSync(join(directory, 'state.db'), 40_960);
    await rejectsWith('corrupt', () => openSqliteStore({ directory, env }), /opening the store in/);
  });

  it('says that a missing revision is corrupt', async () => {
    const directory = freshDirectory();
    const store = await openSqliteStore({ directory, env });
    for (let index = 0; index < 5; index++) await put(store, `/k${index}`);
    await store.close();
    const database = new DatabaseSync(join(directory, 'state.db'));
    database.exec('DELETE FROM state WHERE id = 3 * 1024');
    database.close();
    await rejectsWith('corrupt', () => openSqliteStore({ directory, env }), /revision 3 is missing/);
  });

  it('says which directory it cannot make', async () => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    await rejectsWith(
      'io',
      () => openSqliteStore({ directory: join(file, 'store'), env }),
      /opening the store in .*a-file/,
    );
  });

  it('refuses a format it does not know', async () => {
    const directory = freshDirectory();
    await (await openSqliteStore({ directory, env })).close();
    const database = new DatabaseSync(join(directory, 'state.db'));
    database.exec("UPDATE meta SET value = 99 WHERE name = 'schemaVersion'");
    database.close();
    await rejectsWith('incompatible', () => openSqliteStore({ directory, env }), /format 99/);
  });
});

describe('a full disk', () => {
  it('fails writes with no-space, leaves the store readable, and is over once there is room', async () => {
    const directory = freshDirectory();
    const store = await openSqliteStore({ directory, env, sizeBytesMax: 400_000 });
    const watch = store.watch({ prefix: '/', signal: new AbortController().signal })[Symbol.asyncIterator]();
    let written = 0;
    await rejectsWith(
      'no-space',
      async () => {
        for (; written < 100; written++) await put(store, `/k${written % 3}`, 20_000);
      },
      /full/,
    );
    assert.ok(written > 5, `${written} writes fitted`);
    assert.equal(store.revision, written + 1);
    assert.equal((await store.get('/k0')).item?.value.bytes().byteLength, 20_000);

    await store.compact(store.revision);
    assert.equal((await put(store, '/after', 20_000)).revision, written + 2);
    for (let index = 0; index <= written; index++) {
      const { value } = await watch.next();
      assert.equal(value?.revision, index + 2, 'what failed was never told');
    }
    await store.close();
    const again = await openSqliteStore({ directory, env });
    assert.equal(again.revision, written + 2);
    await again.close();
  });

  it('fails everything in flight that came after, and gives the revisions to later writes', async () => {
    const store = await openSqliteStore({ directory: freshDirectory(), env, sizeBytesMax: 400_000 });
    const attempts = [put(store, '/small'), put(store, '/huge', 600_000), put(store, '/small')];
    const results = await Promise.allSettled(attempts);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    assert.equal((await put(store, '/small')).revision, 2);
    assert.equal((await store.get('/small')).item?.version, 1);
    await store.close();
  });
});

describe('writes in flight', () => {
  it('are bounded: more fail with overloaded', async () => {
    const store = await openSqliteStore({ directory: freshDirectory(), env, pendingMax: 10 });
    const results = await Promise.allSettled(Array.from({ length: 15 }, (_, index) => put(store, `/k${index}`)));
    const failed = results.filter((result) => result.status === 'rejected');
    assert.equal(failed.length, 5);
    assert.ok(failed.every(({ reason }) => reason instanceof StorageError && reason.code === 'overloaded'));
    assert.equal((await put(store, '/later')).revision, 12);
    await store.close();
  });

  it('are invisible until they are committed', async () => {
    const store = await openSqliteStore({ directory: freshDirectory(), env });
    const write = put(store, '/a');
    assert.equal((await store.get('/a')).item, undefined);
    assert.equal(store.revision, 1);
    await write;
    assert.equal((await store.get('/a')).item?.modRevision, 2);
    await store.close();
  });
});

describe('compact()', () => {
  it('removes rows that nobody can ask for', async () => {
    const directory = freshDirectory();
    const store = await openSqliteStore({ directory, env });
    for (let step = 0; step < 100; step++) await put(store, `/k${step % 4}`);
    await store.txn({ compare: [], operations: [{ type: 'delete', key: '/k0' }] });
    await put(store, '/last');
    await store.compact(store.revision);
    await store.close();
    const database = new DatabaseSync(join(directory, 'state.db'));
    const rows = database
      .prepare('SELECT key FROM state ORDER BY key')
      .all()
      .map((row) => row['key']);
    database.close();
    assert.deepEqual(rows, ['/k1', '/k2', '/k3', '/last']);
  });
});
