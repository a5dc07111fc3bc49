import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from './byte-writer.ts';

test('ByteWriter returns what was written, in order, however large the pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 500 }),
      (pieces, expected) => {
        const writer = new ByteWriter(expected);
        const drained: Uint8Array[] = [];
        for (const piece of pieces) {
          writer.write(piece);
          drained.push(...writer.drain());
        }
        drained.push(...writer.finish());
        assert.deepEqual(
          [...Buffer.concat(drained)],
          pieces.flatMap((piece) => [...piece]),
        );
      },
    ),
  );
});
