// The status of a Deployment (spec/workloads.md §4.11) and the plan that writes it. Pure.

import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@homeostat/api/types/apps-v1';
import { deployments } from '@homeostat/client/resources';
import { parseTime } from '@homeostat/machinery';
import type { Plan, StatusAction } from '@homeostat/runtime';
import { findCondition, hasDeadline, isComplete, setCondition, withoutCondition, withProgress } from './conditions.ts';
import { desiredReplicas, rolloutBounds, totalAvailable, totalSpec } from './numbers.ts';

export interface Rollout {
  readonly deployment: Deployment;
  readonly newReplicaSet: ReplicaSet | undefined;
  /** Oldest first. */
  readonly oldReplicaSets: readonly ReplicaSet[];
}

/** All ReplicaSets of a rollout, the new one last. */
export function allReplicaSets({ newReplicaSet, oldReplicaSets }: Rollout): readonly ReplicaSet[] {
  return newReplicaSet === undefined ? oldReplicaSets : [...oldReplicaSets, newReplicaSet];
}

/** Writes counts and the Available condition, without an estimate of progress: for paused, scaling and deleted Deployments. */
export function plainStatusPlan(rollout: Rollout, nowMs: number): Plan {
  return writePlan(rollout.deployment, deploymentStatus(rollout, nowMs));
}

/** Writes the status of a rollout with its progress and failures, and says when to look again for the deadline. */
export function rolloutStatusPlan(rollout: Rollout, nowMs: number): Plan {
  const { deployment, newReplicaSet } = rollout;
  const counted = deploymentStatus(rollout, nowMs);
  const progressed = { ...counted, conditions: withProgress({ deployment, newReplicaSet, wanted: counted, nowMs }) };
  const status = { ...progressed, conditions: withFailure(rollout, progressed.conditions) };
  const plan = writePlan(deployment, status);
  if (plan.steps.length > 0) return plan;
  const requeueAfterMs = deadlineCheckMs(deployment, status, nowMs);
  return requeueAfterMs === undefined ? plan : { ...plan, requeueAfterMs };
}

/** PUTs the status; `annotations` travel along, since the status endpoint accepts metadata. */
export function statusAction(
  deployment: Deployment,
  status: DeploymentStatus | undefined,
  why: Pick<StatusAction, 'reason' | 'facts'>,
  annotations = deployment.metadata?.annotations,
): StatusAction {
  return {
    verb: 'status',
    resource: deployments,
    namespace: deployment.metadata?.namespace ?? '',
    name: deployment.metadata?.name ?? '',
    object: {
      ...deployment,
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...deployment.metadata, ...(annotations === undefined ? {} : { annotations }) },
      ...(status === undefined ? {} : { status }),
    } as Deployment,
    ...why,
  };
}

function writePlan(deployment: Deployment, status: DeploymentStatus): Plan {
  if (sameStatus(deployment.status, status)) return { steps: [] };
  const facts = {
    replicas: status.replicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    available: status.availableReplicas ?? 0,
  };
  return { steps: [{ actions: [statusAction(deployment, status, { reason: 'StatusChanged', facts })] }] };
}

function deploymentStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const { deployment, newReplicaSet } = rollout;
  const all = allReplicaSets(rollout);
  const sum = (field: 'replicas' | 'readyReplicas' | 'availableReplicas'): number =>
    all.reduce((total, replicaSet) => total + (replicaSet.status?.[field] ?? 0), 0);
  const available = totalAvailable(all);
  const unavailable = Math.max(0, totalSpec(all) - available);
  const terminating = terminatingReplicas(all);
  const { maxUnavailable } = rolloutBounds(deployment);
  const enough = available >= desiredReplicas(deployment) - maxUnavailable;
  const conditions = setCondition(
    deployment.status?.conditions ?? [],
    {
      type: 'Available',
      status: enough ? 'True' : 'False',
      reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: enough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
    },
    nowMs,
  );
  return {
    observedGeneration: deployment.metadata?.generation ?? 0,
    replicas: sum('replicas'),
    updatedReplicas: newReplicaSet?.status?.replicas ?? 0,
    readyReplicas: sum('readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: unavailable,
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    conditions,
    ...(deployment.status?.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
  };
}

// Unknown as long as one set that was synced does not say; sets never synced do not count.
function terminatingReplicas(all: readonly ReplicaSet[]): number | undefined {
  let total = 0;
  for (const { status } of all) {
    if (status?.terminatingReplicas !== undefined) total += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return total;
}

function withFailure(rollout: Rollout, conditions: readonly DeploymentCondition[]): readonly DeploymentCondition[] {
  const { newReplicaSet, oldReplicaSets } = rollout;
  const sets = newReplicaSet === undefined ? oldReplicaSets : [newReplicaSet, ...oldReplicaSets];
  const failure = sets.flatMap(
    (set) => set.status?.conditions?.filter((condition) => condition.type === 'ReplicaFailure') ?? [],
  )[0];
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  const current = findCondition(conditions, 'ReplicaFailure');
  if (current?.status === failure.status && current.reason === failure.reason) return conditions;
  const time = failure.lastTransitionTime ?? null;
  return [
    ...withoutCondition(conditions, 'ReplicaFailure'),
    {
      type: 'ReplicaFailure',
      status: failure.status,
      lastUpdateTime: time,
      lastTransitionTime: time,
      ...(failure.reason === undefined ? {} : { reason: failure.reason }),
      ...(failure.message === undefined ? {} : { message: failure.message }),
    } as DeploymentCondition,
  ];
}

function sameStatus(stored: DeploymentStatus | undefined, wanted: DeploymentStatus): boolean {
  const numbers = [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
  ] as const;
  return (
    numbers.every((field) => (stored?.[field] ?? 0) === (wanted[field] ?? 0)) &&
    stored?.terminatingReplicas === wanted.terminatingReplicas &&
    stored?.collisionCount === wanted.collisionCount &&
    JSON.stringify(stored?.conditions ?? []) === JSON.stringify(wanted.conditions ?? [])
  );
}

// No event comes when nothing happens: the deadline itself has to be looked for.
function deadlineCheckMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const condition = findCondition(status.conditions, 'Progressing');
  if (!hasDeadline(deployment) || condition === undefined || isComplete(deployment, status)) return undefined;
  if (condition.reason === 'ProgressDeadlineExceeded' || condition.reason === 'NewReplicaSetAvailable')
    return undefined;
  const updated = condition.lastUpdateTime;
  if (updated === undefined || updated === null) return undefined;
  const leftMs = parseTime(updated) + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 - nowMs;
  return Math.max(0, leftMs) + 1000;
}
