// What keeps an expression from compiling, in upstream's words, beyond types and syntax.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCelEnvironment } from './environment.ts';
import { boolType, stringType } from './types.ts';

const environment = createCelEnvironment({ variables: { s: stringType, b: boolType } });

const errors: readonly (readonly [expression: string, error: RegExp])[] = [
  ["int('x') == 1", /^program instantiation failed: type conversion error from 'string' to 'int'$/],
  ['uint(-1) == 1u', /^program instantiation failed: unsigned integer overflow$/],
  ["double('1e400') > 1.0", /^program instantiation failed: type conversion error from 'string' to 'double'$/],
  ["s.find('(') == ''", /^program instantiation failed: error parsing regexp: missing closing \): `\(`$/],
  ["'%d'.format(['a']) == ''", /1:14: error during formatting: decimal clause can only be used on integers, was given string/],
  ["'%s'.format([]) == ''", /1:12: index 0 out of range/],
  ["'%s'.format([1, 2]) == ''", /too many arguments supplied to string.format \(expected 1, got 2\)/],
  ["'%'.format([1]) == ''", /unexpected end of string/],
  ["'%q'.format([1]) == ''", /could not parse formatting clause: unrecognized formatting clause "q"/],
  ['b && 1', /1:6: expected type 'bool' but found 'int'/],
  ['[[1], [2, [3]]] == []', /1:7: expected type 'list\(int\)' but found 'list\(dyn\)'/],
  ['for == 1', /1:1: reserved identifier: for/],
  ['9223372036854775808 == 1', /1:1: invalid int literal/],
  ["s.reverse() == ''", /found no matching overload for 'reverse' applied to 'string\.\(\)'/],
  ["quantity('1').sign() == 0", /found no matching overload for 'sign' applied to 'kubernetes\.Quantity\.\(\)'/],
]; // prettier-ignore

for (const [expression, error] of errors) {
  test(`compile() refuses ${expression}`, () => {
    assert.match(environment.compile(expression).error ?? '', error);
  });
}
