import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileStructural } from './compile-structural.ts';
import { FieldPathError, resolveFieldPath } from './resolve-field-path.ts';

const schema = compileStructural({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        n: { type: 'integer' },
        'a.b': { type: 'string' },
        map: { type: 'object', additionalProperties: { type: 'boolean' } },
        list: { type: 'array', items: { type: 'string' } },
      },
    },
  },
});

function resolve(text: string, brackets = true): string {
  try {
    const { path, schema: found } = resolveFieldPath(text, schema, { brackets });
    return `${String(path)} ${found.type}`;
  } catch (error) {
    assert.ok(error instanceof FieldPathError);
    return error.message;
  }
}

test('resolveFieldPath() follows names through properties and maps', () => {
  assert.equal(resolve('.spec.n'), 'spec.n integer');
  assert.equal(resolve(".spec['a.b']"), 'spec.a.b string');
  assert.equal(resolve(".spec.map['it\\'s']"), "spec.map[it's] boolean");
  assert.equal(resolve('.spec.map.k'), 'spec.map[k] boolean');
});

test('resolveFieldPath() says in the words of upstream why a path leads nowhere', () => {
  assert.equal(resolve('.spec.none'), 'does not refer to a valid field');
  assert.equal(resolve('.spec.list.x'), 'does not refer to a valid field');
  assert.equal(resolve('spec.n'), 'expected [ or . but got: spec');
  assert.equal(resolve('.spec.'), 'unexpected end of JSON path');
  assert.equal(resolve('.spec[n]'), 'expected single quoted string but got n');
  assert.equal(resolve(".spec['n'"), 'unexpected end of JSON path');
  assert.equal(resolve(".spec['\\q']"), 'invalid string literal: invalid escape char \\q');
  assert.equal(resolve(".spec['n']", false), 'array notation is not allowed');
});
