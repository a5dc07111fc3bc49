// Laws of pruning, defaulting and validation, for any schema and any value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FieldPath } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { cloneJson } from '../values/clone-json.ts';
import type { JsonMap } from '../values/json-shapes.ts';
import { applyDefaults } from './apply-defaults.ts';
import { compileStructural } from './compile-structural.ts';
import { pruneUnknown } from './prune-unknown.ts';
import { schemaErrors } from './schema-errors.ts';
import { toSchema } from './to-schema.ts';
import { validateOpenApi, validateStructural } from './validate-structural.ts';

const names = fc.constantFrom('a', 'b', 'c', 'odd', '__proto__');
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  fc.constantFrom('', 'x', 'abc', '10%', '2024-01-02'),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const object = fc
  .array(fc.tuple(names, anyValue), { maxLength: 4 })
  .map((entries): Json => Object.fromEntries(entries));

const optional = { requiredKeys: ['type' as const] };
const optionalItems = { requiredKeys: ['type' as const, 'items' as const] };
const listTypes = { 'x-kubernetes-list-type': fc.constantFrom('set', 'atomic') };
const { schema: anySchema } = fc.letrec<{ schema: object }>((tie) => {
  const common = { nullable: fc.boolean() };
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ ...common, type: fc.constant('string'), maxLength: fc.nat(3), default: fc.constant('x') }, optional),
      fc.record({ ...common, type: fc.constant('integer'), minimum: fc.nat(3), default: fc.constant(5) }, optional),
      fc.record({ ...common, type: fc.constant('string'), enum: fc.constant(['x', 'abc']) }, optional),
      fc.constant({ type: 'string', format: 'date' }),
      fc.constant({ 'x-kubernetes-int-or-string': true }),
      fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(2), ...listTypes }, optionalItems),
      fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
      fc.record(
        {
          ...common,
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
          required: fc.subarray(['a', 'b']),
          default: fc.constant({}),
          'x-kubernetes-preserve-unknown-fields': fc.constant(true),
        },
        optional,
      ),
    ),
  };
});
const rootSchema = fc
  .dictionary(fc.constantFrom('a', 'b', 'c'), anySchema, { maxKeys: 3 })
  .map((properties) => ({ type: 'object', properties }));

test('pruning is idempotent, and an object without unknown fields is itself', () => {
  fc.assert(
    fc.property(rootSchema, object, (definition, value) => {
      const schema = compileStructural(definition);
      const pruned = pruneUnknown(value, schema, { root: true });
      const again = pruneUnknown(pruned.value, schema, { root: true });
      assert.deepEqual(again.unknown, []);
      assert.equal(again.value, pruned.value);
      assert.equal(pruned.value === value, pruned.unknown.length === 0);
    }),
  );
});

test('defaulting is idempotent', () => {
  fc.assert(
    fc.property(rootSchema, object, (definition, value) => {
      const schema = compileStructural(definition);
      const filled = applyDefaults(value, schema);
      assert.deepEqual(applyDefaults(filled, schema), filled);
    }),
  );
});

test('defaulting brings no unknown fields, and nothing invalid, where the defaults themselves are in order', () => {
  fc.assert(
    fc.property(rootSchema, object, (definition, value) => {
      fc.pre(schemaErrors(definition, new FieldPath()).length === 0);
      const schema = compileStructural(definition);
      const pruned = pruneUnknown(value, schema, { root: true }).value;
      const filled = applyDefaults(pruned, schema);
      assert.deepEqual(pruneUnknown(filled, schema, { root: true }).unknown, []);
      // What defaulting brought may miss fields of its own that are required; nothing else is wrong with it.
      const before = new Set(validateOpenApi(pruned, schema).map(({ field, body }) => `${field}: ${body}`));
      const anew = validateOpenApi(filled, schema).filter(
        ({ field, body, type }) => !before.has(`${field}: ${body}`) && type !== 'FieldValueRequired',
      );
      assert.deepEqual(anew, []);
    }),
  );
});

test('an update is refused for nothing that a create is not, and for nothing in fields that stay the same', () => {
  fc.assert(
    fc.property(rootSchema, object, object, (definition, value, old) => {
      const schema = compileStructural(definition);
      const texts = (before?: Json): readonly string[] =>
        validateOpenApi(value, schema, undefined, before).map(({ field, body }) => `${field}: ${body}`);
      const created = new Set(texts());
      assert.ok(texts(old).every((text) => created.has(text)));
      const inScalars = [...schema.properties]
        .filter(([name]) => typeof (value as JsonMap)[name] !== 'object')
        .map(([name]) => `${name}: Invalid value`);
      assert.ok(texts(cloneJson(value)).every((text) => !inScalars.some((start) => text.startsWith(start))));
      assert.doesNotThrow(() => toSchema(schema, 'test'));
    }),
  );
});

test('no input is changed', () => {
  fc.assert(
    fc.property(rootSchema, object, object, (definition, value, old) => {
      const schema = compileStructural(deepFreeze(definition));
      deepFreeze(value);
      deepFreeze(old);
      const { value: pruned } = pruneUnknown(value, schema, { root: true });
      validateStructural(applyDefaults(deepFreeze(pruned), schema), schema, { old });
    }),
  );
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
