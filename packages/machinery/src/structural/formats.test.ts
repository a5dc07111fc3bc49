import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCheckOf } from './formats.ts';

/** Texts by format: good ones, then bad ones. */
const examples: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  bsonobjectid: [['507f1f77bcf86cd799439011'], ['507f1f77bcf86cd79943901', 'x']],
  byte: [
    ['aGk=', 'aGkh'],
    ['aGk', 'not base64!', ''],
  ],
  cidr: [
    ['10.0.0.0/8', '10.1.2.3/32', '2001:db8::/48'],
    ['10.0.0.1', '10.0.0.0/33', '10.0.0.0/-1', '::/129', '/8'],
  ],
  creditcard: [
    ['4111111111111111', '4111-1111-1111-1111'],
    ['4111111111111112', '1'],
  ],
  date: [
    ['2024-02-29', '0099-12-31'],
    ['2023-02-29', '2024-13-02', '2024-1-2'],
  ],
  'date-time': [
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.123456+02:00', '2024-01-02t03:04:05z'],
    ['2024-01-02', '2024-01-02 03:04:05Z', '2024-01-02T24:00:00Z', '2024-01-02T03:04:60Z', '2024-01-02T03:04:05'],
  ],
  duration: [
    ['1h30m', '1 day', '2 weeks 3 hours', '300ms', '5 minutes', 'in 1 day'],
    ['soon', '5', '', '1 fortnight', '99999999999999999999 days'],
  ],
  email: [
    ['a@b.c', 'A Name <a@b.c>', '"quoted local"@example.com', 'a+b@example.com', 'a@[1.2.3.4]', '"A, B" C <a@b>'],
    ['a.b', 'a@', '@b.c', 'a..b@c.d', 'a b@c.d', 'a@b.c, d@e.f', 'a@[x]', '=?koi8-r?q?x?= <a@b.c>'],
  ],
  hexcolor: [
    ['#fff', 'fff', '#A0b1C2'],
    ['#ggg', '#ffff'],
  ],
  hostname: [
    ['example.com', 'localhost', 'a.example.org', 'xn--bcher-kva.example', 'é.com'],
    ['a.b', 'a.b1', 'a_b', '-a', `${'a'.repeat(64)}.com`, ''],
  ],
  ipv4: [
    ['1.2.3.4', '01.2.3.4'],
    ['1.2.3.256', '1.2.3', '::1', '1.2.3.4.5', '1..2.3'],
  ],
  ipv6: [
    ['::1', '::', '2001:db8::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', 'FE80::1'],
    ['1.2.3.4', '1::2::3', '1:2:3:4:5:6:7', '12345::', ':1'],
  ],
  isbn: [
    ['9783161484100', '978-3-16-148410-0', '0321751043'],
    ['9783161484101', 'x'],
  ],
  isbn10: [
    ['0321751043', '080442957X'],
    ['9783161484100', '0321751044'],
  ],
  isbn13: [['978-0321751041'], ['0321751043']],
  'k8s-long-name': [
    ['a.b.c', 'a'],
    ['A.b', '.a', `${'a.'.repeat(127)}b`],
  ],
  'k8s-short-name': [
    ['ok', 'a-b'],
    ['Not-ok', '-a', 'a.b', 'a'.repeat(64)],
  ],
  mac: [
    ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab'],
    ['01:23', '01:23-45:67:89:ab', 'x'],
  ],
  password: [['', 'anything'], []],
  rgbcolor: [
    ['rgb(255, 0, 1)', 'rgb(0,0,0)'],
    ['rgb(256,0,0)', 'rgb(0,0)'],
  ],
  ssn: [
    ['111-22-3333', '111 22 3333'],
    ['1-2-3', '111223333'],
  ],
  uri: [
    [
      'https://a/b',
      '/path',
      'mailto:a@b.c',
      'http://user@host:80/x?y=%zz',
      'http://[::1]:8080/',
      'http://[fe80::1%25en0]/',
      '*',
    ],
    [
      'a b',
      'relative/path',
      '',
      'http://a b/',
      'http://h:x/',
      '/%zz',
      'http://h/\u0001',
      'http://h%20h/',
      'http://a:b:1/',
      'http://[1.2.3.4]/',
    ],
  ],
  uuid: [
    ['12345678-1234-1234-1234-123456789abc', '12345678123412341234123456789ABC'],
    ['x', '12345678-1234'],
  ],
  uuid3: [['12345678-1234-3234-1234-123456789abc'], ['12345678-1234-4234-1234-123456789abc']],
  uuid4: [['12345678-1234-4234-9234-123456789abc'], ['12345678-1234-1234-1234-123456789abc']],
  uuid5: [['12345678-1234-5234-a234-123456789abc'], ['12345678-1234-5234-1234-123456789abc']],
};

for (const [format, [good, bad]] of Object.entries(examples)) {
  test(`format ${format}`, () => {
    const check = formatCheckOf('string', format);
    assert.ok(check?.test);
    assert.deepEqual(
      good.filter((text) => check.test?.(text) !== true),
      [],
      'refused',
    );
    assert.deepEqual(
      bad.filter((text) => check.test?.(text) === true),
      [],
      'accepted',
    );
  });
}

test('formatCheckOf() knows formats by type; dashes do not count', () => {
  assert.equal(formatCheckOf('string', 'made-up'), undefined);
  // A known name to which upstream holds nothing.
  assert.deepEqual(formatCheckOf('string', 'quantity'), { name: 'quantity', test: undefined });
  assert.equal(formatCheckOf('string', 'datetime')?.name, 'datetime');
  assert.equal(formatCheckOf('', 'date')?.name, 'date');
  assert.deepEqual(formatCheckOf('integer', 'int32'), { name: 'int32', test: undefined });
  assert.equal(formatCheckOf('integer', 'date'), undefined);
  assert.equal(formatCheckOf('number', 'double')?.name, 'double');
  assert.equal(formatCheckOf('object', 'date'), undefined);
});

test('no text keeps a format busy', () => {
  const long = 100_000;
  const started = performance.now();
  for (const [format] of Object.entries(examples)) {
    const check = formatCheckOf('string', format);
    for (const piece of ['a', '1', ' ', '1a ', 'a.', '"\\', '1:', '-'])
      check?.test?.(`${piece.repeat(long / piece.length)}!`);
  }
  assert.ok(performance.now() - started < 10_000, `${performance.now() - started} ms`);
});
