// The status of a ReplicaSet or ReplicationController (spec/workloads.md §2.4, §3). Pure.

import type { ReplicaSetCondition, ReplicaSetStatus } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodAvailable, isPodReady } from '@homeostat/api';
import { formatTime } from '@homeostat/machinery';
import type { ReplicaOwner } from './replica-owner.ts';

export interface StatusInput {
  readonly owner: ReplicaOwner;
  /** Claimed active pods, as they were before anything was made or deleted. */
  readonly active: readonly Pod[];
  /** Undefined: the kind has no such count. */
  readonly terminating: number | undefined;
  /** What went wrong while pods were made or deleted. */
  readonly error: string | undefined;
  readonly nowMs: number;
}

export function replicasStatus({ owner, active, terminating, error, nowMs }: StatusInput): ReplicaSetStatus {
  const templateLabels = Object.entries(owner.spec?.template?.metadata?.labels ?? {});
  const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
  const count = (holds: (pod: Pod) => boolean): number => active.reduce((sum, pod) => (holds(pod) ? sum + 1 : sum), 0);
  const conditions = failureConditions({ owner, active, terminating, error, nowMs });
  return {
    replicas: active.length,
    fullyLabeledReplicas: count((pod) => templateLabels.every(([key, value]) => pod.metadata?.labels?.[key] === value)),
    readyReplicas: count(isPodReady),
    availableReplicas: count((pod) => isPodAvailable(pod, minReadySeconds, nowMs)),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    observedGeneration: owner.metadata?.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

// ReplicaFailure appears with the first error and is not refreshed by later ones; it goes when a sync had none.
function failureConditions({ owner, active, error, nowMs }: StatusInput): readonly ReplicaSetCondition[] {
  const others = (owner.status?.conditions ?? []).filter((condition) => condition.type !== 'ReplicaFailure');
  if (error === undefined) return others;
  const present = owner.status?.conditions?.some((condition) => condition.type === 'ReplicaFailure');
  if (present) return owner.status?.conditions ?? [];
  const difference = active.length - (owner.spec?.replicas ?? 1);
  const reason = difference < 0 ? 'FailedCreate' : difference > 0 ? 'FailedDelete' : '';
  return [
    ...others,
    {
      type: 'ReplicaFailure',
      status: 'True',
      lastTransitionTime: formatTime(nowMs),
      ...(reason === '' ? {} : { reason }),
      message: error,
    },
  ];
}

/** Whether the stored status says the same; absent counts are zero. */
export function sameStatus(owner: ReplicaOwner, wanted: ReplicaSetStatus): boolean {
  const stored: Partial<ReplicaSetStatus> = owner.status ?? {};
  return (
    (stored.replicas ?? 0) === wanted.replicas &&
    (stored.fullyLabeledReplicas ?? 0) === wanted.fullyLabeledReplicas &&
    (stored.readyReplicas ?? 0) === wanted.readyReplicas &&
    (stored.availableReplicas ?? 0) === wanted.availableReplicas &&
    stored.terminatingReplicas === wanted.terminatingReplicas &&
    (stored.observedGeneration ?? 0) === wanted.observedGeneration &&
    JSON.stringify(stored.conditions ?? []) === JSON.stringify(wanted.conditions ?? [])
  );
}
