import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FieldError, FieldPath } from '@homeostat/machinery';
import { validateConditions } from './conditions.ts';
import { validateDomainPath } from './domain-path.ts';
import { validateFullName } from './full-names.ts';
import { intOrPercentNumber, validateAtMost100Percent, validateIntOrPercent } from './int-or-percent.ts';
import { printableMap, printableSelector } from './printable.ts';
import { validateWebhookService, validateWebhookUrl } from './webhook-client.ts';

const path = new FieldPath('x');

/** The errors that a rule adds. */
function texts(check: (errors: FieldError[]) => void): readonly string[] {
  const errors: FieldError[] = [];
  check(errors);
  return errors.map((error) => `${error.field}: ${error.body}`);
}

test('a number or percentage is not negative, and a percentage ends in %', () => {
  const check = (value: number | string | undefined): number =>
    texts((errors) => validateIntOrPercent(value, path, errors)).length;
  assert.deepEqual([undefined, 0, 5, '0%', '150%'].map(check), [0, 0, 0, 0, 0]);
  assert.deepEqual([-1, '5', '-5%', 'many', ''].map(check), [1, 1, 1, 1, 1]);
  assert.deepEqual(
    texts((errors) => validateAtMost100Percent('101%', path, errors)),
    ['x: Invalid value: "101%": must not be greater than 100%'],
  );
  assert.deepEqual(
    texts((errors) => validateAtMost100Percent(101, path, errors)),
    [],
  );
});

test('intOrPercentNumber() reads both forms, and 0 where there is neither', () => {
  assert.deepEqual([3, '25%', '4', 'x', undefined].map(intOrPercentNumber), [3, 25, 4, 0, 0]);
});

test('printable values drop empty members and sort keys', () => {
  assert.equal(JSON.stringify(printableMap({ b: 1, a: 2 })), '{"a":2,"b":1}');
  assert.equal(printableMap(undefined), null);
  assert.deepEqual(printableSelector({ matchLabels: {}, matchExpressions: [{ key: 'a', operator: 'Exists' }] }), {
    matchExpressions: [{ key: 'a', operator: 'Exists' }],
  });
});

test('a domain path has a domain and a path', () => {
  const check = (value: string): number => texts((errors) => validateDomainPath(value, path, errors)).length;
  assert.deepEqual(['acme.io/a', 'acme.io/a/b'].map(check), [0, 0]);
  assert.deepEqual(['', 'acme.io', '/a', 'acme.io/', 'Acme.io/a', 'acme.io/a b'].map(check), [1, 1, 1, 1, 1, 1]);
});

test('a full name has three labels', () => {
  const check = (value: string): number => texts((errors) => validateFullName(value, path, errors)).length;
  assert.deepEqual(['a.b.c', 'a.b', 'A.b.c', ''].map(check), [0, 1, 1, 1]);
});

test('conditions have a type of their own, a status, a time and a reason', () => {
  const good = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z', reason: 'AsExpected' };
  const check = (...conditions: readonly object[]): readonly string[] =>
    texts((errors) => validateConditions(conditions, path, errors));
  assert.deepEqual(check(good), []);
  assert.deepEqual(check(good, good), ['x[1].type: Duplicate value: "Ready"']);
  assert.deepEqual(check({ ...good, lastTransitionTime: null, reason: '' }), [
    'x[0].lastTransitionTime: Required value',
    'x[0].reason: Required value',
  ]);
  assert.match(
    check({ ...good, reason: '1st' })[0] ?? '',
    /^x\[0\]\.reason: Invalid value: "1st": a condition reason must/,
  );
  assert.match(check({ ...good, status: 'Yes' })[0] ?? '', /^x\[0\]\.status: Unsupported value: "Yes"/);
  assert.equal(check({ ...good, message: 'a'.repeat(32 * 1024 + 1) }).length, 1);
});

test('webhook URLs are https, with a host and nothing behind the path', () => {
  const check = (url: string): readonly string[] => texts((errors) => validateWebhookUrl(url, path, errors));
  assert.deepEqual(check('https://h:8443/p'), []);
  assert.deepEqual(check('http://u@h/p?q#f'), [
    'x: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
    'x: Invalid value: "u": user information is not permitted in the URL',
    'x: Invalid value: "f": fragments are not permitted in the URL',
    'x: Invalid value: "q": query parameters are not permitted in the URL',
  ]);
  assert.deepEqual(check('https:///p'), [
    'x: Invalid value: "": host must be specified; desired format: https://host[/path]',
  ]);
});

test('webhook Services have names, a port and a path of DNS names', () => {
  const service = { name: 'n', namespace: 's', port: 443 };
  const check = (more: object): readonly string[] =>
    texts((errors) => validateWebhookService({ ...service, ...more }, path, errors));
  assert.deepEqual(
    ['', '/', '/a/b', '/a/'].map((text) => check({ path: text }).length),
    [0, 0, 0, 0],
  );
  assert.match(check({ path: 'a' })[0] ?? '', /must start with a '\/'$/);
  assert.deepEqual(check({ path: '/a//b' }), ['x.path: Invalid value: "/a//b": segment[1] may not be empty']);
  assert.deepEqual(check({ name: '' }), ['x.name: Required value']);
  assert.match(check({ port: 0 })[0] ?? '', /^x\.port: Invalid value: 0: port is not valid:/);
});
