// Scaling outside of a rollout's own steps: paused Deployments, and a changed `spec.replicas` in the middle of a
// rollout, which is spread over the ReplicaSets in proportion (spec/workloads.md §4.9). Pure.

import type { ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { UpdateAction } from '@homeostat/runtime';
import { desiredReplicasAnnotation, maxReplicasAnnotation, replicasAnnotation } from './annotations.ts';
import { byCreation, desiredReplicas, maxSurge, specReplicas, totalSpec } from './numbers.ts';
import { scaleReplicaSet } from './scale-replica-set.ts';
import { allReplicaSets, type Rollout } from './status.ts';

/**
 * Whether some active ReplicaSet was last sized for another number of replicas. With the strategy Recreate and several active sets
 * there is nothing to spread: the rollout empties the old ones and sizes the new one.
 */
export function isScaling(rollout: Rollout): boolean {
  const desired = desiredReplicas(rollout.deployment);
  const active = allReplicaSets(rollout).filter((replicaSet) => specReplicas(replicaSet) > 0);
  if (active.length > 1 && rollout.deployment.spec?.strategy?.type !== 'RollingUpdate') return false;
  return active.some((replicaSet) => {
    const known = replicasAnnotation(replicaSet, desiredReplicasAnnotation);
    return known !== undefined && known !== desired;
  });
}

/** The writes that bring the sizes in line with `spec.replicas`. */
export function scaleRollout(rollout: Rollout): readonly UpdateAction[] {
  const { deployment, newReplicaSet, oldReplicaSets } = rollout;
  const all = allReplicaSets(rollout);
  const active = all.filter((replicaSet) => specReplicas(replicaSet) > 0);
  const desired = desiredReplicas(deployment);
  if (active.length <= 1) {
    const target = active[0] ?? newReplicaSet ?? oldReplicaSets.at(-1);
    if (target === undefined) return [];
    // The annotation is refreshed too: a stale one would make every later sync believe it is scaling (case B20).
    return scaleReplicaSet(deployment, target, desired, { force: active.length === 1 });
  }
  if (newReplicaSet !== undefined && isSaturated(newReplicaSet, desired)) {
    return oldReplicaSets.filter((set) => specReplicas(set) > 0).flatMap((set) => scaleReplicaSet(deployment, set, 0));
  }
  if (deployment.spec?.strategy?.type !== 'RollingUpdate') return [];
  return proportional(rollout, active);
}

function isSaturated(replicaSet: ReplicaSet, desired: number): boolean {
  return (
    replicasAnnotation(replicaSet, desiredReplicasAnnotation) === desired &&
    specReplicas(replicaSet) === desired &&
    (replicaSet.status?.availableReplicas ?? 0) === desired
  );
}

function proportional({ deployment }: Rollout, active: readonly ReplicaSet[]): readonly UpdateAction[] {
  const desired = desiredReplicas(deployment);
  const max = desired + maxSurge(deployment);
  const add = (desired > 0 ? max : 0) - totalSpec(active);
  const sorted = active.toSorted((a, b) => {
    const bySize = specReplicas(b) - specReplicas(a);
    if (bySize !== 0 || add === 0) return add === 0 ? 0 : bySize;
    return add > 0 ? byCreation(b, a) : byCreation(a, b);
  });
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const replicaSet of sorted) {
    const size = specReplicas(replicaSet);
    const share =
      add === 0
        ? 0
        : shareOf(replicaSet, { desired, max, left: add - added, statusReplicas: deployment.status?.replicas ?? 0 });
    sizes.set(replicaSet, size + share);
    added += share;
  }
  const largest = sorted[0];
  if (largest !== undefined && add !== added) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + add - added));
  return sorted.flatMap((replicaSet) =>
    scaleReplicaSet(deployment, replicaSet, sizes.get(replicaSet) ?? 0, { force: true }),
  );
}

interface Share {
  readonly desired: number;
  readonly max: number;
  /** What is still to be given out (or taken, when negative). */
  readonly left: number;
  readonly statusReplicas: number;
}

function shareOf(replicaSet: ReplicaSet, { desired, max, left, statusReplicas }: Share): number {
  const size = specReplicas(replicaSet);
  if (size === 0 || left === 0) return 0;
  const fraction = fractionOf(replicaSet, size, desired, max, statusReplicas);
  return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

function fractionOf(
  replicaSet: ReplicaSet,
  size: number,
  desired: number,
  max: number,
  statusReplicas: number,
): number {
  if (desired === 0) return -size;
  const annotated = replicasAnnotation(replicaSet, maxReplicasAnnotation) ?? 0;
  const before = annotated > 0 ? annotated : statusReplicas;
  return before === 0 ? 0 : Math.round((size * max) / before) - size;
}
