import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../schema/schema.ts';
import { applyDefaults } from './apply-defaults.ts';
import { compileStructural } from './compile-structural.ts';

const x = { type: 'string', default: 'X' };
const objectOfX = { type: 'object', properties: { x } };

function fill(value: Json, properties: object): Json {
  return applyDefaults(value, compileStructural({ type: 'object', properties }));
}

test('applyDefaults() fills in what is missing, in objects that are there or that a default brings', () => {
  assert.deepEqual(fill({}, { x }), { x: 'X' });
  assert.deepEqual(fill({ o: {} }, { o: objectOfX }), { o: { x: 'X' } });
  assert.deepEqual(fill({}, { o: objectOfX }), {});
  assert.deepEqual(fill({}, { o: { ...objectOfX, default: {} } }), { o: { x: 'X' } });
  assert.deepEqual(fill({ l: [{}, { x: 'y' }] }, { l: { type: 'array', items: objectOfX } }), {
    l: [{ x: 'X' }, { x: 'y' }],
  });
  assert.deepEqual(fill({ m: { k: {} } }, { m: { type: 'object', additionalProperties: objectOfX } }), {
    m: { k: { x: 'X' } },
  });
});

test('applyDefaults() takes falsy values as they are', () => {
  const properties = { s: x, n: { type: 'integer', default: 7 }, b: { type: 'boolean', default: true } };
  const value = { s: '', n: 0, b: false };
  assert.equal(fill(value, properties), value);
});

test('applyDefaults() replaces null by the default, by nothing where there is none, and keeps it where it is allowed', () => {
  const nullable = { type: 'string', nullable: true };
  const properties = { x, plain: { type: 'string' }, nullable, both: { ...nullable, default: 'N' } };
  assert.deepEqual(fill({ x: null, plain: null, nullable: null, both: null }, properties), {
    x: 'X',
    nullable: null,
    both: null,
  });
  assert.deepEqual(fill({ m: { k: null } }, { m: { type: 'object', additionalProperties: objectOfX } }), { m: {} });
  const list = { type: 'array', items: objectOfX };
  assert.deepEqual(fill({ l: [null] }, { l: list }), { l: [null] });
  assert.deepEqual(fill({ l: [null] }, { l: { ...list, items: { ...objectOfX, default: {} } } }), { l: [{ x: 'X' }] });
});

test('applyDefaults() changes nothing of which the schema says nothing', () => {
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { x } };
  assert.deepEqual(fill({ f: { other: null } }, { f: free }), { f: { other: null, x: 'X' } });
});

test('applyDefaults() never changes its input nor the schema', () => {
  const value = Object.freeze({ o: Object.freeze({}) });
  const definition = { o: { ...objectOfX, default: Object.freeze({}) } };
  assert.deepEqual(fill(value, definition), { o: { x: 'X' } });
  assert.deepEqual(fill({}, definition), { o: { x: 'X' } });
});
