import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countIndexes } from './indexes.ts';

test('countIndexes() counts single indexes and intervals', () => {
  assert.equal(countIndexes('', 3), 0);
  assert.equal(countIndexes('0-2,4', 5), 4);
});

test('countIndexes() refuses what is out of order, out of range or no number', () => {
  assert.throws(() => countIndexes('3,1', 5), { message: 'non-increasing order, previous: 3, current: 1' });
  assert.throws(() => countIndexes('2-2', 5), { message: 'non-increasing order, previous: 2, current: 2' });
  assert.throws(() => countIndexes('0,7', 5), { message: 'too large index: "7"' });
  assert.throws(() => countIndexes('a', 5), { message: 'cannot convert string to integer for index: "a"' });
  assert.throws(() => countIndexes('1-2-3', 5), { message: /^the fragment "1-2-3" violates/ });
});
