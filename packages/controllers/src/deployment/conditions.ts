// Deployment conditions (spec/workloads.md §4.11): how one is set, and which a rollout shows. Pure.

import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@homeostat/api/types/apps-v1';
import { formatTime, parseTime } from '@homeostat/machinery';
import { desiredReplicas } from './numbers.ts';

export type Conditions = readonly DeploymentCondition[];
type ConditionType = 'Available' | 'Progressing' | 'ReplicaFailure';

/** progressDeadlineSeconds that means "no deadline". */
const noDeadline = 2 ** 31 - 1;

export function hasDeadline(deployment: Deployment): boolean {
  const deadline = deployment.spec?.progressDeadlineSeconds;
  return deadline !== undefined && deadline !== noDeadline;
}

export function findCondition(
  conditions: Conditions | undefined,
  type: ConditionType,
): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: Conditions, type: ConditionType): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}

export interface NewCondition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Sets a condition: nothing changes while status and reason stay; the transition time stays while the status does. */
export function setCondition(conditions: Conditions, wanted: NewCondition, nowMs: number): Conditions {
  const current = findCondition(conditions, wanted.type);
  if (current !== undefined && current.status === wanted.status && current.reason === wanted.reason) return conditions;
  const now = formatTime(nowMs);
  const transition = current?.status === wanted.status ? current.lastTransitionTime : now;
  const condition: DeploymentCondition = {
    type: wanted.type,
    status: wanted.status,
    lastUpdateTime: now,
    lastTransitionTime: transition ?? now,
    reason: wanted.reason,
    message: wanted.message,
  };
  return [...withoutCondition(conditions, wanted.type), condition];
}

/** Whether every replica is of the new template and available, as `status` says. */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const desired = desiredReplicas(deployment);
  return (
    (status?.updatedReplicas ?? 0) === desired &&
    (status?.replicas ?? 0) === desired &&
    (status?.availableReplicas ?? 0) === desired &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata?.generation ?? 0)
  );
}

function isProgressing(stored: DeploymentStatus | undefined, wanted: DeploymentStatus): boolean {
  const oldReplicas = (status: DeploymentStatus | undefined): number =>
    (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return (
    (wanted.updatedReplicas ?? 0) > (stored?.updatedReplicas ?? 0) ||
    oldReplicas(wanted) < oldReplicas(stored) ||
    (wanted.readyReplicas ?? 0) > (stored?.readyReplicas ?? 0) ||
    (wanted.availableReplicas ?? 0) > (stored?.availableReplicas ?? 0)
  );
}

/** Whether no progress was made for the deadline; once said, it stays said until there is progress. */
export function isTimedOut(deployment: Deployment, stored: Conditions, nowMs: number): boolean {
  const condition = findCondition(stored, 'Progressing');
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  const deadlineMs = (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000;
  const updated = condition.lastUpdateTime;
  return updated !== undefined && updated !== null && parseTime(updated) + deadlineMs < nowMs;
}

export interface ProgressInput {
  readonly deployment: Deployment;
  readonly newReplicaSet: ReplicaSet | undefined;
  /** Status with new counts and conditions so far. */
  readonly wanted: DeploymentStatus;
  readonly nowMs: number;
}

/** The Progressing condition as a rollout's sync estimates it. */
export function withProgress({ deployment, newReplicaSet, wanted, nowMs }: ProgressInput): Conditions {
  const conditions = wanted.conditions ?? [];
  if (!hasDeadline(deployment)) return withoutCondition(conditions, 'Progressing');
  const stored = deployment.status;
  const current = findCondition(stored?.conditions, 'Progressing');
  const settled =
    (wanted.replicas ?? 0) === (wanted.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (settled) return conditions;
  const subject =
    newReplicaSet === undefined
      ? `Deployment "${deployment.metadata?.name ?? ''}"`
      : `ReplicaSet "${newReplicaSet.metadata?.name ?? ''}"`;
  const set = (status: NewCondition['status'], reason: string, message: string): Conditions =>
    setCondition(conditions, { type: 'Progressing', status, reason, message }, nowMs);
  if (isComplete(deployment, wanted))
    return set('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`);
  if (isProgressing(stored, wanted)) {
    // Rewritten even when nothing but the time changes: the deadline counts from the last progress.
    const transition = current?.status === 'True' ? current.lastTransitionTime : undefined;
    const rest = withoutCondition(conditions, 'Progressing');
    const fresh = setCondition(
      rest,
      { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` },
      nowMs,
    );
    if (transition === undefined) return fresh;
    return fresh.map((condition) =>
      condition.type === 'Progressing' ? { ...condition, lastTransitionTime: transition } : condition,
    );
  }
  if (isTimedOut(deployment, stored?.conditions ?? [], nowMs)) {
    return set('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`);
  }
  return conditions;
}
