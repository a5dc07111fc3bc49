// Strategic diffs: two-way and three-way patches, and that they do what they promise when applied.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { gadget } from '../../test-data/gadget.ts';
import type { JsonMap } from '../values/json-shapes.ts';
import { PatchError } from './patch-error.ts';
import { createThreeWayMergePatch, createTwoWayMergePatch } from './strategic-diff.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

test('createTwoWayMergePatch() writes changes, deletions and orders', () => {
  const original: JsonMap = {
    spec: { replicas: 1, parts: [{ name: 'a', image: 'i:1' }, { name: 'b' }], tags: ['x', 'y'] },
  };
  const modified: JsonMap = { spec: { parts: [{ name: 'c' }, { name: 'a', image: 'i:2' }], tags: ['y'] } };
  assert.deepEqual(createTwoWayMergePatch(original, modified, gadget), {
    spec: {
      replicas: null,
      parts: [{ name: 'c' }, { name: 'a', image: 'i:2' }, { $patch: 'delete', name: 'b' }],
      '$setElementOrder/parts': [{ name: 'c' }, { name: 'a' }],
      '$deleteFromPrimitiveList/tags': ['x'],
      '$setElementOrder/tags': ['y'],
    },
  });
});

test('createTwoWayMergePatch() retains the keys of a union', () => {
  const original = { spec: { strategy: { type: 'Rolling', rolling: { surge: 1 } } } };
  assert.deepEqual(createTwoWayMergePatch(original, { spec: { strategy: { type: 'Recreate' } } }, gadget), {
    spec: { strategy: { type: 'Recreate', rolling: null, $retainKeys: ['type'] } },
  });
});

test('createThreeWayMergePatch() deletes only what was applied before, and keeps what others added', () => {
  const original = { spec: { replicas: 1, parts: [{ name: 'a' }, { name: 'b' }] } };
  const modified = { spec: { parts: [{ name: 'a', image: 'i' }] } };
  const current = { spec: { replicas: 5, paused: true, parts: [{ name: 'a' }, { name: 'b' }, { name: 'x' }] } };
  const patch = createThreeWayMergePatch(original, modified, current, gadget);
  assert.deepEqual(applyStrategicMergePatch(current, patch, gadget), {
    spec: { paused: true, parts: [{ name: 'a', image: 'i' }, { name: 'x' }] },
  });
});

test('createThreeWayMergePatch() throws on a conflict unless it may overwrite', () => {
  const original = { spec: { replicas: 1 } };
  const modified = { spec: { replicas: 2 } };
  const current = { spec: { replicas: 3 } };
  assert.deepEqual(createThreeWayMergePatch(original, modified, current, gadget), { spec: { replicas: 2 } });
  assert.throws(
    () => createThreeWayMergePatch(original, modified, current, gadget, { overwrite: false }),
    (error) =>
      error instanceof PatchError && /conflicts with changes made from original to current/.test(error.message),
  );
  assert.deepEqual(createThreeWayMergePatch(original, modified, original, gadget, { overwrite: false }), modified);
});

const parts = fc.uniqueArray(
  fc.record(
    { name: fc.constantFrom('a', 'b', 'c', 'd'), image: fc.constantFrom('i:1', 'i:2') },
    { requiredKeys: ['name'], noNullPrototype: true },
  ),
  { selector: ({ name }) => name, maxLength: 4 },
);
const object = fc.record(
  {
    spec: fc.record(
      {
        replicas: fc.nat(3),
        parts,
        tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
        nodeSelector: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('1', '2'), { noNullPrototype: true }),
        tolerations: fc.array(fc.record({ key: fc.constantFrom('t', 'u') }, { noNullPrototype: true }), {
          maxLength: 2,
        }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  { noNullPrototype: true },
);

test('applying the two-way patch gives the modified object', () => {
  fc.assert(
    fc.property(object, object, (original, modified) => {
      const patch = createTwoWayMergePatch(original as JsonMap, modified as JsonMap, gadget);
      assert.deepEqual(applyStrategicMergePatch(original as JsonMap, patch, gadget), modified);
    }),
  );
});

test('nothing is written into the arguments', () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  fc.assert(
    fc.property(object, object, object, (a, b, c) => {
      const patch = createThreeWayMergePatch(freeze(a) as JsonMap, freeze(b) as JsonMap, freeze(c) as JsonMap, gadget);
      applyStrategicMergePatch(c as JsonMap, freeze(patch), gadget);
    }),
  );
});
