// Encoded forms of sets, shared by all sets that are equal.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FieldSet } from './field-set.ts';
import { encodeFields } from './managed-fields.ts';

function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const set = new FieldSet();
  for (const path of paths) set.insert(path);
  return set;
}

test('encodeFields() gives equal sets the same object, whatever order they were built in', () => {
  const paths = [['f:spec', 'f:a'], ['f:spec', 'k:{"name":"x"}', 'f:b'], ['f:spec'], ['f:status']];
  assert.equal(encodeFields(setOf(paths)), encodeFields(setOf(paths.toReversed())));
});

test('encodeFields() never mixes sets up', () => {
  const element = fc.constantFrom('f:a', 'f:b', 'f:ab', 'f:ba', 'f:aab', 'f:abb', 'k:{"name":"a"}', 'k:{"name":"b"}');
  const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(paths, (list) => {
      const set = setOf(list);
      assert.deepEqual(encodeFields(set), set.toFieldsV1());
    }),
    { numRuns: 500 },
  );
});
