// Merge patch: RFC 7386 with upstream's treatment of nulls, and the diff that makes one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../schema/schema.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';
import { PatchError } from './patch-error.ts';

test('applyMergePatch() merges maps, replaces lists and deletes with null', () => {
  const document = { a: { b: 1, c: [1, 2] }, d: 'x' };
  assert.deepEqual(applyMergePatch(document, { a: { b: null, c: [3], e: 2 } }), { a: { c: [3], e: 2 }, d: 'x' });
  assert.deepEqual(applyMergePatch(document, { d: null, none: null }), { a: document.a });
});

test('applyMergePatch() drops nulls in what is new, in lists too', () => {
  assert.deepEqual(applyMergePatch({}, { a: { b: null, c: [{ d: null }, null] } }), { a: { c: [{}, null] } });
  assert.deepEqual(applyMergePatch({ a: [1] }, { a: [{ b: null }] }), { a: [{}] });
  assert.deepEqual(applyMergePatch({ a: { x: 1 } }, { a: [{ b: null }] }), { a: [{ b: null }] });
});

test('applyMergePatch() sorts the keys of what it touches and shares the rest', () => {
  const document = { z: { b: 1, a: 1 }, a: { y: 1, x: 1 } };
  const result = applyMergePatch(document, { a: { k: 1 } }) as typeof document;
  assert.deepEqual(Object.keys(result), ['a', 'z']);
  assert.deepEqual(Object.keys(result.a), ['k', 'x', 'y']);
  assert.equal(result.z, document.z);
});

test('applyMergePatch() throws the recorded texts for what is no map', () => {
  const throws = (patch: Json, message: string): void => {
    assert.throws(
      () => applyMergePatch({}, patch),
      (error) => error instanceof PatchError && error.kind === 'malformed' && error.message === message,
    );
  };
  const target = 'into Go value of type map[string]interface {}';
  throws(null, 'Invalid JSON Patch');
  throws([], `error decoding patch: json: cannot unmarshal array ${target}`);
  throws(1, `error decoding patch: json: cannot unmarshal number ${target}`);
});

const key = fc.constantFrom('a', 'b', 'c', '__proto__');
const { value: json } = fc.letrec<{ value: Json; map: { readonly [key: string]: Json } }>((tie) => ({
  value: fc.oneof(fc.constantFrom(1, 'x', true), fc.array(tie('value'), { maxLength: 2 }), tie('map')),
  map: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
}));
const map = fc.dictionary(key, json, { maxKeys: 3, noNullPrototype: true });

test('createMergePatch() makes a patch that turns one document into the other', () => {
  fc.assert(
    fc.property(map, map, (original, modified) => {
      assert.deepEqual(applyMergePatch(original, createMergePatch(original, modified)), modified);
    }),
  );
});

test('createMergePatch() of equal documents is empty', () => {
  fc.assert(
    fc.property(map, (document) => assert.deepEqual(createMergePatch(document, structuredClone(document)), {})),
  );
});

test('applyMergePatch() agrees with the algorithm of RFC 7386 where the patch has no nulls in lists or new values', () => {
  const rfc = (target: Json, patch: Json): Json => {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
    const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
    const out = new Map(Object.entries(base));
    for (const [name, value] of Object.entries(patch)) out.set(name, rfc(out.get(name) ?? null, value as Json));
    return Object.fromEntries(out);
  };
  fc.assert(
    fc.property(map, map, (document, patch) =>
      assert.deepEqual(applyMergePatch(document, patch), rfc(document, patch)),
    ),
  );
});
