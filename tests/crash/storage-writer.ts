// The victim of storage.test.ts: writes to a SQLite store as fast as it can and says on stdout what was acknowledged,
// until it is killed. A value is named by its beginning, which says how long it must be.
// Usage: node storage-writer.ts DIRECTORY SEED

import { createSeededRandom } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { holdBytes } from '@homeostat/storage';
import { openSqliteStore } from '@homeostat/storage/sqlite';

const [directory = '', seed = '1'] = process.argv.slice(2);
const random = createSeededRandom(Number(seed));
const store = await openSqliteStore({ directory, env: createRealEnv() });
process.stdout.write(`open ${store.revision}\n`);

let counter = 0;

async function writeOne(): Promise<void> {
  const key = `/crash/${random.int(40)}`;
  const length = random.int(3) === 0 ? random.int(20_000) : random.int(100);
  const name = `${seed}-${counter++}-${length}-`;
  const operation =
    random.int(6) === 0
      ? ({ type: 'delete', key } as const)
      : ({ type: 'put', key, value: holdBytes(new TextEncoder().encode(name + 'x'.repeat(length))) } as const);
  const { revision, previous } = await store.txn({ compare: [], operations: [operation] });
  // A delete of an absent key writes nothing and has no revision of its own.
  if (operation.type === 'delete' && previous[0] === undefined) return;
  process.stdout.write(`ack ${revision} ${key} ${operation.type === 'put' ? name : ''}\n`);
}

async function writer(): Promise<void> {
  for (;;) {
    await writeOne();
    if (random.int(200) === 0) await store.compact(Math.max(1, store.revision - 50));
  }
}

await Promise.all(Array.from({ length: 1 + random.int(32) }, writer));
