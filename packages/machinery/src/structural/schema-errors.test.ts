import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldPath } from '../field-error.ts';
import type { RuleChecks, RuleSite } from './rule-checks.ts';
import { schemaErrors, type SchemaErrorsOptions, toleratedBy, unrecognizedFormats } from './schema-errors.ts';
import { structuralErrors } from './structural-errors.ts';

const path = new FieldPath('s');

/** Errors of a schema whose property `a` is given. */
function errorsOf(a: object, options?: SchemaErrorsOptions): readonly string[] {
  return rootErrors({ type: 'object', properties: { a } }, options);
}

function rootErrors(schema: object, options?: SchemaErrorsOptions): readonly string[] {
  return schemaErrors(schema, path, options).map(({ field, body }) => `${field}: ${body}`);
}

test('every node has a type, the root is an object', () => {
  assert.deepEqual(rootErrors({}), ['s.type: Required value: must not be empty at the root']);
  assert.deepEqual(rootErrors({ type: 'string' }), ['s.type: Invalid value: "string": must be object at the root']);
  assert.deepEqual(errorsOf({}), [
    's.properties[a].type: Required value: must not be empty for specified object fields',
  ]);
  assert.deepEqual(errorsOf({ type: 'array' }), ['s.properties[a].items: Required value: must be specified']);
  assert.deepEqual(errorsOf({ 'x-kubernetes-preserve-unknown-fields': true }), []);
  assert.deepEqual(rootErrors({ type: 'object', nullable: true }), [
    's.nullable: Forbidden: nullable cannot be true at the root',
  ]);
});

test('structural errors are sorted by their texts', () => {
  const schema = { type: 'object', properties: { z: {}, a: { type: 'array' } }, additionalProperties: {} };
  assert.deepEqual(
    structuralErrors(schema, path).map(({ field }) => field),
    ['s.additionalProperties.type', 's.additionalProperties', 's.properties[a].items', 's.properties[z].type'],
  );
});

test('inside of junctors there are only restrictions of values', () => {
  const clause = { nullable: true, description: 'd', properties: { metadata: {} }, 'x-kubernetes-validations': [{}] };
  assert.deepEqual(
    structuralErrors({ type: 'object', not: clause }, path).map(({ field, body }) => `${field}: ${body}`),
    [
      's.not.description: Forbidden: must be empty to be structural',
      's.not.nullable: Forbidden: must be false to be structural',
      's.not.properties[metadata]: Forbidden: must not be specified in a nested context',
      's.not.x-kubernetes-validations: Forbidden: must be empty to be structural',
    ],
  );
  const types = [{ type: 'integer' }, { type: 'string' }];
  const intOrString = { 'x-kubernetes-int-or-string': true };
  assert.deepEqual(errorsOf({ ...intOrString, anyOf: types }), []);
  assert.deepEqual(errorsOf({ ...intOrString, allOf: [{ anyOf: types }, { pattern: 'x' }] }), []);
  assert.equal(errorsOf({ ...intOrString, allOf: [{ pattern: 'x' }, { anyOf: types }] }).length, 2);
});

test('metadata may restrict the name alone', () => {
  const of = (metadata: object): number => rootErrors({ type: 'object', properties: { metadata } }).length;
  assert.equal(of({ type: 'object' }), 0);
  assert.equal(of({ type: 'object', properties: { name: { type: 'string', maxLength: 5 } } }), 0);
  assert.equal(of({ type: 'object', description: 'd' }), 1);
  assert.equal(of({ type: 'object', properties: { labels: { type: 'object' } } }), 1);
});

test('what a structural schema has no place for is all that is said', () => {
  assert.deepEqual(errorsOf({ $ref: '#/x' }), ['s.properties[a].$ref: Forbidden: $ref is not supported']);
  assert.deepEqual(errorsOf({ items: [{ type: 'string' }] }), [
    's.properties[a].items: Forbidden: items must be a schema object and not an array',
  ]);
});

test('defaults have no unknown fields and are valid', () => {
  const object = { type: 'object', properties: { b: { type: 'string' } } };
  assert.deepEqual(errorsOf({ ...object, default: { b: 'x', c: 'y' } }), [
    's.properties[a].default: Invalid value: {"b":"x","c":"y"}: must not have unknown fields',
  ]);
  assert.deepEqual(errorsOf({ ...object, default: { b: 1 } }), [
    's.properties[a].default.b: Invalid value: "integer": b in body must be of type string: "integer"',
  ]);
  assert.deepEqual(rootErrors({ type: 'object', properties: { kind: { type: 'string', default: 'X' } } }), [
    's.properties[kind].default: Forbidden: must not be set in top-level kind',
  ]);
});

test('defaults of embedded metadata must make valid metadata', () => {
  const objectMeta = { kind: 'struct', name: 'ObjectMeta', fields: [], byName: new Map() } as const;
  const metadata: SchemaErrorsOptions['metadata'] = {
    objectMeta,
    validateObjectMeta: (meta, at) => [{ type: 'FieldValueInvalid', field: String(at.child('name')), body: 'odd' }],
  };
  const embedded = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { kind: { type: 'string', default: 'a b' }, metadata: { type: 'object', default: {} } },
  };
  // As upstream has it, the kind that is checked is never the default.
  assert.deepEqual(errorsOf(embedded, { metadata }), [
    's.properties[a].properties[metadata].default: Invalid value: {}: must result in valid metadata: metadata.name: odd',
  ]);
});

test('list types belong to lists, their keys to items', () => {
  const item = { type: 'object', properties: { k: { type: 'string' } } };
  const map = { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
  assert.deepEqual(errorsOf(map), [
    's.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
  ]);
  assert.deepEqual(errorsOf({ ...map, items: { ...item, required: ['k'] } }), []);
  assert.deepEqual(errorsOf({ ...map, items: { ...item, required: ['k'], nullable: true } }), [
    's.properties[a].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map',
  ]);
  const nested = { ...item, required: ['k'], properties: { k: { type: 'object' } } };
  assert.deepEqual(errorsOf({ ...map, items: nested }), [
    's.properties[a].items.properties[k].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
  ]);
});

test('with the status subresource the root says little', () => {
  const options = { statusSubresource: true };
  assert.deepEqual(rootErrors({ type: 'object', properties: {}, description: 'd', required: ['spec'] }, options), []);
  const [error = ''] = rootErrors({ type: 'object', minProperties: 1 }, options);
  assert.match(error, /only \[Description Type .* XValidations\] fields are allowed at the root of the schema/);
});

test('entries of rules are texts that say something', () => {
  const entries = [
    { rule: ' ' },
    { rule: 'true', message: ' ' },
    { rule: 'true\n&& true' },
    { rule: 'true', reason: 'Odd', fieldPath: '.none', messageExpression: ' ' },
  ];
  const at = 's.properties[a].x-kubernetes-validations';
  assert.deepEqual(errorsOf({ type: 'string', 'x-kubernetes-validations': entries }), [
    `${at}[0].rule: Required value: rule is not specified`,
    `${at}[1].message: Invalid value: " ": must be non-empty if specified`,
    `${at}[2].message: Required value: message must be specified if rule contains line breaks`,
    `${at}[3].messageExpression: Required value: messageExpression must be non-empty if specified`,
    `${at}[3].reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    `${at}[3].fieldPath: Invalid value: ".none": must be a valid path`,
  ]);
});

test('rules are compiled where the schema is in order, inner ones first, with the lists they stand in', () => {
  const rules = [{ rule: 'true' }];
  const withRules = { type: 'string', 'x-kubernetes-validations': rules, default: 'x' };
  const list = { type: 'array', items: withRules, 'x-kubernetes-validations': rules };
  const seen: string[] = [];
  const checks: RuleChecks = {
    check(site: RuleSite) {
      seen.push(`${String(site.path)} in ${String(site.uncorrelatable ?? 'none')}`);
      return [];
    },
    checkDefault(value, _schema, at) {
      seen.push(`${String(at)} = ${JSON.stringify(value)}`);
      return [];
    },
    finish(at) {
      seen.push(`finish ${String(at)}`);
      return [];
    },
  };
  assert.deepEqual(errorsOf(list, { rules: checks }), []);
  assert.deepEqual(seen, [
    's.properties[a].items.default = "x"',
    's.properties[a].items in s.properties[a]',
    's.properties[a] in none',
    'finish s',
  ]);
  seen.length = 0;
  errorsOf({ ...list, uniqueItems: true }, { rules: checks });
  assert.deepEqual(seen, [
    's.properties[a].items.default = "x"',
    's.properties[a].items in s.properties[a]',
    'finish s',
  ]);
});

test('who violated a later rule before may go on to', () => {
  const set = { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' };
  const pruned = { type: 'object', properties: {}, default: { odd: 1 } };
  for (const [a, name] of [
    [set, 'granularSetItems'],
    [pruned, 'unknownInDefaults'],
    [{}, 'nonStructural'],
  ] as const) {
    const tolerated = toleratedBy({ type: 'object', properties: { a } });
    assert.equal(tolerated[name], true, name);
    assert.equal(Object.values(tolerated).filter(Boolean).length, 1, name);
    assert.equal(errorsOf(a).length, 1, name);
    assert.deepEqual(errorsOf(a, { tolerated }), [], name);
  }
  assert.equal(Object.values(toleratedBy(undefined)).some(Boolean), false);
});

test('unrecognizedFormats() names formats that nothing is held to', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string', format: 'made-up' },
      b: { type: 'integer', format: 'date' },
      c: { type: 'array', items: { type: 'string', format: 'date' } },
    },
  };
  assert.deepEqual(unrecognizedFormats(schema), ['made-up', 'date']);
});
