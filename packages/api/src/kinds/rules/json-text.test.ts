import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJsonObjects, readJsonText } from './json-text.ts';

test("readJsonText() tells what is wrong in Go's words", () => {
  assert.deepEqual(readJsonText('{"a":1}'), { value: { a: 1 } });
  assert.deepEqual(readJsonText('nope'), { problem: "invalid character 'o' in literal null (expecting 'u')" });
  assert.deepEqual(readJsonText('{"a":'), { problem: 'unexpected end of JSON input' });
});

test('readJsonObjects() wants a list of objects', () => {
  assert.deepEqual(readJsonObjects('null', 'core.Taint'), { value: [] });
  assert.deepEqual(readJsonObjects('[{"key":"a"},null]', 'core.Taint'), { value: [{ key: 'a' }, {}] });
  assert.deepEqual(readJsonObjects('{}', 'core.Taint'), {
    problem: 'json: cannot unmarshal object into Go value of type []core.Taint',
  });
  assert.deepEqual(readJsonObjects('[1]', 'core.Taint'), {
    problem: 'json: cannot unmarshal number into Go value of type core.Taint',
  });
});
