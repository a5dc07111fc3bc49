// One step of a rolling update (spec/workloads.md §4.7): grow the new ReplicaSet or shrink old ones, never both. Pure.

import type { ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { UpdateAction } from '@homeostat/runtime';
import { desiredReplicas, newReplicaSetSize, rolloutBounds, specReplicas, totalSpec, totalStaying } from './numbers.ts';
import { scaleReplicaSet } from './scale-replica-set.ts';
import { allReplicaSets, type Rollout } from './status.ts';

/** Resizes the new ReplicaSet towards what surge allows. */
export function growNew(rollout: Rollout): readonly UpdateAction[] {
  const { deployment, newReplicaSet } = rollout;
  if (newReplicaSet === undefined) return [];
  const desired = desiredReplicas(deployment);
  const current = specReplicas(newReplicaSet);
  if (current === desired) return [];
  if (current > desired) return scaleReplicaSet(deployment, newReplicaSet, desired);
  return scaleReplicaSet(deployment, newReplicaSet, newReplicaSetSize(deployment, allReplicaSets(rollout), current));
}

/** Shrinks old ReplicaSets: first by pods that are not available anyway, then as far as availability allows. */
export function shrinkOld(rollout: Rollout): readonly UpdateAction[] {
  const { deployment, newReplicaSet, oldReplicaSets } = rollout;
  const old = oldReplicaSets.filter((replicaSet) => specReplicas(replicaSet) > 0);
  if (old.length === 0) return [];
  const minAvailable = desiredReplicas(deployment) - rolloutBounds(deployment).maxUnavailable;
  const newUnavailable =
    (newReplicaSet === undefined ? 0 : specReplicas(newReplicaSet)) - (newReplicaSet?.status?.availableReplicas ?? 0);
  const room = totalSpec(allReplicaSets(rollout)) - minAvailable - newUnavailable;
  if (room <= 0) return [];
  const sizes = new Map(old.map((replicaSet) => [replicaSet, specReplicas(replicaSet)]));
  dropUnhealthy(old, sizes, room);
  dropAvailable(old, sizes, totalStaying(allReplicaSets(rollout)) - minAvailable);
  return old.flatMap((replicaSet) => scaleReplicaSet(deployment, replicaSet, sizes.get(replicaSet) ?? 0));
}

function dropUnhealthy(old: readonly ReplicaSet[], sizes: Map<ReplicaSet, number>, room: number): void {
  let left = room;
  for (const replicaSet of old) {
    const size = sizes.get(replicaSet) ?? 0;
    const unhealthy = Math.max(0, size - (replicaSet.status?.availableReplicas ?? 0));
    const drop = Math.min(left, unhealthy);
    sizes.set(replicaSet, size - drop);
    left -= drop;
  }
}

function dropAvailable(old: readonly ReplicaSet[], sizes: Map<ReplicaSet, number>, spare: number): void {
  let left = spare;
  for (const replicaSet of old) {
    if (left <= 0) return;
    const size = sizes.get(replicaSet) ?? 0;
    const drop = Math.min(left, size);
    sizes.set(replicaSet, size - drop);
    left -= drop;
  }
}
