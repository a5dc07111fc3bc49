import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getNodeCondition, isNodeReady } from './node-conditions.ts';

test('isNodeReady() believes the kubelet only when it says so', () => {
  const node = (status: string) => ({
    status: {
      conditions: [
        { type: 'DiskPressure', status: 'True' },
        { type: 'Ready', status },
      ],
    },
  });
  assert.equal(isNodeReady(node('True')), true);
  assert.equal(isNodeReady(node('Unknown')), false);
  assert.equal(isNodeReady({}), false);
  assert.equal(getNodeCondition(node('False'), 'Ready')?.status, 'False');
});
