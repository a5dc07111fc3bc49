import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@homeostat/base';
import type { Json } from '../schema/schema.ts';
import { sortJson } from './sort-json.ts';

test('keys are sorted at every level, by their bytes; what is in order is shared', () => {
  const ordered = { a: { b: 1, c: [{ d: null }] } };
  assert.equal(sortJson(ordered), ordered);
  const value = { b: 1, a: [{ d: 1, c: { f: 1, e: 2 } }, ordered], B: 'x' };
  assert.equal(
    JSON.stringify(sortJson(value)),
    `{"B":"x","a":[{"c":{"e":2,"f":1},"d":1},${JSON.stringify(ordered)}],"b":1}`,
  );
  assert.equal((sortJson(value) as { a: Json[] }).a[1], ordered);
  const keys = Object.keys(sortJson({ '\u{1F600}': 1, '\uFFFD': 2 }) as object);
  assert.deepEqual(keys, ['\uFFFD', '\u{1F600}'], 'UTF-8 orders otherwise than UTF-16');
});

test('random values come out as a sort of all their keys says', () => {
  const seed = 20261130;
  const random = createSeededRandom(seed);
  const make = (depth: number): Json => {
    const kind = random.int(depth > 3 ? 2 : 4);
    if (kind === 0) return random.int(100);
    if (kind === 1) return 'text';
    const size = random.int(5);
    if (kind === 2) return Array.from({ length: size }, () => make(depth + 1));
    return Object.fromEntries(
      Array.from({ length: size }, () => [String.fromCharCode(97 + random.int(26)), make(depth + 1)]),
    );
  };
  const sorted = (value: Json): Json =>
    typeof value !== 'object' || value === null
      ? value
      : Array.isArray(value)
        ? value.map(sorted)
        : Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([k, v]) => [k, sorted(v as Json)]),
          );
  for (let i = 0; i < 500; i++) {
    const value = make(0);
    assert.equal(JSON.stringify(sortJson(value)), JSON.stringify(sorted(value)), `seed ${seed}, value ${i}`);
  }
});
