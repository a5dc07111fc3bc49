// Quantities against exact arithmetic on nano units.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addQuantities, compareQuantity, parseQuantity, subtractQuantities } from './quantity.ts';

const nanoPerSuffix = new Map([
  ['n', 1n],
  ['u', 1_000n],
  ['m', 1_000_000n],
  ['', 1_000_000_000n],
  ['k', 10n ** 12n],
  ['Ki', 1024n * 10n ** 9n],
  ['Mi', 1024n ** 2n * 10n ** 9n],
  ['G', 10n ** 18n],
]);
const quantity = fc.tuple(fc.integer({ min: -100_000, max: 100_000 }), fc.constantFrom(...nanoPerSuffix.keys()));

const textOf = ([number, suffix]: readonly [number, string]): string => `${number}${suffix}`;
const nanoOf = ([number, suffix]: readonly [number, string]): bigint =>
  BigInt(number) * (nanoPerSuffix.get(suffix) ?? 0n);

test('sums, differences and comparisons agree with nano units', () => {
  fc.assert(
    fc.property(quantity, quantity, (a, b) => {
      const [x, y] = [nanoOf(a), nanoOf(b)];
      assert.equal(addQuantities(textOf(a), textOf(b)).scaledBigInt(-9), x + y);
      assert.equal(subtractQuantities(textOf(a), textOf(b)).scaledBigInt(-9), x - y);
      assert.equal(compareQuantity(textOf(a), textOf(b)), x === y ? 0 : x < y ? -1 : 1);
    }),
  );
});

test('the canonical text parses to the same number and is its own canonical text', () => {
  fc.assert(
    fc.property(quantity, (a) => {
      const parsed = parseQuantity(textOf(a));
      const again = parseQuantity(parsed.toString());
      assert.equal(again.compare(parsed), 0);
      assert.equal(again.toString(), parsed.toString());
    }),
  );
});
