import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodDisruptionBudget } from '@homeostat/api/types/policy-v1';
import type { Mutable } from '@homeostat/machinery';
import { podDisruptionBudgetStrategy as strategy } from './pod-disruption-budget.ts';

const context = { nowMs: 0 };

function problems(spec: object): readonly string[] {
  const object = { metadata: { name: 'b' }, spec } as PodDisruptionBudget;
  return (strategy.validateCreate?.(object, context) ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('a budget says what must stay or what may go, not both', () => {
  assert.deepEqual(problems({ minAvailable: '50%' }), []);
  assert.match(problems({ minAvailable: 1, maxUnavailable: 1 })[0] ?? '', /cannot be both set$/);
  assert.deepEqual(problems({ maxUnavailable: '101%' }), [
    'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
  ]);
  assert.match(problems({ unhealthyPodEvictionPolicy: 'Never' })[0] ?? '', /Unsupported value: "Never"/);
});

test('a changed budget raises the generation, and keeps its status', () => {
  const old = { metadata: { generation: 1 }, spec: { minAvailable: 1 }, status: { currentHealthy: 2 } };
  const draft = { metadata: { generation: 1 }, spec: { minAvailable: 2 } } as Mutable<PodDisruptionBudget>;
  strategy.prepareForUpdate?.(draft, old as PodDisruptionBudget, context);
  assert.equal(draft.metadata?.generation, 2);
  assert.deepEqual(draft.status, old.status);
});

test('counters of the status are not negative', () => {
  const metadata = { name: 'b', resourceVersion: '1' };
  const object = { metadata, status: { currentHealthy: -1 } } as PodDisruptionBudget;
  const errors = strategy.subresources?.['status']?.validateUpdate?.(object, { metadata }, context) ?? [];
  assert.deepEqual(
    errors.map((error) => error.field),
    ['status.currentHealthy'],
  );
});
