// The small values: durations, times, IntOrString, ages, hashes, suffixes, equality, Go's quoting and formatting.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@homeostat/base';
import { deepEqual } from './deep-equal.ts';
import { canonicalDuration, durationMs, formatDuration, formatDurationMs, parseDuration } from './duration.ts';
import { goPlain, goSyntax, goType } from './go-format.ts';
import { compareBytewise, goJson, goQuote } from './go-strings.ts';
import { fnv32, fnv32a, safeEncode } from './hash.ts';
import { humanDuration, shortHumanDuration } from './human-duration.ts';
import { intOrStringValue, scaledIntOrPercent } from './int-or-string.ts';
import { randomSuffix } from './random-suffix.ts';
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime } from './time.ts';

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return assert.fail('nothing was thrown');
}

test('canonicalDuration() prints as Go', () => {
  const cases = [
    ['0', '0s'],
    ['90s', '1m30s'],
    ['1.5h', '1h30m0s'],
    ['100ms', '100ms'],
    ['1us', '1µs'],
    ['1m1.5s', '1m1.5s'],
    ['-1h', '-1h0m0s'],
    ['72h3m0.5s', '72h3m0.5s'],
  ] as const;
  for (const [text, canonical] of cases) assert.equal(canonicalDuration(text), canonical, text);
  assert.equal(durationMs('1m30s'), 90_000);
  assert.equal(formatDurationMs(1500), '1.5s');
  assert.equal(formatDuration(parseDuration('2562047h47m16.854775807s')), '2562047h47m16.854775807s');
});

test('parseDuration() throws with the text of Go', () => {
  assert.equal(
    messageOf(() => parseDuration('1')),
    'time: missing unit in duration "1"',
  );
  assert.equal(
    messageOf(() => parseDuration('1d')),
    'time: unknown unit "d" in duration "1d"',
  );
  assert.equal(
    messageOf(() => parseDuration('soon')),
    'time: invalid duration "soon"',
  );
  assert.equal(
    messageOf(() => parseDuration('9999999h')),
    'time: invalid duration "9999999h"',
  );
});

test('times are RFC 3339 in UTC', () => {
  const instant = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  assert.equal(formatTime(instant), '2026-01-02T03:04:05Z');
  assert.equal(formatMicroTime(instant), '2026-01-02T03:04:05.678000Z');
  assert.equal(parseTime('2026-01-02T03:04:05.678Z'), instant);
  assert.equal(parseMicroTime('2026-01-02T03:04:05.678000Z'), instant);
  assert.equal(canonicalTime('2026-01-02T05:04:05.9+02:00'), '2026-01-02T03:04:05Z');
  assert.equal(canonicalMicroTime('2026-01-02T05:04:05.123456+02:00'), '2026-01-02T03:04:05.123456Z');
});

test('canonicalTime() throws with the text of Go', () => {
  const layout = 'as "2006-01-02T15:04:05Z07:00"';
  const cases = [
    ['yesterday', `parsing time "yesterday" ${layout}: cannot parse "yesterday" as "2006"`],
    ['2026-13-02T03:04:05Z', 'parsing time "2026-13-02T03:04:05Z": month out of range'],
    ['2026-02-30T03:04:05Z', 'parsing time "2026-02-30T03:04:05Z": day out of range'],
    ['2026-01-02T03:04:05', `parsing time "2026-01-02T03:04:05" ${layout}: cannot parse "" as "Z07:00"`],
    ['2026-01-02T03:04:05Zx', 'parsing time "2026-01-02T03:04:05Zx": extra text: "x"'],
  ] as const;
  for (const [text, message] of cases)
    assert.equal(
      messageOf(() => canonicalTime(text)),
      message,
    );
  assert.equal(
    messageOf(() => canonicalMicroTime('2026-01-02T03:04:06Z')),
    'parsing time "2026-01-02T03:04:06Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  );
});

test('scaledIntOrPercent() rounds percentages up or down', () => {
  assert.equal(scaledIntOrPercent(3, 10, true), 3);
  assert.equal(scaledIntOrPercent('25%', 10, true), 3);
  assert.equal(scaledIntOrPercent('25%', 10, false), 2);
  assert.equal(intOrStringValue('8080'), 8080);
  assert.equal(intOrStringValue('http'), 0);
  assert.equal(
    messageOf(() => scaledIntOrPercent('3', 10, true)),
    'invalid value for IntOrString: invalid type: string is not a percentage',
  );
  assert.equal(
    messageOf(() => scaledIntOrPercent('x%', 10, true)),
    'invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax',
  );
});

test('humanDuration() prints ages as kubectl', () => {
  const second = 1000;
  const hour = 3600 * second;
  const cases = [
    [-3 * second, '<invalid>'],
    [-second, '0s'],
    [119 * second, '119s'],
    [192 * second, '3m12s'],
    [5 * hour + 30 * 60 * second, '5h30m'],
    [52 * hour, '2d4h'],
    [24 * 400 * hour, '400d'],
    [24 * 365 * 3 * hour, '3y'],
  ] as const;
  for (const [ms, text] of cases) assert.equal(humanDuration(ms), text);
  assert.equal(shortHumanDuration(52 * hour), '2d');
});

test('fnv32a(), fnv32() and safeEncode() are those of generated names', () => {
  assert.equal(fnv32a(''), 2_166_136_261);
  assert.equal(fnv32a('hello'), 0x4f9f2cab);
  assert.equal(fnv32('hello'), 0xb6fa7167);
  assert.equal(fnv32a('lo', fnv32a('hel')), fnv32a('hello'));
  assert.equal(safeEncode('0123456789'), '456789bcdf');
});

test('randomSuffix() has the length and the letters of generated names', () => {
  const random = createSeededRandom(11);
  for (let i = 0; i < 100; i++) assert.match(randomSuffix(random), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('deepEqual() ignores key order and undefined, and compares numbers by value', () => {
  assert.equal(deepEqual({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }), true);
  assert.equal(deepEqual({ a: undefined }, {}), true);
  assert.equal(deepEqual({ a: null }, {}), false);
  assert.equal(deepEqual([1, 2], [2, 1]), false);
  assert.equal(deepEqual({ a: 1n }, { a: 1 }), true);
  assert.equal(deepEqual([], {}), false);
});

test('goQuote() is %q', () => {
  assert.equal(goQuote('a"b\\c'), String.raw`"a\"b\\c"`);
  assert.equal(goQuote('m\u0007\n\u0001\u007f'), String.raw`"m\a\n\x01\x7f"`);
  assert.equal(goQuote('é\u200b😀'), '"é\\u200b😀"');
});

test('goJson() sorts keys and escapes HTML as encoding/json', () => {
  assert.equal(goJson({ b: '<&>', a: [1, null, true] }), String.raw`{"a":[1,null,true],"b":"\u003c\u0026\u003e"}`);
});

test('compareBytewise() orders by UTF-8', () => {
  assert.equal(compareBytewise('a', 'b'), -1);
  assert.equal(compareBytewise('ab', 'a'), 1);
  assert.equal(compareBytewise('\uffff', '😀'), -1);
});

test('goPlain(), goSyntax() and goType() print values as fmt', () => {
  const value = { b: ['x', 1], a: null };
  assert.equal(goPlain(value), 'map[a:<nil> b:[x 1]]');
  assert.equal(goSyntax(value), 'map[string]interface {}{"a":interface {}(nil), "b":[]interface {}{"x", 1}}');
  assert.equal(goType(1.5), 'float64');
});
