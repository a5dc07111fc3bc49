// Seeded randomness: the same seed, the same world.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from './random.ts';

test('createSeededRandom() gives the same sequence for the same seed and another for another', () => {
  const take = (seed: number): number[] => {
    const random = createSeededRandom(seed);
    return Array.from({ length: 8 }, () => random.int(1_000_000));
  };
  assert.deepEqual(take(7), take(7));
  assert.notDeepEqual(take(7), take(8));
});

test('uuid() is a version 4 UUID', () => {
  const random = createSeededRandom(3);
  for (let i = 0; i < 50; i++) {
    assert.match(random.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
