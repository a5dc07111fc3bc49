// The scheduler against the real API server in virtual time: what users see of pods that fit and pods that don't.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionOf, container, namespace, nodes, pods, withWorld } from './fixture.ts';

describe('scheduler', () => {
  it('says that there is no node, and binds when there is one', () =>
    withWorld(async (world) => {
      await world.createPod('early');
      assert.equal(await world.refused('early'), 'no nodes available to schedule pods');
      const condition = conditionOf(await world.pod('early'));
      assert.equal(condition?.reason, 'Unschedulable');
      assert.equal(condition?.observedGeneration, 1);
      await world.createNode('n1');
      assert.equal(await world.bound('early'), 'n1');
      assert.deepEqual(
        (await world.messages('early')).filter((text) => text.startsWith('Success')),
        ['Successfully assigned default/early to n1'],
      );
      assert.equal(conditionOf(await world.pod('early'))?.status, 'True');
    }));
});
