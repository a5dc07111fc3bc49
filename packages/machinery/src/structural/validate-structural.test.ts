import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldPath } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { compileStructural } from './compile-structural.ts';
import { rulesNotChecked, validateOpenApi, validateStructural } from './validate-structural.ts';

/** Errors of a field `a` of an object. */
function errorsOf(value: Json, schema: object): readonly string[] {
  return texts({ a: value }, { type: 'object', properties: { a: schema } });
}

function texts(value: Json, schema: object, old?: Json): readonly string[] {
  const options = old === undefined ? {} : { old };
  const { errors } = validateStructural(value, compileStructural(schema), options);
  return errors.map(({ field, body }) => `${field}: ${body}`);
}

test('types are named as JSON names them', () => {
  const wrong = (found: string, wanted: string): readonly string[] => [
    `a: Invalid value: "${found}": a in body must be of type ${wanted}: "${found}"`,
  ];
  assert.deepEqual(errorsOf('x', { type: 'integer' }), wrong('string', 'integer'));
  assert.deepEqual(errorsOf(true, { type: 'object' }), wrong('boolean', 'object'));
  assert.deepEqual(errorsOf([], { type: 'string' }), wrong('array', 'string'));
  assert.deepEqual(errorsOf({}, { type: 'array', items: {} }), wrong('object', 'array'));
  assert.deepEqual(errorsOf(1, { type: 'boolean' }), wrong('integer', 'boolean'));
  assert.deepEqual(errorsOf(null, { type: 'string' }), wrong('null', 'string'));
  assert.deepEqual(errorsOf(true, { 'x-kubernetes-int-or-string': true }), wrong('boolean', 'integer,string'));
  assert.deepEqual(errorsOf(null, { type: 'string', nullable: true }), []);
  assert.deepEqual(errorsOf(1, { type: 'number' }), []);
});

test('a format is all that is asked of lists where strings belong', () => {
  assert.deepEqual(errorsOf([], { type: 'string', format: 'date' }), []);
  assert.deepEqual(errorsOf(5, { type: 'string', format: 'date' }), [
    'a: Invalid value: "int64": a in body must be of type date: "int64"',
  ]);
});

test('integers hold what int64 holds', () => {
  const refusal = '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a';
  assert.deepEqual(errorsOf(2n ** 63n - 1n, { type: 'integer' }), []);
  assert.equal(errorsOf(1.5, { type: 'integer' })[1], refusal);
  assert.equal(errorsOf(2 ** 63, { type: 'integer' })[1], refusal);
  assert.deepEqual(errorsOf(2 ** 31, { type: 'integer', format: 'int32' }), [
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a',
  ]);
  assert.deepEqual(errorsOf(1e39, { type: 'number', format: 'float' }), [
    '<nil>: Invalid value: "": Checked value must be of type number with format float in a',
  ]);
});

test('bounds are cut to whole numbers for integers', () => {
  assert.deepEqual(errorsOf(2, { type: 'number', maximum: 1.5 }), [
    'a: Invalid value: 2: a in body should be less than or equal to 1',
  ]);
  assert.deepEqual(errorsOf(1.75, { type: 'number', maximum: 1.5 }), [
    'a: Invalid value: 1.75: a in body should be less than or equal to 1.5',
  ]);
  assert.deepEqual(errorsOf(1, { type: 'integer', minimum: 1, exclusiveMinimum: true }), [
    'a: Invalid value: 1: a in body should be greater than 1',
  ]);
  assert.deepEqual(errorsOf(1, { type: 'integer', maximum: 1.5 }), [
    '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in a',
  ]);
  assert.deepEqual(errorsOf(9007199254740993n, { type: 'integer', maximum: 10 }), [
    'a: Invalid value: 9007199254740993: a in body should be less than or equal to 10',
  ]);
});

test('multiples are exact for integers, nearly so for others', () => {
  assert.deepEqual(errorsOf(9007199254740993n, { type: 'integer', multipleOf: 3 }), []);
  assert.deepEqual(errorsOf(4, { type: 'integer', multipleOf: 3 }), [
    'a: Invalid value: 4: a in body should be a multiple of 3',
  ]);
  assert.deepEqual(errorsOf(0.3, { type: 'number', multipleOf: 0.1 }), []);
  assert.deepEqual(errorsOf(4, { type: 'number', multipleOf: -1 }), [
    'a: Invalid value: -1: factor MultipleOf declared for a must be positive: -1',
  ]);
  // Of a factor below one nothing is left for an integer.
  assert.deepEqual(errorsOf(4, { type: 'number', multipleOf: 0.5 }), [
    'a: Invalid value: 0: factor MultipleOf declared for a must be positive: 0',
  ]);
});

test('lengths count characters', () => {
  assert.deepEqual(errorsOf('😀😀', { type: 'string', maxLength: 2, minLength: 2 }), []);
  assert.deepEqual(errorsOf('😀😀😀', { type: 'string', maxLength: 2 }), ['a: Too long: may not be more than 2 bytes']);
  assert.deepEqual(errorsOf('😀', { type: 'string', minLength: 2 }), [
    'a: Invalid value: "😀": a in body should be at least 2 chars long',
  ]);
});

test('too many items or properties; too few', () => {
  assert.deepEqual(errorsOf([1, 2], { type: 'array', items: { type: 'integer' }, maxItems: 1 }), [
    'a: Too many: 2: must have at most 1 item',
  ]);
  assert.deepEqual(
    errorsOf({ k: 'x' }, { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 }),
    [
      'a: Invalid value: 1: a in body should have at least 2 properties',
      'a.k: Invalid value: "string": a.k in body must be of type integer: "string"',
    ],
  );
  assert.deepEqual(errorsOf({ k: 1 }, { type: 'object', additionalProperties: false }), [
    'a: Invalid value: "k": a.k in body is a forbidden property',
  ]);
});

test('an enum holds values of any type', () => {
  assert.deepEqual(errorsOf(3, { type: 'integer', enum: [1, 2] }), [
    'a: Unsupported value: 3: supported values: "1", "2"',
  ]);
  assert.deepEqual(errorsOf({ k: 1 }, { type: 'object', enum: [{ k: 1 }], additionalProperties: {} }), []);
  // Null is not among the values, even where it is listed.
  assert.deepEqual(errorsOf(null, { type: 'string', nullable: true, enum: ['x', null] }), [
    'a: Unsupported value: null: supported values: "x", "null"',
  ]);
});

test('of alternatives the one is spoken of that fits best', () => {
  const oneOf = [
    { properties: { k: { minimum: 5 }, l: { minimum: 5 } } },
    { properties: { k: { minimum: 9 } }, required: ['m'] },
  ];
  const schema = {
    type: 'object',
    additionalProperties: { type: 'integer' },
    oneOf,
  };
  assert.deepEqual(errorsOf({ k: 1, l: 6 }, schema), [
    '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found none valid',
    'a.k: Invalid value: 1: a.k in body should be greater than or equal to 5',
  ]);
  assert.deepEqual(errorsOf(3, { type: 'integer', allOf: [{ minimum: 5 }, { multipleOf: 3 }] }), [
    'a: Invalid value: 3: a in body should be greater than or equal to 5',
    '<nil>: Invalid value: "": "a" must validate all the schemas (allOf)',
  ]);
});

test('at the root and in defaults, names begin as upstream has them', () => {
  const schema = compileStructural({ type: 'object', additionalProperties: { type: 'string' }, required: ['r'] });
  const path = new FieldPath('spec.default');
  assert.deepEqual(
    validateOpenApi({ k: 1 }, schema, path).map(({ field, body }) => `${field}: ${body}`),
    [
      'spec.default.k: Invalid value: "integer": .k in body must be of type string: "integer"',
      'spec.default.r: Required value',
    ],
  );
  assert.deepEqual(texts('x', { type: 'object' }), [
    '<nil>: Invalid value: "string":  in body must be of type object: "string"',
  ]);
});

test('items of sets and keys of maps occur once', () => {
  const set = { type: 'array', items: {}, 'x-kubernetes-list-type': 'set' };
  assert.deepEqual(errorsOf(['a', 1, 'a', 'a', { x: 1, y: 2 }, { y: 2, x: 1 }, '1'], set), [
    'a[2]: Duplicate value: "a"',
    'a[5]: Duplicate value: {"x":1,"y":2}',
  ]);
  const map = {
    ...set,
    items: { type: 'object' },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  };
  assert.deepEqual(errorsOf([{ k: 'x', v: 1 }, { k: 'x', v: 2 }, {}, {}], map), [
    'a[1]: Duplicate value: {"k":"x"}',
    'a[3]: Duplicate value: {}',
  ]);
  assert.deepEqual(texts({ a: ['x', 'x', 'y'] }, { properties: { a: set } }, { a: ['x', 'x'] }), []);
});

const ratchet = {
  type: 'object',
  properties: {
    s: { type: 'string', maxLength: 2 },
    l: { type: 'array', items: { type: 'string', enum: ['a'] }, maxItems: 1 },
    o: { type: 'object', properties: { a: { type: 'string', pattern: '^a$' }, b: {}, c: {} }, required: ['c'] },
    k: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'string' }, v: { type: 'string', enum: ['ok'] } } },
      maxItems: 1,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
    },
  },
};
const stored = {
  s: 'long',
  l: ['x', 'y'],
  o: { a: 'zzz', b: 'b' },
  k: [
    { id: '1', v: 'bad' },
    { id: '2', v: 'ok' },
  ],
};

test('what was wrong and does not change is forgiven', () => {
  const update = (change: object): readonly string[] =>
    texts({ ...structuredClone(stored), ...change }, ratchet, stored);
  assert.equal(texts(stored, ratchet).length, 8);
  assert.deepEqual(update({}), []);
  assert.deepEqual(update({ s: 'longer' }), ['s: Too long: may not be more than 2 bytes']);
  // A sibling changes: the object is looked at again, its unchanged fields are not.
  assert.deepEqual(update({ o: { a: 'zzz', b: 'c' } }), ['o.c: Required value']);
  assert.deepEqual(update({ o: { a: 'zzz', c: 'c' } }), []);
});

test('items correlate by key in lists of type map alone', () => {
  const update = (change: object): readonly string[] =>
    texts({ ...structuredClone(stored), ...change }, ratchet, stored);
  assert.deepEqual(update({ l: ['x'] }), ['l[0]: Unsupported value: "x": supported values: "a"']);
  assert.deepEqual(update({ k: stored.k.toReversed() }), []);
  assert.deepEqual(update({ k: [{ id: '1', v: 'bad' }] }), []);
  assert.deepEqual(update({ k: [{ id: '1', v: 'worse' }] }), [
    'k[0].v: Unsupported value: "worse": supported values: "ok"',
  ]);
  assert.deepEqual(update({ k: [{ id: '3', v: 'bad' }] }), [
    'k[0].v: Unsupported value: "bad": supported values: "ok"',
  ]);
});

test('rulesNotChecked() speaks where the shape is wrong', () => {
  const schema = compileStructural({ type: 'object', properties: { a: { type: 'integer', minimum: 5 } } });
  const of = (a: Json): string | undefined => rulesNotChecked(validateStructural({ a }, schema).errors)?.body;
  assert.equal(of(1), undefined);
  assert.match(of('x') ?? '', /^Invalid value: null: some validation rules were not checked/);
});

test('a pattern that can not be read matches nothing', () => {
  assert.deepEqual(errorsOf('x', { type: 'string', pattern: '[' }), [
    'a: Invalid value: "x": a in body should match \'[, but pattern is invalid: error parsing regexp: missing closing ]: `[`\'',
  ]);
});
