// The arithmetic of rollouts: surge, unavailability, how large the new ReplicaSet may be (spec/workloads.md §4.7.1). Pure.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import { scaledIntOrPercent } from '@homeostat/machinery';

export interface Bounds {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export function desiredReplicas(deployment: Deployment): number {
  return deployment.spec?.replicas ?? 1;
}

export function specReplicas(replicaSet: ReplicaSet): number {
  return replicaSet.spec?.replicas ?? 1;
}

/** Surge rounded up, unavailability rounded down; when both come to nothing, one may be unavailable or nothing could move. */
export function rolloutBounds(deployment: Deployment): Bounds {
  if (deployment.spec?.strategy?.type !== 'RollingUpdate') return { maxSurge: 0, maxUnavailable: 0 };
  const rolling = deployment.spec.strategy.rollingUpdate;
  const replicas = desiredReplicas(deployment);
  const maxSurge = scaledIntOrPercent(rolling?.maxSurge ?? 0, replicas, true);
  let maxUnavailable = scaledIntOrPercent(rolling?.maxUnavailable ?? 0, replicas, false);
  if (maxSurge === 0 && maxUnavailable === 0) maxUnavailable = 1;
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}

/** Surge alone, without the rule for "both zero": as it goes into annotations and totals. */
export function maxSurge(deployment: Deployment): number {
  return rolloutBounds(deployment).maxSurge;
}

export function totalSpec(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + specReplicas(replicaSet), 0);
}

export function totalAvailable(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + (replicaSet.status?.availableReplicas ?? 0), 0);
}

/**
 * Pods that are available and will stay. A status that has not followed a smaller size yet still counts Pods that are about
 * to go; to spend those again would take away more than may be unavailable.
 */
export function totalStaying(replicaSets: readonly ReplicaSet[]): number {
  const staying = replicaSets.map((replicaSet) =>
    Math.min(replicaSet.status?.availableReplicas ?? 0, specReplicas(replicaSet)),
  );
  return staying.reduce((sum, count) => sum + count, 0);
}

/** Size the new ReplicaSet may have now. `all` includes it. */
export function newReplicaSetSize(deployment: Deployment, all: readonly ReplicaSet[], current: number): number {
  const replicas = desiredReplicas(deployment);
  if (deployment.spec?.strategy?.type !== 'RollingUpdate') return replicas;
  const room = replicas + maxSurge(deployment) - totalSpec(all);
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/** Oldest first; name breaks ties. */
export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const left = `${a.metadata?.creationTimestamp ?? ''}\0${a.metadata?.name ?? ''}`;
  const right = `${b.metadata?.creationTimestamp ?? ''}\0${b.metadata?.name ?? ''}`;
  return left < right ? -1 : left > right ? 1 : 0;
}
