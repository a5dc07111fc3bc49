// Base64 as Go reads it: offsets of errors, canonical texts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkBase64, decodeBase64, encodeBase64 } from './base64.ts';

test('checkBase64() finds the byte Go finds', () => {
  const cases: readonly (readonly [text: string, errorAt: number])[] = [
    ['***', 0],
    ['AA*=', 2],
    ['AAA', 0],
    ['AAAAA', 4],
    ['A===', 1],
    ['AA=', 3],
    ['AA=A', 2],
    ['AA==A', 4],
  ];
  for (const [text, errorAt] of cases) assert.deepEqual(checkBase64(text), { errorAt }, text);
});

test('checkBase64() gives the canonical text', () => {
  assert.deepEqual(checkBase64('aGVs\nbG8=\n'), { canonical: 'aGVsbG8=' });
  assert.deepEqual(checkBase64('AB=='), { canonical: 'AA==' });
  assert.deepEqual(checkBase64(''), { canonical: '' });
});

test('encodeBase64() and decodeBase64() are inverse', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.deepEqual(new Uint8Array(decodeBase64(encodeBase64(bytes))), bytes);
    }),
  );
});
