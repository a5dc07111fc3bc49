// The FIFO against an array, and its bound.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Delta, DeltaFifo } from './delta-fifo.ts';

const bookmark = (version: number): Delta => ({ type: 'bookmark', resourceVersion: String(version) });

describe('DeltaFifo', () => {
  it('gives everything once, in order, and says when it is full', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 5_000 }),
        fc.integer({ min: 1, max: 50 }),
        (pushes, lengthMax) => {
          const fifo = new DeltaFifo({ lengthMax });
          const model: Delta[] = [];
          let version = 0;
          for (const push of pushes) {
            if (push) {
              const delta = bookmark(++version);
              fifo.push(delta);
              model.push(delta);
            } else {
              assert.equal(fifo.shift(), model.shift());
            }
            assert.equal(fifo.length, model.length);
            assert.equal(fifo.room() === undefined, model.length < lengthMax);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('wakes the consumer when something comes, and the producer when there is room', async () => {
    const fifo = new DeltaFifo({ lengthMax: 2 });
    const seen: string[] = [];
    const filled = fifo.filled().then(() => seen.push('filled'));
    fifo.push(bookmark(1));
    await filled;
    fifo.push(bookmark(2));
    const room = fifo.room()?.then(() => seen.push('room'));
    assert.ok(room !== undefined);
    fifo.shift();
    await room;
    assert.deepEqual(seen, ['filled', 'room']);
    await fifo.filled();
  });

  it('G1 G2 keeps the order of one key across a replacement', () => {
    const fifo = new DeltaFifo();
    const object = { metadata: { name: 'x' } };
    fifo.push({ type: 'upserted', object });
    fifo.push({ type: 'deleted', object });
    fifo.push({ type: 'replaced', objects: [object], resourceVersion: '9' });
    assert.deepEqual([fifo.shift()?.type, fifo.shift()?.type, fifo.shift()?.type], ['upserted', 'deleted', 'replaced']);
  });
});
