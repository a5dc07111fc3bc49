// What of our status is written over the one the API server has (spec/node.md §4.7): conditions of others win, and a terminal phase
// waits until nothing can run any more.

import type { Pod, PodCondition, PodStatus } from '@homeostat/api/types/core-v1';
import { createTwoWayMergePatch, deepEqual, type Json, type JsonMap, type StructSchema } from '@homeostat/machinery';
import { isKubeletCondition, isTerminalPhase } from './pod-facts.ts';

/** Merges `ours` into the stored status. `mayRun`: some container may still be running. */
export function mergeStatus(stored: PodStatus, ours: PodStatus, mayRun: boolean): PodStatus {
  const ending = !isTerminalPhase(stored.phase) && isTerminalPhase(ours.phase);
  const disruption = ours.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const foreign = (stored.conditions ?? []).filter((condition) => !isKubeletCondition(condition));
  const shared =
    ending && disruption !== undefined
      ? [...foreign.filter(({ type }) => type !== 'DisruptionTarget'), disruption]
      : foreign;
  const own = (ours.conditions ?? []).filter(isKubeletCondition);
  const { phase, reason, message } = ending && mayRun ? stored : ours;
  const { phase: _phase, reason: _reason, message: _message, ...rest } = ours;
  const merged: PodStatus = {
    ...rest,
    ...(phase === undefined ? {} : { phase }),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...othersFields(stored),
    conditions: [...shared, ...own],
  };
  return isTerminalPhase(merged.phase) ? withoutReady(merged) : merged;
}

/**
 * The strategic merge patch from the stored Pod to `status`, with the uid as precondition; undefined when nothing would change.
 */
export function statusPatch(pod: Pod, status: PodStatus, schema: StructSchema): JsonMap | undefined {
  if (deepEqual(pod.status ?? {}, status)) return undefined;
  const before = { status: pod.status ?? {} } as unknown as JsonMap;
  const patch = createTwoWayMergePatch(before, { status } as unknown as JsonMap, schema);
  if (Object.keys(patch).length === 0) return undefined;
  return { metadata: { uid: pod.metadata?.uid as Json }, ...patch };
}

function othersFields(stored: PodStatus): PodStatus {
  const { nominatedNodeName, resize, resourceClaimStatuses, extendedResourceClaimStatus } = stored;
  return {
    ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
    ...(resize === undefined ? {} : { resize }),
    ...(resourceClaimStatuses === undefined ? {} : { resourceClaimStatuses }),
    ...(extendedResourceClaimStatus === undefined ? {} : { extendedResourceClaimStatus }),
  };
}

/** Nobody is sent to a Pod that is over. */
function withoutReady(status: PodStatus): PodStatus {
  const reason = status.phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  const conditions = status.conditions?.map((condition): PodCondition =>
    (condition.type === 'Ready' || condition.type === 'ContainersReady') && condition.status === 'True'
      ? { ...condition, status: 'False', reason }
      : condition,
  );
  return { ...status, ...(conditions === undefined ? {} : { conditions }) };
}
