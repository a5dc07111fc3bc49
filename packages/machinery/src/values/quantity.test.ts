// Quantities against Go's resource.Quantity: texts, rounding, sums and messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantity,
  isQuantity,
  parseQuantity,
  Quantity,
  QuantityError,
  subtractQuantities,
} from './quantity.ts';

test('canonicalQuantity() gives the text of a round trip through Go', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['0', '0'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['1.500', '1.500'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['0.5Gi', '512Mi'],
    ['1.5Gi', '1536Mi'],
    ['8Gi', '8Gi'],
    ['100k', '100k'],
    ['1000k', '1M'],
    ['12e6', '12e6'],
    ['1e1', '10'],
    ['1E3', '1E3'],
    ['+5', '+5'],
    ['05', '05'],
    ['-', '0'],
    ['0Ki', '0'],
    ['.5Ki', '512'],
    ['0.000000000001', '1n'],
    ['1000E', '1'],
    ['9223372036854775808Ki', '9223372036854775807'],
  ];
  for (const [text, canonical] of cases) assert.equal(canonicalQuantity(text), canonical, text);
});

test('parseQuantity() throws with the text of Go', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['much', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1 ', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1.2.3', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1ki', "unable to parse quantity's suffix"],
    ['1K', "unable to parse quantity's suffix"],
    ['Ei', 'unable to parse numeric part of quantity'],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => parseQuantity(text),
      (error) => error instanceof QuantityError && error.message === message,
      text,
    );
    assert.equal(isQuantity(text), false);
  }
});

test('value() and milliValue() round away from zero', () => {
  assert.equal(parseQuantity('1500m').value(), 2);
  assert.equal(parseQuantity('1m').value(), 1);
  assert.equal(parseQuantity('-1500m').value(), -2);
  assert.equal(parseQuantity('100u').milliValue(), 1);
  assert.equal(parseQuantity('2').milliValue(), 2000);
  assert.equal(parseQuantity('1Gi').value(), 1_073_741_824);
});

test('compareQuantity() compares by value, not by text', () => {
  assert.equal(compareQuantity('1', '1000m'), 0);
  assert.equal(compareQuantity('1Gi', '1G'), 1);
  assert.equal(compareQuantity('999Mi', '1Gi'), -1);
  assert.equal(compareQuantity('-1', '0'), -1);
});

test('add() and sub() keep the suffix family; a zero takes over the other one', () => {
  assert.equal(addQuantities('1Gi', '512Mi').toString(), '1536Mi');
  assert.equal(addQuantities('1', '500m').toString(), '1500m');
  assert.equal(addQuantities('0', '1Gi').toString(), '1Gi');
  assert.equal(subtractQuantities('1Gi', '1Gi').toString(), '0');
  assert.equal(subtractQuantities('1', '1500m').toString(), '-500m');
  assert.equal(Quantity.ofMilli(1500).add(Quantity.of(1)).toString(), '2500m');
  assert.equal(Quantity.of(2048, 'BinarySI').mul(2).toString(), '4Ki');
});

test('sign, isZero, neg() and toNumber() read the number', () => {
  assert.equal(parseQuantity('-1').sign, -1);
  assert.equal(parseQuantity('0Ki').isZero, true);
  assert.equal(parseQuantity('1.5').neg().toString(), '-1500m');
  assert.equal(parseQuantity('1500m').toNumber(), 1.5);
});
