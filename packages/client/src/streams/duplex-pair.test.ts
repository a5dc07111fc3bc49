import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair } from './duplex-pair.ts';

const bytes = (length: number): Uint8Array => new Uint8Array(length);

test('what one end writes the other reads, and an end is heard after what was written', async () => {
  const [left, right] = createDuplexPair();
  await left.write(Buffer.from('a'));
  await left.write(Buffer.from('b'));
  await left.close();
  const read: string[] = [];
  for await (const chunk of right.incoming) read.push(Buffer.from(chunk).toString());
  assert.deepEqual(read, ['a', 'b']);
  await assert.rejects(right.write(bytes(1)), /closed/);
});

test('a writer waits for a reader that does not keep up', async () => {
  const [left, right] = createDuplexPair();
  await left.write(bytes(256 * 1024));
  let written = false;
  const writing = left.write(bytes(1)).then(() => (written = true));
  await Promise.resolve();
  assert.equal(written, false);
  const reader = right.incoming[Symbol.asyncIterator]();
  assert.equal((await reader.next()).value?.length, 256 * 1024);
  await writing;
  assert.equal(written, true);
});

test('writes to a reader that left are dropped; those that wait at a close fail', async () => {
  const [left, right] = createDuplexPair();
  await left.write(bytes(1));
  for await (const chunk of right.incoming) {
    assert.equal(chunk.length, 1);
    break;
  }
  await left.write(bytes(10_000_000));
  await left.write(bytes(1));
  await right.write(bytes(256 * 1024));
  const waiting = right.write(bytes(1));
  await left.close();
  await assert.rejects(waiting, /closed/);
});
