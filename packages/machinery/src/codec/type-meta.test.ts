// The probe for kind and apiVersion.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTypeMeta } from './type-meta.ts';

test('readTypeMeta() reads kind and apiVersion in any case', () => {
  assert.deepEqual(readTypeMeta({ kind: 'Pod', APIVersion: 'v1' }), { kind: 'Pod', apiVersion: 'v1' });
  assert.deepEqual(readTypeMeta(null), { kind: '', apiVersion: '' });
  assert.deepEqual(readTypeMeta({ kind: null }), { kind: '', apiVersion: '' });
});

test('readTypeMeta() refuses what is no object, in the words of the probe', () => {
  const probe =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  assert.throws(() => readTypeMeta([]), { message: `json: cannot unmarshal array into Go value of type ${probe}` });
  assert.throws(() => readTypeMeta('x'), { message: `json: cannot unmarshal string into Go value of type ${probe}` });
  assert.throws(() => readTypeMeta({ apiVersion: 1 }), {
    message: 'json: cannot unmarshal number into Go struct field .apiVersion of type string',
  });
});
