import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonDiff } from './json-diff.ts';

test('jsonDiff() shows changed lines with three lines around them', () => {
  const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 };
  assert.equal(
    jsonDiff(before, { ...before, e: 50 }),
    '@@ -3,7 +3,7 @@\n  "b": 2,\n  "c": 3,\n  "d": 4,\n- "e": 5,\n+ "e": 50,\n  "f": 6,\n  "g": 7,\n  "h": 8\n',
  );
});

test('jsonDiff() starts a new hunk where changes are far apart', () => {
  const before = Array.from({ length: 30 }, (_, index) => index);
  const after = before.with(2, -2).toSpliced(25, 1);
  assert.deepEqual(jsonDiff(before, after).match(/^@@.*$/gm), ['@@ -1,7 +1,7 @@', '@@ -24,7 +24,6 @@']);
});

test('jsonDiff() says nothing of equal values', () => {
  assert.equal(jsonDiff({ a: [1] }, { a: [1] }), '');
});

test('jsonDiff() of large values takes no time', () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `a${index}`);
  const after = Array.from({ length: 20_000 }, (_, index) => `b${index}`);
  const started = performance.now();
  assert.match(jsonDiff(before, after), /^@@ -1,20002 \+1,20002 @@\n/);
  assert.ok(performance.now() - started < 2000);
});
