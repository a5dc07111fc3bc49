import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf } from '../field-ownership/fields-of.ts';
import { fieldTypeOf } from '../field-ownership/field-type.ts';
import type { Json } from '../schema/schema.ts';
import { compileStructural } from './compile-structural.ts';
import { toSchema } from './to-schema.ts';

const text = { type: 'string' };
const structural = compileStructural({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        map: {
          type: 'array',
          items: { type: 'object', properties: { k: text, v: text, p: { ...text, default: 'TCP' } }, required: ['k'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k', 'p'],
        },
        list: { type: 'array', items: text },
        atom: { type: 'object', properties: { a: text }, 'x-kubernetes-map-type': 'atomic' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: text } },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: text },
        port: { 'x-kubernetes-int-or-string': true },
      },
    },
  },
});

function owned(value: Json): unknown {
  return fieldsOf(fieldTypeOf(toSchema(structural, 'com.example.v1.Foo')), value).toFieldsV1();
}

test('toSchema() gives ownership its list types, map types and keys', () => {
  assert.deepEqual(owned({ spec: { set: ['x'], list: ['x'], atom: { a: 'b' }, labels: { l: 'm' }, port: 80 } }), {
    'f:spec': {
      'f:set': { 'v:"x"': {} },
      'f:list': {},
      'f:atom': {},
      'f:labels': { 'f:l': {} },
      'f:port': {},
    },
  });
  const item = 'k:{"k":"x","p":"TCP"}';
  assert.deepEqual(owned({ spec: { map: [{ k: 'x', v: 'y' }] } }), {
    'f:spec': { 'f:map': { [item]: { '.': {}, 'f:k': {}, 'f:v': {} } } },
  });
});

test('toSchema() leaves what is preserved open: maps are granular, lists atomic', () => {
  assert.deepEqual(owned({ spec: { free: { known: 'k', other: { x: [1] } }, any: { a: { b: 1 } } } }), {
    'f:spec': {
      'f:free': { 'f:known': {}, 'f:other': { '.': {}, 'f:x': {} } },
      'f:any': { 'f:a': { '.': {}, 'f:b': {} } },
    },
  });
});

test('toSchema() gives every resource apiVersion, kind and metadata', () => {
  const objectMeta = { kind: 'struct', name: 'ObjectMeta', fields: [], byName: new Map() } as const;
  const schema = toSchema(structural, 'com.example.v1.Foo', { objectMeta });
  assert.deepEqual(
    schema.fields.map(({ name }) => name),
    ['apiVersion', 'kind', 'metadata', 'spec'],
  );
  assert.equal(schema.byName.get('metadata')?.schema, objectMeta);
});
