// The phase of a Pod from its container statuses (spec/node.md §4.4). Ephemeral containers don't count.

import { shouldContainerRestart } from '@homeostat/api';
import type { ContainerStatus, Pod, PodPhase } from '@homeostat/api/types/core-v1';
import { isSidecar, specOf } from './pod-facts.ts';

export interface PhaseFacts {
  readonly pod: Pod;
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
  /** All containers are stopped for good, whatever the restart policy says. */
  readonly stopped: boolean;
  /** Some regular container has been started. */
  readonly anyStarted: boolean;
}

/** The phase; without the memory of earlier phases. */
export function podPhase(facts: PhaseFacts): PodPhase {
  const init = countInit(facts);
  if (init.failed > 0) return 'Failed';
  if (init.pending > 0 || (init.sidecarsPending > 0 && !facts.anyStarted)) return 'Pending';
  const count = countRunning(facts);
  if (count.waiting > 0) return 'Pending';
  if (count.running > 0 && count.unknown === 0) return 'Running';
  if (count.running > 0 || count.stopped === 0 || count.unknown > 0) return 'Pending';
  const allSucceeded = count.succeeded === count.stopped;
  if (facts.stopped) return allSucceeded ? 'Succeeded' : 'Failed';
  if (count.stopped > count.stoppedForGood) return 'Running';
  return allSucceeded ? 'Succeeded' : 'Failed';
}

function countInit({ pod, init }: PhaseFacts): { failed: number; pending: number; sidecarsPending: number } {
  const spec = specOf(pod);
  const count = { failed: 0, pending: 0, sidecarsPending: 0 };
  for (const container of spec.initContainers ?? []) {
    const status = find(init, container.name);
    const { running, terminated, waiting } = status?.state ?? {};
    if (isSidecar(container, 'init')) {
      const neverRan = waiting !== undefined && status?.lastState?.terminated === undefined;
      if (status !== undefined && ((running !== undefined && status.started !== true) || neverRan)) {
        count.sidecarsPending++;
      }
      continue;
    }
    const ended = terminated ?? (waiting === undefined ? undefined : status?.lastState?.terminated);
    if (running !== undefined || ended === undefined) count.pending++;
    else if (ended.exitCode !== 0 && !shouldContainerRestart(container, spec, ended.exitCode)) count.failed++;
  }
  return count;
}

interface RunCount {
  running: number;
  waiting: number;
  unknown: number;
  stopped: number;
  stoppedForGood: number;
  succeeded: number;
}

function countRunning({ pod, init, regular }: PhaseFacts): RunCount {
  const spec = specOf(pod);
  const count: RunCount = { running: 0, waiting: 0, unknown: 0, stopped: 0, stoppedForGood: 0, succeeded: 0 };
  for (const container of spec.initContainers ?? []) {
    if (!isSidecar(container, 'init')) continue;
    const status = find(init, container.name);
    const { running, terminated, waiting } = status?.state ?? {};
    if (running !== undefined) count.running++;
    else if (waiting !== undefined && status?.lastState?.terminated === undefined) count.waiting++;
    else if (waiting === undefined && terminated === undefined) count.unknown++;
  }
  for (const container of spec.containers) {
    const status = find(regular, container.name);
    const { running, terminated, waiting } = status?.state ?? {};
    const ended = terminated ?? (waiting === undefined ? undefined : status?.lastState?.terminated);
    if (running !== undefined) count.running++;
    else if (ended !== undefined) {
      count.stopped++;
      if (terminated?.exitCode === 0) count.succeeded++;
      if (!shouldContainerRestart(container, spec, ended.exitCode)) count.stoppedForGood++;
    } else if (waiting !== undefined) count.waiting++;
    else count.unknown++;
  }
  return count;
}

function find(statuses: readonly ContainerStatus[], name: string): ContainerStatus | undefined {
  return statuses.find((status) => status.name === name);
}
