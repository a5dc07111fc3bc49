// Statuses of Pods that are over (spec/node.md §2.3, §4.8, §8).

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { container, deleting, factsOf, instance, podOf } from './fixture.ts';
import { rejectedStatus, terminatedStatus } from './final-status.ts';
import { generateStatus } from './generate-status.ts';
import { mergeStatus } from './merge-status.ts';

const lost = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    startedAt: null,
    finishedAt: null,
  },
};

it('a Pod deleted before anything started: its containers have ended somehow, and it failed', () => {
  const pod = deleting(podOf());
  const status = terminatedStatus(pod, generateStatus(factsOf({ pod, sandbox: 'none', stopped: true })));
  assert.equal(status.phase, 'Failed');
  assert.deepEqual(status.containerStatuses?.[0]?.state, lost);
});

it('with init containers that never started only the first one has', () => {
  const pod = deleting(podOf({ initContainers: [container('i1'), container('i2')] }));
  const status = terminatedStatus(pod, generateStatus(factsOf({ pod, sandbox: 'none', stopped: true })));
  assert.deepEqual(
    status.initContainerStatuses?.map(({ state }) => state),
    [lost, { waiting: { reason: 'PodInitializing' } }],
  );
  assert.deepEqual(status.containerStatuses?.[0]?.state, { waiting: { reason: 'PodInitializing' } });
});

it('a Pod under Always that was stopped succeeds or fails by its exit codes', () => {
  const pod = deleting(podOf());
  for (const [exitCode, phase] of [
    [0, 'Succeeded'],
    [137, 'Failed'],
  ] as const) {
    const facts = factsOf({ pod, containers: [instance('c', exitCode)], stopped: true });
    assert.equal(terminatedStatus(pod, generateStatus(facts)).phase, phase);
  }
});

it('a rejected Pod has nothing but the verdict', () => {
  const pod = podOf({}, { qosClass: 'BestEffort', conditions: [{ type: 'PodScheduled', status: 'True' }] });
  assert.deepEqual(rejectedStatus(pod, { reason: 'OutOfcpu', message: 'no room' }, Date.UTC(2026, 0, 1)), {
    observedGeneration: 1,
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: 'Pod was rejected: no room',
    startTime: '2026-01-01T00:00:00Z',
    qosClass: 'BestEffort',
    conditions: [],
  });
});

it('a terminal phase waits until nothing may run; then nobody is told that the Pod is ready', () => {
  const stored = {
    phase: 'Running' as const,
    conditions: [
      { type: 'example.com/gate', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
  };
  const ours = { phase: 'Failed' as const, reason: 'Why', conditions: [{ type: 'Ready', status: 'True' }] };
  assert.deepEqual(mergeStatus(stored, ours, true), {
    phase: 'Running',
    conditions: [
      { type: 'example.com/gate', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
  });
  assert.deepEqual(mergeStatus(stored, ours, false), {
    phase: 'Failed',
    reason: 'Why',
    conditions: [
      { type: 'example.com/gate', status: 'True' },
      { type: 'Ready', status: 'False', reason: 'PodFailed' },
    ],
  });
});
