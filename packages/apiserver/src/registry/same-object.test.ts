import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sameJson, sameObject } from './same-object.ts';

test('sameJson() is equality of the bytes', () => {
  const json = fc.jsonValue();
  fc.assert(
    fc.property(json, json, (a, b) => {
      const copy: unknown = JSON.parse(JSON.stringify(a));
      assert.equal(sameJson(JSON.parse(JSON.stringify(a)), copy), true);
      if (JSON.stringify(a) !== JSON.stringify(b) && !sameJson(a, b)) return;
      // What counts as the same differs in the order of keys at most.
      assert.deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
    }),
  );
});

test('sameObject() looks away from the times of managed fields alone', () => {
  const object = (time: string, manager = 'm', extra = {}) => ({
    metadata: { name: 'x', managedFields: [{ manager, operation: 'Update' as const, time, ...extra }] },
    data: { time },
  });
  const timed = (time: string) => ({ ...object(time), data: {} });
  assert.equal(sameObject(timed('2001-01-01T00:00:00Z'), timed('2002-01-01T00:00:00Z')), true);
  assert.equal(sameObject(object('a'), object('b')), false);
  assert.equal(sameObject(object('a'), object('a', 'other')), false);
  assert.equal(sameObject(object('a'), object('a', 'm', { subresource: 'status' })), false);
  assert.equal(sameObject(object('a'), { ...object('a'), kind: 'X' }), false);
});
