import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Warnings } from './warnings.ts';

test('headers() sends each text once, quoted', () => {
  const warnings = new Warnings();
  warnings.add('unknown field "spec.foo"');
  warnings.add('unknown field "spec.foo"');
  warnings.add('');
  assert.deepEqual(warnings.headers(), ['299 - "unknown field \\"spec.foo\\""']);
});

test('headers() cuts texts when they are too many, then leaves the rest out', () => {
  const warnings = new Warnings();
  for (let i = 0; i < 40; i++) warnings.add(`${i}`.padStart(2, '0') + 'x'.repeat(400));
  const headers = warnings.headers();
  assert.ok(headers.every((header) => header.length === '299 - ""'.length + 256));
  assert.equal(headers.length, 16);
});
