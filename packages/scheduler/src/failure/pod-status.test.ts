import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import { newPod } from '../test-objects.ts';
import { podStatusPatch } from './pod-status.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no' } as const;
const told = (message: string, more: object = {}): Pod['status'] => ({
  conditions: [
    { type: 'Ready', status: 'False', lastProbeTime: null, lastTransitionTime: '2025-01-01T00:00:00Z' },
    { ...condition, message, lastProbeTime: null, lastTransitionTime: '2025-06-01T00:00:00Z' },
  ] as unknown as NonNullable<NonNullable<Pod['status']>['conditions']>,
  ...more,
});

describe('podStatusPatch()', () => {
  it('adds the condition, and names all conditions in order', () => {
    assert.deepEqual(podStatusPatch(newPod('p', { generation: 3 }), { condition }, nowMs), {
      status: {
        '$setElementOrder/conditions': [{ type: 'PodScheduled' }],
        conditions: [
          { ...condition, observedGeneration: 3, lastTransitionTime: '2026-01-01T00:00:00Z', lastProbeTime: null },
        ],
      },
    });
  });

  it('keeps the transition time while only the message changes', () => {
    const patch = podStatusPatch(newPod('p', { status: told('yes')! }), { condition }, nowMs);
    assert.deepEqual(patch, {
      status: {
        '$setElementOrder/conditions': [{ type: 'Ready' }, { type: 'PodScheduled' }],
        conditions: [{ ...condition, lastTransitionTime: '2025-06-01T00:00:00Z', lastProbeTime: null }],
      },
    });
  });

  it('is nothing when the status says it already, whatever the generation', () => {
    assert.equal(
      podStatusPatch(
        newPod('p', { generation: 9, status: told('no')! }),
        { condition, nominating: { nodeName: '' } },
        nowMs,
      ),
      undefined,
    );
  });

  it('sets and clears the nominated node alone', () => {
    const nominated = newPod('p', { status: told('no', { nominatedNodeName: 'n' })! });
    assert.deepEqual(podStatusPatch(nominated, { condition, nominating: { nodeName: '' } }, nowMs), {
      status: { nominatedNodeName: null },
    });
    assert.deepEqual(podStatusPatch(nominated, { nominating: { nodeName: 'm' } }, nowMs), {
      status: { nominatedNodeName: 'm' },
    });
    assert.equal(podStatusPatch(nominated, { nominating: { nodeName: 'n' } }, nowMs), undefined);
  });
});
