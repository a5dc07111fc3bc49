import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../schema/schema.ts';
import { createJsonPatch } from './create-json-patch.ts';
import { applyJsonPatch } from './json-patch.ts';

test('createJsonPatch() names what differs, and nothing else', () => {
  const before: Json = { a: { b: 1, 'c/d~e': 2 }, list: [{ name: 'x', v: 1 }, { name: 'y' }], gone: true };
  const after: Json = {
    a: { b: 1, 'c/d~e': 3 },
    list: [{ name: 'new' }, { name: 'x', v: 2 }, { name: 'y' }],
    made: [],
  };
  assert.deepEqual(createJsonPatch(before, after), [
    { op: 'remove', path: '/gone' },
    { op: 'replace', path: '/a/c~1d~0e', value: 3 },
    { op: 'remove', path: '/list/0/v' },
    { op: 'replace', path: '/list/0/name', value: 'new' },
    { op: 'add', path: '/list/1', value: { name: 'x', v: 2 } },
    { op: 'add', path: '/made', value: [] },
  ]);
  assert.deepEqual(createJsonPatch([1, 2, 3, 4], [1, 2, 9, 3, 4]), [{ op: 'add', path: '/2', value: 9 }]);
  assert.deepEqual(createJsonPatch([1, 2, 3, 4], [1, 4]), [
    { op: 'remove', path: '/2' },
    { op: 'remove', path: '/1' },
  ]);
  assert.deepEqual(createJsonPatch({ a: 1, b: undefined } as never, { a: 1, c: undefined } as never), []);
});

test('applying the patch gives the other document', () => {
  const document = fc.dictionary(
    fc.string({ maxLength: 3 }).filter((key) => key !== '__proto__'),
    fc.jsonValue({ maxDepth: 4 }),
    { maxKeys: 4 },
  ) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(document, document, (before, after) => {
      const patch = createJsonPatch(before, after);
      assert.deepEqual(JSON.parse(JSON.stringify(applyJsonPatch(before, patch))), JSON.parse(JSON.stringify(after)));
    }),
    { numRuns: 500 },
  );
});
