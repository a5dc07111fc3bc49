// Kills a process that writes to a SQLite store at random moments, again and again over the same directory, and looks
// whether everything it was told is written is there. `SEED=n` repeats a run (the moments depend on the machine).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from '@homeostat/base';
import { createRealEnv, realRandom } from '@homeostat/base/node';
import type { KeyValue, StoreEvent } from '@homeostat/storage';
import { openSqliteStore } from '@homeostat/storage/sqlite';

const rounds = 10;
const seed = Number(process.env['SEED'] ?? realRandom.int(2 ** 31));
const random = createSeededRandom(seed);
const directory = mkdtempSync(join(tmpdir(), 'homeostat-crash-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** What the victim was told: state of a key (undefined = deleted) since a revision. */
interface Acknowledged {
  readonly revision: number;
  readonly key: string;
  readonly text: string | undefined;
}

/** Starts the victim, kills it a moment after its store has opened, and returns what it had said by then. */
async function writeUntilKilled(writerSeed: number, delayMs: number): Promise<Acknowledged[]> {
  const victim = spawn(
    process.execPath,
    [join(import.meta.dirname, 'storage-writer.ts'), directory, String(writerSeed)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  const opened = Promise.withResolvers<void>();
  victim.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    if (output.includes('\n')) opened.resolve();
  });
  const exited = new Promise<string | null>((resolve) => victim.on('close', (_code, signal) => resolve(signal)));
  await Promise.race([opened.promise, exited]);
  await sleep(delayMs);
  victim.kill('SIGKILL');
  assert.equal(await exited, 'SIGKILL', 'the writer ended by itself');
  const lines = output
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('ack '));
  return lines.map((line) => {
    const [, revision = '', key = '', text = ''] = line.split(' ');
    const length = Number(text.split('-')[2]);
    return { revision: Number(revision), key, text: text === '' ? undefined : text + 'x'.repeat(length) };
  });
}

function textOf(item: KeyValue | undefined): string | undefined {
  return item && new TextDecoder().decode(item.value.bytes());
}

async function eventsSince(store: Awaited<ReturnType<typeof openSqliteStore>>): Promise<Map<number, StoreEvent>> {
  const events = new Map<number, StoreEvent>();
  const controller = new AbortController();
  const watch = store.watch({ prefix: '', fromRevision: store.compactedRevision, signal: controller.signal });
  store.requestProgress();
  for await (const batch of watch) {
    if (batch.type === 'progress') break;
    for (const event of batch.events) events.set(event.revision, event);
  }
  return events;
}

it(`kill -9 loses no acknowledged write (seed ${seed})`, async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const latest = new Map<string, Acknowledged>();
  let revision = 1;
  let acknowledgedTotal = 0;
  for (let round = 0; round < rounds; round++) {
    const acknowledged = await writeUntilKilled(seed + round, random.int(300));
    acknowledgedTotal += acknowledged.length;
    for (const each of acknowledged) latest.set(each.key, each);

    const store = await openSqliteStore({ directory, env: createRealEnv({ level: 'error' }) });
    try {
      const lastAcknowledged = acknowledged.reduce((last, each) => Math.max(last, each.revision), revision);
      assert.ok(
        store.revision >= lastAcknowledged,
        `round ${round}: revision ${store.revision}, told ${lastAcknowledged}`,
      );
      revision = store.revision;

      const events = await eventsSince(store);
      for (const each of acknowledged) {
        if (each.revision < store.compactedRevision) continue;
        const event = events.get(each.revision);
        assert.deepEqual(
          [event?.key, textOf(event?.current)],
          [each.key, each.text],
          `round ${round}, revision ${each.revision}`,
        );
      }
      for (const { key, text, revision: told } of [...latest.values()]) {
        const { item } = await store.get(key);
        const since = [...events.values()].findLast((event) => event.key === key && event.revision > told);
        if (since !== undefined) {
          // A write whose acknowledgement died with the process: it was seen now, so it must stay.
          latest.set(key, { key, revision: since.revision, text: textOf(since.current) });
          assert.equal(item?.modRevision, since.current?.modRevision);
          continue;
        }
        assert.equal(textOf(item), text, `round ${round}, ${key}, told at ${told}`);
      }
    } finally {
      await store.close();
    }
  }
  assert.ok(acknowledgedTotal > 100, `only ${acknowledgedTotal} writes were acknowledged: the test shows nothing`);
  t.diagnostic(`${acknowledgedTotal} acknowledged writes, revision ${revision}`);
});
