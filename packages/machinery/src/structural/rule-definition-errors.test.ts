// Rules of definitions: what does not compile, may not use oldSelf, or could cost too much. The texts are upstream's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldPath } from '../field-error.ts';
import { createRuleChecks } from './rule-definition-errors.ts';
import { schemaErrors } from './schema-errors.ts';

function check(schema: object): readonly string[] {
  return schemaErrors(schema, new FieldPath('schema'), { rules: createRuleChecks() }).map(
    ({ field, body }) => `${field}: ${body}`,
  );
}

const text = { type: 'string' };
const spec = (properties: object, ...rules: readonly object[]): object => ({
  type: 'object',
  properties,
  'x-kubernetes-validations': rules,
});
const at = 'schema.x-kubernetes-validations[0]';

test('createRuleChecks() tells what does not compile, with the rule as Go prints it', () => {
  assert.deepEqual(check(spec({ a: text }, { rule: 'self.a > 1' })), [
    `${at}.rule: Invalid value: {"Rule":"self.a \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: ` +
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_>_' applied to '(string, int)'\n | self.a > 1\n | .......^",
  ]);
  assert.match(check(spec({ a: text }, { rule: 'self.a' }))[0] ?? '', /: cel expression must evaluate to a bool$/);
  assert.match(
    check(spec({}, { rule: 'true', messageExpression: '1' }))[0] ?? '',
    /: messageExpression must evaluate to a string$/,
  );
});

test('createRuleChecks() refuses oldSelf where items do not correlate, and optionalOldSelf without it', () => {
  const items = spec({ a: { type: 'integer' } }, { rule: 'self.a == oldSelf.a' });
  const list = { type: 'array', items };
  assert.deepEqual(check(spec({ l: list })), [
    'schema.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self.a == oldSelf.a": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[l]',
  ]);
  assert.deepEqual(check(spec({}, { rule: 'true', optionalOldSelf: true })), [
    `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ]);
});

test('createRuleChecks() runs rules on defaults', () => {
  const field = { ...text, default: 'x', 'x-kubernetes-validations': [{ rule: "self == 'y'" }] };
  assert.deepEqual(check(spec({ a: field })), [
    'schema.properties[a].default: Invalid value: "x": failed rule: self == \'y\'',
  ]);
});

test('createRuleChecks() bounds what rules could cost', () => {
  const list = { type: 'array', items: text };
  const rule = { rule: 'self.l.all(x, self.l.all(y, x == y))' };
  assert.deepEqual(
    check(spec({ l: list }, rule)).map((error) => error.split(' (try', 1)[0]),
    [
      `${at}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x`,
      `${at}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      'schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x',
    ],
  );
  assert.deepEqual(check(spec({ l: { ...list, maxItems: 10, items: { ...text, maxLength: 10 } } }, rule)), []);
});

test('createRuleChecks() counts how often a rule of an item can run', () => {
  const item = {
    type: 'object',
    properties: { s: text },
    'x-kubernetes-validations': [{ rule: "self.s.contains('x')" }],
  };
  assert.match(check(spec({ l: { type: 'array', items: item } }))[0] ?? '', /estimated rule cost exceeds budget/);
  assert.deepEqual(check(spec({ l: { type: 'array', items: item, maxItems: 10 } })), []);
});

test('createRuleChecks() finds a rule that tells int from string cheap', () => {
  const rule = { rule: "type(self) == int ? self < 10 : self == 'all'" };
  const field = { 'x-kubernetes-int-or-string': true, 'x-kubernetes-validations': [rule] };
  assert.deepEqual(check({ type: 'object', properties: { a: field } }), []);
});
