import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlowSchema } from '@homeostat/api/types/flowcontrol-v1';
import { danglingCondition } from './dangling-condition.ts';

const schema: FlowSchema = { spec: { priorityLevelConfiguration: { name: 'gold' }, matchingPrecedence: 1 } };
const found = {
  type: 'Dangling',
  status: 'False',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'Found',
  message: 'This FlowSchema references the PriorityLevelConfiguration object named "gold" and it exists',
};

test('a schema is told whether its level exists', () => {
  assert.deepEqual(
    danglingCondition(schema, (level) => level === 'gold', '2026-01-01T00:00:00Z'),
    found,
  );
  assert.deepEqual(
    danglingCondition(schema, () => false, '2026-01-01T00:00:00Z'),
    {
      type: 'Dangling',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "gold" but there is no such object',
    },
  );
});

test('what is said already is not said again; the time changes with the status alone', () => {
  const told = (condition: object): FlowSchema => ({ ...schema, status: { conditions: [{ ...found, ...condition }] } });
  assert.equal(
    danglingCondition(told({}), () => true, '2026-02-02T00:00:00Z'),
    undefined,
  );
  assert.deepEqual(
    danglingCondition(told({ message: 'old words' }), () => true, '2026-02-02T00:00:00Z'),
    found,
  );
  const turned = danglingCondition(told({}), () => false, '2026-02-02T00:00:00Z');
  assert.equal(turned?.lastTransitionTime, '2026-02-02T00:00:00Z');
});
