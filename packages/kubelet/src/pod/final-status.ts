// Statuses of Pods that are over: refused at the door, or stopped for good (spec/node.md §2.2, §8 step 4).

import { computeQosClass } from '@homeostat/api';
import type { ContainerStatus, Pod, PodStatus } from '@homeostat/api/types/core-v1';
import { formatTime } from '@homeostat/machinery';
import { unknownEnd } from './container-state.ts';
import { isKubeletCondition, isSidecar, isTerminalPhase, type PodVerdict, specOf } from './pod-facts.ts';

/** The whole status of a Pod that the node did not take in: nothing of an earlier one stays. */
export function rejectedStatus(pod: Pod, verdict: PodVerdict, nowMs: number): PodStatus {
  const generation = Number(pod.metadata?.generation ?? 0);
  return {
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    phase: 'Failed',
    reason: verdict.reason,
    message: `Pod was rejected: ${verdict.message}`,
    startTime: pod.status?.startTime ?? formatTime(nowMs),
    qosClass: pod.status?.qosClass ?? computeQosClass(specOf(pod)),
    conditions: pod.status?.conditions?.filter((condition) => !isKubeletCondition(condition)) ?? [],
  };
}

/** The last status: whatever was not seen to end has ended somehow, and the Pod is over. */
export function terminatedStatus(pod: Pod, status: PodStatus): PodStatus {
  const initialized = hasInitialized(pod, status);
  const over: PodStatus = {
    ...status,
    ...(status.initContainerStatuses === undefined
      ? {}
      : { initContainerStatuses: endInit(status.initContainerStatuses, initialized) }),
    ...(status.containerStatuses === undefined || !initialized
      ? {}
      : { containerStatuses: status.containerStatuses.map(ended) }),
    ...(status.ephemeralContainerStatuses === undefined
      ? {}
      : { ephemeralContainerStatuses: status.ephemeralContainerStatuses.map(ended) }),
  };
  return isTerminalPhase(over.phase) ? over : { ...over, phase: 'Failed' };
}

/** Of a Pod that never got through its init containers only those up to the last started one have ended, at least the first. */
function endInit(statuses: readonly ContainerStatus[], initialized: boolean): readonly ContainerStatus[] {
  if (initialized) return statuses.map(ended);
  const last = Math.max(0, statuses.findLastIndex(hasStarted));
  return statuses.map((status, index) => (index <= last ? ended(status) : status));
}

function hasInitialized(pod: Pod, { initContainerStatuses = [], containerStatuses = [] }: PodStatus): boolean {
  const last = (pod.spec?.initContainers ?? []).at(-1);
  if (last === undefined || containerStatuses.some(hasStarted)) return true;
  const status = initContainerStatuses.find(({ name }) => name === last.name);
  return isSidecar(last, 'init') ? status?.started === true : status?.state?.terminated?.exitCode === 0;
}

function hasStarted({ state, lastState }: ContainerStatus): boolean {
  return state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;
}

function ended(status: ContainerStatus): ContainerStatus {
  if (status.state?.terminated !== undefined) return status;
  return {
    ...status,
    ready: false,
    ...(status.started === undefined ? {} : { started: false }),
    state: unknownEnd('The container could not be located when the pod was terminated'),
  };
}
