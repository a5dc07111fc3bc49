import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { md5Hex } from './md5.ts';

it('md5Hex() gives the digests of RFC 1321, at every length around a block', () => {
  assert.equal(md5Hex(new TextEncoder().encode('abc')), '900150983cd24fb0d6963f7d28e17f72');
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length) & 0xff);
    assert.equal(md5Hex(bytes), createHash('md5').update(bytes).digest('hex'));
  }
});
