// What fails in a running expression, in upstream's words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCelEnvironment } from './environment.ts';
import { dynType, mapType, stringType } from './types.ts';

const environment = createCelEnvironment({
  variables: { d: dynType, s: stringType, m: mapType(stringType, stringType) },
});
const ip = (text: string, why: string): readonly [string, string] => [
  `ip('${text}')`,
  `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): ${why}`,
];
const cidrFailure = 'network address parse error during conversion from string: ';

const errors: readonly (readonly [expression: string, error: string])[] = [
  ip('1.2.3', 'IPv4 address too short'),
  ip('1.2.3.4.5', 'IPv4 address too long'),
  ip('1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'),
  ip('01.2.3.4', 'IPv4 field has octet with leading zero'),
  ip('1.2.3.256', 'IPv4 field has value >255'),
  ip('1.2.3.x', 'unexpected character (at "x")'),
  ip('', 'unable to parse IP'),
  ip('%e', 'missing IPv6 address'),
  ip('1::%', 'zone must be a non-empty string'),
  ip('1:2', 'address string too short'),
  ip('1::2::3', 'multiple :: in address (at ":3")'),
  ip('12345::', 'each group must have 4 or less digits (at "12345::")'),
  ip('1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'),
  ip('1:2:3:4:5:6:7:8::', 'the :: must expand to at least one field of zeros'),
  ip('1:', 'colon must be followed by more characters (at ":")'),
  ip('1:2:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'),
  ["ip('::ffff:1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  ["ip('fe80::1%eth0')", 'IP address "fe80::1%eth0" with zone value is not allowed'],
  ["cidr('x')", `${cidrFailure}${cidrFailure}netip.ParsePrefix("x"): no '/'`],
  ["cidr('::/129')", `${cidrFailure}${cidrFailure}netip.ParsePrefix("::/129"): prefix length out of range`],
  ["cidr('10.0.0.0/8').containsIP('x')", 'no such overload'],
  ["semver('1.2')", 'No Major.Minor.Patch elements found'],
  ["semver('01.2.3')", 'Major number must not contain leading zeroes "01"'],
  ["semver('1.x.3')", 'Invalid character(s) found in minor number "x"'],
  ["semver('1.2.3-')", 'Prerelease is empty'],
  ["semver('1.2.3+')", 'Build meta data is empty'],
  ["semver('v1-a', true)", 'short version cannot contain PreRelease/Build meta data'],
  ["s.find(s + '(')", 'Illegal regex: error parsing regexp: missing closing ): `x(`'],
  ['d.foo', 'no such key: foo'],
  ["[dyn('a')][d]", "unsupported index type 'string' in list"],
  ['m.transformMapEntry(k, v, {"a": v})', 'insert failed: key a already exists'],
];

for (const [expression, error] of errors) {
  test(`evaluate() of ${expression} fails`, () => {
    const { program, error: refused } = environment.compile(expression);
    assert.ok(program, refused ?? '');
    assert.equal(program.evaluate({ d: 'x', s: 'x', m: { p: '1', q: '2' } }).error, error);
  });
}

test('has() of what has no fields is false', () => {
  const { program } = environment.compile('has(d.foo)');
  assert.equal(program?.evaluate({ d: 'x' }).value, false);
});
