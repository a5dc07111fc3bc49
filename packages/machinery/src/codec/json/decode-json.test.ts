// Reading JSON: Go’s messages, exact numbers, repeated keys; agreement with JSON.parse.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DecodeError } from '../decode-error.ts';
import { decodeJson } from './decode-json.ts';
import { parseJson } from './parse-json.ts';

function messageOf(text: string): string {
  try {
    decodeJson(text);
  } catch (error) {
    assert.ok(error instanceof DecodeError);
    return error.message;
  }
  return assert.fail(`no error for ${text}`);
}

test('decodeJson() words syntax errors as encoding/json', () => {
  const cases: readonly (readonly [text: string, message: string])[] = [
    ['', 'unexpected end of JSON input'],
    ['{"metadata":{"name":"a"}', 'unexpected end of JSON input'],
    ['{"a":1} {"b":2}', "invalid character '{' after top-level value"],
    ['name: x', "invalid character 'a' in literal null (expecting 'u')"],
    ['not json', "invalid character 'o' in literal null (expecting 'u')"],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['\u0007', "invalid character '\\a' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['1e400', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
    ['['.repeat(1001), "invalid character '[' exceeded max depth"],
  ];
  for (const [text, message] of cases) assert.equal(messageOf(text), message, text.slice(0, 40));
});

test('decodeJson() keeps 64-bit integers and reads floats as numbers', () => {
  const value = decodeJson('[9007199254740991,9007199254740993,-9223372036854775808,9223372036854775808,2.0,1e3,-0]');
  assert.deepEqual(value, [
    9007199254740991,
    9007199254740993n,
    -9223372036854775808n,
    9223372036854775808,
    2,
    1000,
    0,
  ]);
});

test('decodeJson() reports repeated keys in the order of the text and lets the last win', () => {
  const found: string[] = [];
  const value = decodeJson('{"a":{"x":1,"x":2},"b":[{"y":1},{"z":1,"z":{"q":1,"q":2}}],"a":{"w":3}}', {
    onDuplicate: (path) => found.push(path),
  });
  assert.deepEqual(found, ['a.x', 'b[1].z', 'b[1].z.q', 'a']);
  assert.deepEqual(value, { a: { w: 3 }, b: [{ y: 1 }, { z: { q: 2 } }] });
});

test('decodeJson() keeps __proto__ as a plain key', () => {
  const value = decodeJson('{"__proto__":{"a":1,"a":2}}') as object;
  assert.deepEqual(Object.keys(value), ['__proto__']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test('parseJson() agrees with JSON.parse on every text without repeats and odd numbers', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.nat(4), (text, indent) => {
      fc.pre(!/\d{16}/.test(text));
      const wanted: unknown = JSON.parse(text);
      const pretty = JSON.stringify(wanted, null, indent);
      assert.deepEqual(decodeJson(pretty), JSON.parse(pretty));
      if (!/[.eE]|-0/.test(text)) assert.deepEqual(parseJson(pretty), JSON.parse(pretty));
    }),
  );
});

test('decodeJson() accepts exactly what JSON.parse accepts', () => {
  const fragment = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '1',
    '-',
    '.5',
    'e2',
    'true',
    'nul',
    ' ',
    '\\',
    '\t',
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      if (valid) decodeJson(text);
      else assert.throws(() => decodeJson(text), DecodeError);
    }),
    { numRuns: 1000 },
  );
});

test('decodeJson() reads half a surrogate pair as the replacement character, as Go does', () => {
  assert.deepEqual(decodeJson('["\\ud800", "\\uDC00x", "\\ud83d\\ude00", "\\ud800\\u0041", "\\\\ud800"]'), [
    '\ufffd',
    '\ufffdx',
    '😀',
    '\ufffdA',
    '\\ud800',
  ]);
});
