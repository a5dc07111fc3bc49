import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FieldError, FieldPath } from '@homeostat/machinery';
import {
  formatCidr,
  formatIp,
  isDualStackCidrs,
  isDualStackIps,
  parseCidrSloppy,
  parseIpSloppy,
  validateEndpointIp,
  validateIp,
  warningsForCidr,
  warningsForIp,
} from './addresses.ts';

const path = new FieldPath('ip');

function errorsOf(validate: (text: string, path: FieldPath, errors: FieldError[]) => void, text: string): string[] {
  const errors: FieldError[] = [];
  validate(text, path, errors);
  return errors.map(({ body }) => body);
}

test('parseIpSloppy() reads leading zeros and IPv4 in IPv6, as old Go versions did', () => {
  const forms = { '010.000.1.1': '10.0.1.1', '::ffff:1.2.3.4': '1.2.3.4', '2001:DB8::0001': '2001:db8::1', '::': '::' };
  for (const [text, plain] of Object.entries(forms)) {
    const ip = parseIpSloppy(text);
    assert.ok(ip !== undefined, text);
    assert.equal(formatIp(ip), plain);
  }
  for (const text of ['', '1.2.3', '1.2.3.256', '1.2.3.4.5', ':::', '1::2::3', 'fe80::1%eth0', '12345::']) {
    assert.equal(parseIpSloppy(text), undefined, text);
  }
});

test('parseCidrSloppy() knows prefix lengths; formatCidr() shows the network', () => {
  const cidr = parseCidrSloppy('10.1.2.3/16');
  assert.ok(cidr !== undefined);
  assert.equal(formatCidr(cidr), '10.1.0.0/16');
  for (const text of ['10.0.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/-1', '10.0.0.0/x']) {
    assert.equal(parseCidrSloppy(text), undefined, text);
  }
});

test('validateIp() says what an address looks like', () => {
  assert.deepEqual(errorsOf(validateIp, '10.0.0.1'), []);
  assert.deepEqual(errorsOf(validateIp, 'x'), [
    'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ]);
});

test('validateEndpointIp() refuses addresses that nobody else can reach', () => {
  assert.deepEqual(errorsOf(validateEndpointIp, '192.0.2.1'), []);
  assert.match(errorsOf(validateEndpointIp, '0.0.0.0').join(), /may not be unspecified/);
  assert.match(errorsOf(validateEndpointIp, '127.1.2.3').join(), /loopback/);
  assert.match(errorsOf(validateEndpointIp, '169.254.169.254').join(), /link-local range/);
  assert.match(errorsOf(validateEndpointIp, 'ff02::1').join(), /link-local multicast/);
});

test('warningsForIp() and warningsForCidr() say how to write it', () => {
  assert.deepEqual(warningsForIp(path, '10.0.0.1'), []);
  assert.deepEqual(warningsForIp(path, '010.0.0.1'), [
    'ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
  ]);
  assert.deepEqual(warningsForIp(path, '2001:DB8::1'), [
    'ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
  ]);
  assert.deepEqual(warningsForCidr(path, '10.0.0.1/8'), [
    'ip: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
  ]);
});

test('isDualStackIps() and isDualStackCidrs() want both families', () => {
  assert.ok(isDualStackIps(['10.0.0.1', 'fd00::1']));
  assert.ok(!isDualStackIps(['10.0.0.1', '10.0.0.2']));
  assert.ok(isDualStackCidrs(['fd00::/64', '10.0.0.0/24']));
});
