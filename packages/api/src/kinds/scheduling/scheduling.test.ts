import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PriorityClass } from '@homeostat/api/types/scheduling-v1';
import type { FieldError } from '@homeostat/machinery';
import { priorityClassStrategy as strategy } from './priority-class.ts';

const context = { nowMs: 0 };

function priorityClass(name: string, value: number, more: object = {}): PriorityClass {
  return {
    metadata: { name, uid: 'u', resourceVersion: '1' },
    value,
    preemptionPolicy: 'PreemptLowerPriority',
    ...more,
  } as PriorityClass;
}

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

test("values above a billion and names of the system are the system's", () => {
  const create = (object: PriorityClass): readonly string[] => texts(strategy.validateCreate?.(object, context));
  assert.deepEqual(create(priorityClass('high', 1_000_000_000)), []);
  assert.deepEqual(create(priorityClass('high', 1_000_000_001)), [
    'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  ]);
  assert.deepEqual(create(priorityClass('system-node-critical', 2_000_001_000)), []);
  assert.match(create(priorityClass('system-node-critical', 5))[0] ?? '', /^metadata\.name: Forbidden: priority class/);
  assert.match(create(priorityClass('system-mine', 5))[0] ?? '', /is not a known system priority class$/);
});

test('value and preemption policy never change', () => {
  const old = priorityClass('high', 5);
  assert.deepEqual(texts(strategy.validateUpdate?.(priorityClass('high', 6), old, context)), [
    'value: Forbidden: may not be changed in an update.',
  ]);
  assert.deepEqual(
    texts(strategy.validateUpdate?.(priorityClass('high', 5, { preemptionPolicy: 'Never' }), old, context)),
    ['preemptionPolicy: Invalid value: "Never": field is immutable'],
  );
});

test("the system's classes can't be deleted", () => {
  assert.notEqual(strategy.refusesDelete?.('system-cluster-critical'), undefined);
  assert.equal(strategy.refusesDelete?.('high'), undefined);
});
