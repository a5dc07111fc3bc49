import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodStatus } from '@homeostat/api/types/core-v1';
import { podTable } from './pod-columns.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const base: Pod = {
  metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { containers: [{ name: 'a' }, { name: 'b' }] },
};

function cells(status: PodStatus, extra: Partial<Pod> = {}): readonly unknown[] {
  return podTable.row({ ...base, ...extra, status }, now).cells.slice(1, 4);
}

const running = (name: string, restartCount = 0): NonNullable<PodStatus['containerStatuses']>[number] => ({
  name,
  ready: true,
  restartCount,
  image: '',
  imageID: '',
  state: { running: {} },
});

test('podTable shows ready containers and the phase when nothing is wrong', () => {
  assert.deepEqual(cells({ phase: 'Running', containerStatuses: [running('a'), running('b')] }), [
    '2/2',
    'Running',
    '0',
  ]);
});

test('podTable lets the first waiting container say the status', () => {
  const waiting = (name: string, reason: string) => ({
    ...running(name),
    ready: false,
    state: { waiting: { reason } },
  });
  const status = {
    phase: 'Running',
    containerStatuses: [waiting('a', 'CrashLoopBackOff'), waiting('b', 'ErrImagePull')],
  };
  assert.deepEqual(cells(status as PodStatus), ['0/2', 'CrashLoopBackOff', '0']);
});

test('podTable counts restarts and tells when the last one was', () => {
  const restarted = {
    ...running('a', 3),
    lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:55:00Z' } },
  };
  assert.deepEqual(cells({ phase: 'Running', containerStatuses: [restarted, running('b')] })[2], '3 (5m ago)');
});

test('podTable names what an init container waits for, and how far they are', () => {
  const spec = { containers: [{ name: 'a' }], initContainers: [{ name: 'i' }, { name: 'j' }] };
  const done = { ...running('i'), ready: false, state: { terminated: { exitCode: 0 } } };
  const starting = { ...running('j'), ready: false, state: { waiting: { reason: 'PodInitializing' } } };
  const failed = { ...running('j'), ready: false, state: { terminated: { exitCode: 7 } } };
  assert.deepEqual(cells({ phase: 'Pending', initContainerStatuses: [done, starting] }, { spec })[1], 'Init:1/2');
  assert.deepEqual(cells({ phase: 'Pending', initContainerStatuses: [done, failed] }, { spec })[1], 'Init:ExitCode:7');
});

test('podTable counts running sidecars among the containers', () => {
  const spec = { containers: [{ name: 'a' }], initContainers: [{ name: 's', restartPolicy: 'Always' }] };
  const sidecar = { ...running('s'), started: true };
  const status = { phase: 'Running', initContainerStatuses: [sidecar], containerStatuses: [running('a')] };
  assert.deepEqual(cells(status as PodStatus, { spec })[0], '2/2');
});

test('podTable says Terminating for a Pod that is being deleted, unless it has ended', () => {
  const metadata = { ...base.metadata, deletionTimestamp: '2026-01-01T00:59:00Z' };
  assert.equal(cells({ phase: 'Running' }, { metadata })[1], 'Terminating');
  assert.equal(cells({ phase: 'Succeeded' }, { metadata })[1], 'Succeeded');
  assert.equal(cells({ phase: 'Running', reason: 'NodeLost' }, { metadata })[1], 'Unknown');
});

test('podTable marks rows of ended Pods', () => {
  const row = podTable.row({ ...base, status: { phase: 'Failed' } }, now);
  assert.equal(row.conditions?.[0]?.reason, 'Failed');
});
