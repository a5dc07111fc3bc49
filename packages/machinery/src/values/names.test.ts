// Name rules with upstream's messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  isPortName,
  isPortNumber,
  isQualifiedName,
} from './names.ts';

const labelRegex = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

test('isDns1123Label() tells length, dots and shape', () => {
  assert.deepEqual(isDns1123Label('a-1'), []);
  assert.deepEqual(isDns1123Label('a.b'), ['must not contain dots']);
  assert.deepEqual(isDns1123Label('a'.repeat(64)), ['must be no more than 63 characters']);
  assert.deepEqual(isDns1123Label('A'), [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
      `an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${labelRegex}')`,
  ]);
});

test('isDns1123Subdomain() allows dots, in lower case', () => {
  assert.deepEqual(isDns1123Subdomain('a.b-c.1'), []);
  assert.deepEqual(isDns1123Subdomain('New'), [
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
      "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
      `'${labelRegex}(\\.${labelRegex})*')`,
  ]);
  assert.equal(isDns1123Subdomain('a\n').length, 1);
});

test('isDns1035Label() wants a letter first', () => {
  assert.deepEqual(isDns1035Label('a1'), []);
  assert.equal(isDns1035Label('1a').length, 1);
});

test('isQualifiedName() checks prefix and name', () => {
  assert.deepEqual(isQualifiedName('example.com/My_Name.1'), []);
  assert.deepEqual(isQualifiedName('/x'), ['prefix part must be non-empty']);
  assert.deepEqual(isQualifiedName(`${'k'.repeat(64)}`), ['name part must be no more than 63 bytes']);
  assert.equal(isQualifiedName('x/').length, 2);
  assert.match(
    isQualifiedName('a/b/c')[0] ?? '',
    /^a valid label key must consist of .* with an optional DNS subdomain prefix/,
  );
});

test('isLabelValue() allows the empty text', () => {
  assert.deepEqual(isLabelValue(''), []);
  assert.deepEqual(isLabelValue('v'.repeat(64)), ['must be no more than 63 bytes']);
  assert.equal(isLabelValue('-x').length, 1);
});

test('isPortName() and isPortNumber() are the rules for ports', () => {
  assert.deepEqual(isPortName('http-1'), []);
  assert.deepEqual(isPortName('-'), ['must contain at least one letter (a-z)', 'must not begin or end with a hyphen']);
  assert.deepEqual(isPortNumber(0), ['must be between 1 and 65535, inclusive']);
});

test('isPathSegmentName() and isConfigMapKey() refuse what would leave a directory', () => {
  assert.deepEqual(isPathSegmentName('..'), ["may not be '..'"]);
  assert.deepEqual(isPathSegmentName('a/b%'), ["may not contain '/'", "may not contain '%'"]);
  assert.deepEqual(isConfigMapKey('..a'), ["must not start with '..'"]);
});
