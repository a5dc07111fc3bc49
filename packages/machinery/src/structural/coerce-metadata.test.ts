import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldSchema, Json, StructSchema } from '../schema/schema.ts';
import { coerceEmbedded, type CoerceResult } from './coerce-metadata.ts';
import { compileStructural } from './compile-structural.ts';
import { validateEmbedded } from './validate-embedded.ts';

const field = (name: string, schema: FieldSchema['schema']): FieldSchema => ({
  name,
  schema,
  pointer: false,
  omit: 'empty',
  required: false,
  proto: [],
});
const text = { kind: 'scalar', type: 'string' } as const;
const fields = [field('labels', { kind: 'map', values: text }), field('name', text)];
const objectMeta: StructSchema = {
  kind: 'struct',
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  fields,
  byName: new Map(fields.map((one) => [one.name, one])),
};
const embedded = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const schema = compileStructural({
  type: 'object',
  properties: {
    one: embedded,
    many: { type: 'array', items: embedded },
    map: { type: 'object', additionalProperties: embedded },
  },
});

function coerce(value: Json, dropInvalid = false): CoerceResult<Json> {
  return coerceEmbedded(value, schema, { objectMeta, dropInvalid });
}

test('coerceEmbedded() reads metadata into its type and names what it does not know', () => {
  const value: Json = {
    many: [{ kind: 'X' }, { metadata: { odd: 1, labels: { a: 'b' }, name: '' }, spec: { odd: 1 } }],
  };
  assert.deepEqual(coerce(value), {
    value: { many: [{ kind: 'X' }, { metadata: { labels: { a: 'b' } }, spec: { odd: 1 } }] },
    unknown: ['many[1].metadata.odd'],
  });
});

test('coerceEmbedded() refuses wrong types, or drops them', () => {
  const error = (value: Json): string => {
    const { error: found } = coerce(value);
    return `${found?.field ?? ''}: ${found?.body ?? ''}`;
  };
  assert.equal(error({ one: { apiVersion: 5 } }), 'one.apiVersion: Invalid value: 5: must be a string');
  assert.equal(
    error({ map: { k: { metadata: { labels: { a: 1 } } } } }),
    'map[k].metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  );
  assert.deepEqual(coerce({ one: { apiVersion: 5, metadata: { labels: { a: 1 }, name: 'n' } } }, true).value, {
    one: { metadata: { name: 'n' } },
  });
  assert.deepEqual(coerce({ one: { metadata: 'x' } }, true).value, { one: {} });
});

test('coerceEmbedded() returns a value without embedded resources itself', () => {
  const value = { one: { apiVersion: 'v1', kind: 'X' }, many: [] };
  assert.equal(coerce(value).value, value);
});

test('validateEmbedded() asks what a resource must say', () => {
  const errors = (one: Json): readonly string[] =>
    validateEmbedded({ one }, schema, (meta, path) => [
      { type: 'FieldValueInvalid', field: String(path), body: String(meta.name) },
    ]).map((found) => `${found.field}: ${found.body}`);
  assert.deepEqual(errors({}), ['one.apiVersion: Required value', 'one.kind: Required value']);
  assert.deepEqual(errors({ apiVersion: 'a/b/c', kind: '' }), [
    'one.kind: Invalid value: "": must not be empty',
    'one.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ]);
  // Metadata without a name is checked under one that is fine.
  assert.deepEqual(errors({ apiVersion: 'v1', kind: 'X', metadata: {} }), ['one.metadata: fakename']);
});
