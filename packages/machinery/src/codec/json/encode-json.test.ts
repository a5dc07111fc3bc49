// Writing JSON: Go’s escapes and orders; agreement with JSON.stringify.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeJson, stringifyJson, stringifyPrettyJson } from './encode-json.ts';

test('stringifyJson() escapes what Go escapes', () => {
  assert.equal(stringifyJson({ a: '<b>&"\u2028\u2029\\' }), '{"a":"\\u003cb\\u003e\\u0026\\"\\u2028\\u2029\\\\"}');
});

test('stringifyJson() keeps key order, except that integer-like keys are sorted as Go sorts them', () => {
  assert.equal(stringifyJson({ b: 1, a: 2 }), '{"b":1,"a":2}');
  assert.equal(
    stringifyJson({ x: { 9: 'n', 10: 't', '-': 'd', a: '<' } }),
    '{"x":{"-":"d","10":"t","9":"n","a":"\\u003c"}}',
  );
  assert.equal(stringifyJson({ list: ['1', '{"2":3}'] }), '{"list":["1","{\\"2\\":3}"]}');
});

test('stringifyJson() writes bigint, leaves undefined out, and writes nothing as null', () => {
  assert.equal(
    stringifyJson({ a: 9223372036854775807n, b: undefined, c: [undefined, 1n] }),
    '{"a":9223372036854775807,"c":[null,1]}',
  );
  assert.equal(stringifyJson(undefined), 'null');
});

test('stringifyPrettyJson() lays out as json.Indent', () => {
  assert.equal(
    stringifyPrettyJson({ a: { b: [1, { c: 'x:{,}' }], d: {}, e: [] } }),
    '{\n  "a": {\n    "b": [\n      1,\n      {\n        "c": "x:{,}"\n      }\n    ],\n    "d": {},\n    "e": []\n  }\n}',
  );
});

test('encodeJson() means the same as JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const bytes = Buffer.from(encodeJson(value)).toString('utf8');
      assert.deepEqual(JSON.parse(bytes), JSON.parse(JSON.stringify(value)));
      assert.deepEqual(JSON.parse(stringifyPrettyJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});
