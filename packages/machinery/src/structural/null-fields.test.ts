// Rules see a nullable field that is null as absent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileStructural } from './compile-structural.ts';
import { validateRules } from './validate-rules.ts';

const failures = (rule: string): readonly string[] => {
  const properties = { n: { type: 'string', nullable: true } };
  const schema = compileStructural({ type: 'object', properties, 'x-kubernetes-validations': [{ rule }] });
  return validateRules({ n: null }, undefined, schema).errors.map(({ body }) => body);
};

test('validateRules() on a null field: has() is false, reading it is an error', () => {
  assert.deepEqual(failures('!has(self.n)'), []);
  assert.deepEqual(failures("self.n == 'x'"), [
    'Invalid value: "object": no such key: n evaluating rule: self.n == \'x\'',
  ]);
});
