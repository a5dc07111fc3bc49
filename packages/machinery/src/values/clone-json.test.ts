// Copies of JSON-shaped values: equal, and sharing nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cloneJson } from './clone-json.ts';

test('cloneJson() makes an equal value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      assert.deepEqual(cloneJson(value), structuredClone(value));
      assert.equal(JSON.stringify(cloneJson(value)), JSON.stringify(value));
    }),
  );
});

test('cloneJson() shares nothing with what it copies', () => {
  const value = { a: { b: [{ c: 1n }] }, d: undefined };
  const copy = cloneJson(value);
  assert.deepEqual(copy, value);
  assert.notEqual(copy.a, value.a);
  assert.notEqual(copy.a.b, value.a.b);
  assert.notEqual(copy.a.b[0], value.a.b[0]);
});
