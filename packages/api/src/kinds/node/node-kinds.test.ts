import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuntimeClass } from '@homeostat/api/types/node-v1';
import type { FieldError } from '@homeostat/machinery';
import { runtimeClassStrategy as strategy } from './runtime-class.ts';

const context = { nowMs: 0 };

function runtimeClass(more: object): RuntimeClass {
  return { metadata: { name: 'r', uid: 'u', resourceVersion: '1' }, handler: 'h', ...more } as RuntimeClass;
}

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('a RuntimeClass names a handler, for ever', () => {
  const old = runtimeClass({});
  assert.deepEqual(texts(strategy.validateCreate?.(old, context)), []);
  assert.deepEqual(texts(strategy.validateCreate?.(runtimeClass({ handler: '' }), context)), [
    'handler: Required value',
  ]);
  assert.deepEqual(texts(strategy.validateUpdate?.(runtimeClass({ handler: 'i' }), old, context)), [
    'handler: Invalid value: "i": field is immutable',
  ]);
});

test('overhead is of resources, tolerations are said once', () => {
  const toleration = { key: 'a', operator: 'Exists' };
  const check = (more: object): readonly string[] => texts(strategy.validateCreate?.(runtimeClass(more), context));
  assert.deepEqual(check({ overhead: { podFixed: { cpu: '1' } }, scheduling: { tolerations: [toleration] } }), []);
  assert.equal(check({ overhead: { podFixed: { cpu: '-1' } } }).length, 1);
  assert.match(check({ scheduling: { tolerations: [toleration, toleration] } })[0] ?? '', /Duplicate value/);
});
