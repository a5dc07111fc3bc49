// Rules on objects: messages, reasons and places, transitions, correlation, ratcheting and budgets. The texts are upstream's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldPath } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { compileStructural } from './compile-structural.ts';
import { validateRules, type ValidateRulesOptions } from './validate-rules.ts';

function check(schema: object, value: Json, old?: Json, options: ValidateRulesOptions = {}): readonly string[] {
  const { errors, ratcheted } = validateRules(value, old, compileStructural(schema), options);
  return [
    ...errors.map(({ field, body }) => `${field}: ${body}`),
    ...ratcheted.map(({ field, body }) => `warning: ${field}: ${body}`),
  ];
}

const withRules = (properties: object, ...rules: readonly object[]): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } },
});

test('validateRules() words a broken rule by its message, expression or text', () => {
  const schema = withRules(
    { a: { type: 'integer' }, s: { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'x'" }] } },
    { rule: 'self.a < 1', messageExpression: "'a is ' + string(self.a)", fieldPath: '.a' },
    { rule: 'self.a < 2', message: 'too much', reason: 'FieldValueForbidden' },
    { rule: 'self.a < 3', messageExpression: "''", reason: 'FieldValueRequired' },
    { rule: 'self.a < 4', reason: 'FieldValueDuplicate' },
  );
  assert.deepEqual(check(schema, { spec: { a: 5, s: 'x' } }), [
    'spec.a: Invalid value: a is 5',
    'spec: Forbidden: too much',
    'spec: Required value: failed rule: self.a < 3',
    'spec: Duplicate value',
    'spec.s: Invalid value: "x": failed rule: self != \'x\'',
  ]);
});

test('validateRules() reports a rule that fails to evaluate with the kind of the value', () => {
  const schema = withRules(
    { a: { type: 'integer' }, io: { 'x-kubernetes-int-or-string': true } },
    { rule: 'self.a > 0', message: 'why' },
    { rule: 'self.io > 5' },
  );
  assert.deepEqual(check(schema, { spec: { io: 'x' } }), [
    'spec: Invalid value: "object": no such key: a evaluating rule: why',
    'spec: Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.io > 5',
  ]);
});

test('validateRules() shows kind and names at the root, whose path is nil', () => {
  const schema = {
    type: 'object',
    'x-kubernetes-validations': [{ rule: "self.metadata.name != 'x' && self.kind == 'A'" }],
  };
  assert.deepEqual(check(schema, { kind: 'A', metadata: { name: 'y' } }), []);
  assert.match(check(schema, { kind: 'A', metadata: { name: 'x' } })[0] ?? '', /^<nil>: Invalid value: failed rule/);
});

test('validateRules() runs transition rules where an old value correlates', () => {
  const item = {
    type: 'object',
    properties: { k: { type: 'string' }, v: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: 'self.v == oldSelf.v' }],
  };
  const schema = withRules({
    l: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    m: {
      type: 'object',
      additionalProperties: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] },
    },
    first: {
      type: 'string',
      'x-kubernetes-validations': [{ rule: "oldSelf.hasValue() || self == 'start'", optionalOldSelf: true }],
    },
  });
  const old = { spec: { l: [{ k: 'a', v: 1 }, { k: 'b', v: 2 }], m: { x: 2 } } }; // prettier-ignore
  assert.deepEqual(check(schema, { spec: { l: [{ k: 'c', v: 9 }, { k: 'a', v: 1 }], m: { x: 2, y: 0 } } }, old), []); // prettier-ignore
  assert.deepEqual(check(schema, { spec: { l: [{ k: 'b', v: 3 }], m: { x: 1 } } }, old), [
    'spec.l[0]: Invalid value: failed rule: self.v == oldSelf.v',
    'spec.m[x]: Invalid value: 1: failed rule: self >= oldSelf',
  ]);
  assert.equal(check(schema, { spec: { first: 'other' } }).length, 1);
  assert.equal(check(schema, { spec: { first: 'other' } }, { spec: { first: 'start' } }).length, 0);
});

test('validateRules() warns of rules that fail on what did not change', () => {
  const schema = withRules({
    l: {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-validations': [{ rule: 'self.size() < 2', message: 'at most one' }],
    },
    n: { type: 'integer' },
  });
  const old = { spec: { l: ['a', 'b'], n: 1 } };
  assert.deepEqual(check(schema, { spec: { l: ['a', 'b'], n: 2 } }, old), [
    'warning: spec.l: Invalid value: at most one',
  ]);
  assert.deepEqual(check(schema, { spec: { l: ['a', 'c'], n: 1 } }, old), ['spec.l: Invalid value: at most one']);
});

test('validateRules() sees formats as times and lists of type set as sets', () => {
  const schema = withRules(
    {
      at: { type: 'string', format: 'date-time' },
      s: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      'da-sh': { type: 'integer' },
    },
    { rule: "self.at < timestamp('2025-01-01T00:00:00Z')" },
    { rule: "self.s == ['b', 'a']" },
    { rule: 'self.da__dash__sh == 1' },
  );
  assert.deepEqual(check(schema, { spec: { at: '2024-01-01T00:00:00Z', s: ['a', 'b'], 'da-sh': 1 } }), []);
});

test('validateRules() ends when a rule or the object costs too much', () => {
  const rule = 'lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))';
  const schema = withRules({}, { rule }, { rule: 'false' });
  assert.deepEqual(check(schema, { spec: {} }), [
    `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
  ]);
  assert.deepEqual(
    check(withRules({}, { rule: 'lists.range(100).all(x, x >= 0)' }), { spec: {} }, undefined, { costBudget: 10 }),
    [
      'spec: Invalid value: validation failed due to running out of cost budget, no further validation rules will be run',
    ],
  );
});

test('validateRules() takes a part of an object by its path', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: 'self.a > 0' }],
  };
  assert.deepEqual(check(schema, { a: 0 }, undefined, { path: new FieldPath('status') }), [
    'status: Invalid value: failed rule: self.a > 0',
  ]);
});
