// The order of versions against that of big integers.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { compareResourceVersions, isNewerResourceVersion } from './resource-version.ts';

it('compareResourceVersions() orders decimal numbers of any length, and nothing else', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.bigInt({ min: 0n, max: 2n ** 80n }), (a, b) => {
      const compared = compareResourceVersions(String(a), String(b)) ?? Number.NaN;
      assert.equal(Math.sign(compared), a < b ? -1 : a > b ? 1 : 0);
    }),
  );
  for (const [a, b] of [
    ['', '1'],
    ['01', '1'],
    ['1.5', '1'],
    ['abc', '1'],
    ['-1', '1'],
  ] as const) {
    assert.equal(compareResourceVersions(a, b), undefined);
    assert.equal(isNewerResourceVersion(a, b), false);
  }
});
