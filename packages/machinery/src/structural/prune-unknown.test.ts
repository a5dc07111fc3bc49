import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../schema/schema.ts';
import { compileStructural } from './compile-structural.ts';
import { pruneUnknown } from './prune-unknown.ts';

const text = { type: 'string' };
const known = { type: 'object', properties: { known: text } };

function prune(value: Json, schema: object, root = false): { value: Json; unknown: readonly string[] } {
  return pruneUnknown(value, compileStructural(schema), { root });
}

test('pruneUnknown() drops what is not specified, at any depth, and names it in order', () => {
  const schema = {
    type: 'object',
    properties: {
      deep: known,
      items: { type: 'array', items: known },
      map: { type: 'object', additionalProperties: known },
    },
  };
  const value: Json = {
    other: 1,
    deep: { known: 'k', unknown: 1 },
    items: [{ known: 'k', unknown: 1 }, { unknown: 1 }],
    map: { a: { unknown: { x: 1 } } },
  };
  assert.deepEqual(prune(value, schema), {
    value: { deep: { known: 'k' }, items: [{ known: 'k' }, {}], map: { a: {} } },
    unknown: ['deep.unknown', 'items[0].unknown', 'items[1].unknown', 'map.a.unknown', 'other'],
  });
});

test('pruneUnknown() keeps everything where unknown fields are preserved, and begins anew below', () => {
  const preserving = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { inner: known } };
  const value = { free: { x: 1 }, inner: { known: 'k', unknown: 1 } };
  assert.deepEqual(prune(value, preserving), {
    value: { free: { x: 1 }, inner: { known: 'k' } },
    unknown: ['inner.unknown'],
  });
  const list = {
    'x-kubernetes-preserve-unknown-fields': true,
    items: { type: 'object', properties: { inner: known } },
  };
  assert.deepEqual(prune([{ free: 1, inner: { unknown: 1 } }], list).value, [{ free: 1, inner: {} }]);
});

test('pruneUnknown() empties maps of which nothing is said', () => {
  const schema = { type: 'object', additionalProperties: true };
  assert.deepEqual(prune({ a: { b: 1 }, c: [1, { d: 2 }], e: 'f' }, schema), {
    value: { a: {}, c: [1, {}], e: 'f' },
    unknown: ['a.b', 'c[1].d'],
  });
});

test('pruneUnknown() leaves apiVersion, kind and metadata of resources alone', () => {
  const object = { apiVersion: 'v1', kind: 'X', metadata: { odd: 1 }, status: 1 };
  const { status: _status, ...rest } = object;
  assert.deepEqual(prune(object, { type: 'object' }, true), { value: rest, unknown: ['status'] });
  assert.deepEqual(prune(object, { type: 'object' }).value, {});
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: known } };
  assert.deepEqual(prune(object, embedded).unknown, ['status']);
});

test('pruneUnknown() returns the value itself when there is nothing to drop, and shares what did not change', () => {
  const schema = { type: 'object', properties: { a: known, b: known } };
  const value = { a: { known: 'k' }, b: { known: 'k' } };
  assert.equal(prune(value, schema).value, value);
  const odd = { ...value, b: { known: 'k', odd: 1 } };
  const pruned = prune(odd, schema).value as typeof value;
  assert.equal(pruned.a, value.a);
  assert.deepEqual(odd.b, { known: 'k', odd: 1 });
});

test('a key named __proto__ is a key', () => {
  const value = JSON.parse('{"__proto__": {"known": "k", "odd": 1}}') as Json;
  const { value: pruned, unknown } = prune(value, { type: 'object', additionalProperties: known });
  assert.equal(JSON.stringify(pruned), '{"__proto__":{"known":"k"}}');
  assert.deepEqual(unknown, ['__proto__.odd']);
});
