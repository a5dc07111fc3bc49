// The part of a pod's status that the scheduler writes: the condition PodScheduled=False and the nominated node (spec/scheduler.md §9.3,
// §9.4). As patches that touch nothing else; none when nothing would change.

import type { Pod, PodCondition } from '@homeostat/api/types/core-v1';
import { formatTime, type Json } from '@homeostat/machinery';
import type { NominatingInfo } from '../framework/plugin.ts';

export interface ConditionChange {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface PodStatusChange {
  /** Absent: conditions stay. */
  readonly condition?: ConditionChange | undefined;
  /** Absent: the nomination stays. */
  readonly nominating?: NominatingInfo | undefined;
}

/** The strategic merge patch of `pods/status`; undefined when the pod's status says all of it. */
export function podStatusPatch(pod: Pod, change: PodStatusChange, nowMs: number): Json | undefined {
  const condition = change.condition === undefined ? undefined : changedCondition(pod, change.condition, nowMs);
  const nominated = pod.status?.nominatedNodeName ?? '';
  const nominating =
    change.nominating !== undefined && change.nominating.nodeName !== nominated ? change.nominating : undefined;
  if (condition === undefined && nominating === undefined) return undefined;
  const status: Record<string, Json> = {};
  if (condition !== undefined) {
    const types = new Set([
      ...(pod.status?.conditions ?? []).map(({ type }): string => type),
      condition.type as string,
    ]);
    status['$setElementOrder/conditions'] = Array.from(types, (type) => ({ type }));
    status['conditions'] = [{ ...condition, lastProbeTime: null } as unknown as Json];
  }
  if (nominating !== undefined) status['nominatedNodeName'] = nominating.nodeName === '' ? null : nominating.nodeName;
  return { status };
}

/** The condition as it is to be; undefined when status, reason and message are as wanted. */
function changedCondition(
  pod: Pod,
  wanted: ConditionChange,
  nowMs: number,
): Omit<PodCondition, 'lastProbeTime'> | undefined {
  const { type, status, reason, message } = wanted;
  const known = pod.status?.conditions?.find((condition) => condition.type === type);
  if (known?.status === status && known.reason === reason && known.message === message) return undefined;
  const generation = pod.metadata?.generation;
  return {
    type,
    status,
    reason,
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime:
      known?.status === status && known.lastTransitionTime ? known.lastTransitionTime : formatTime(nowMs),
  };
}
