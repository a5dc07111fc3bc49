// The state of one container status, from what the runtime knows (spec/node.md §4.1, §4.2).

import type { ContainerState, ContainerStatus } from '@homeostat/api/types/core-v1';
import { formatTime } from '@homeostat/machinery';
import type { ContainerView } from '../runtime/container-runtime.ts';

export const unknownReason = 'ContainerStatusUnknown';

/** A container whose end nobody saw. */
export function unknownEnd(message: string): ContainerState {
  return { terminated: { exitCode: 137, reason: unknownReason, message, startedAt: null, finishedAt: null } };
}

/** The state of an instance. `old`: what the previous status said of the container. */
export function stateOf(view: ContainerView, runtimeName: string, old: ContainerStatus | undefined): ContainerState {
  switch (view.state) {
    case 'running':
      return { running: { startedAt: timeOf(view.startedMs) } };
    case 'created':
      return { waiting: {} };
    case 'exited':
      return {
        terminated: {
          exitCode: view.exitCode ?? 0,
          ...(view.reason === undefined ? {} : { reason: view.reason }),
          ...(view.message === undefined || view.message === '' ? {} : { message: view.message }),
          startedAt: timeOf(view.startedMs),
          finishedAt: timeOf(view.finishedMs),
          containerID: containerIdOf(view, runtimeName),
        },
      };
    case 'unknown':
      return old?.state?.running === undefined
        ? { waiting: {} }
        : unknownEnd('The container could not be located when the pod was terminated');
  }
}

export function containerIdOf(view: ContainerView, runtimeName: string): string {
  return `${runtimeName}://${view.id}`;
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : formatTime(ms);
}
