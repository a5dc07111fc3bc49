// Which old ReplicaSets are beyond the history limit (spec/workloads.md §4.10). Pure.

import { replicaSets } from '@homeostat/client/resources';
import type { DeleteAction } from '@homeostat/runtime';
import { revisionOf } from './annotations.ts';
import { byCreation, specReplicas } from './numbers.ts';
import type { Rollout } from './status.ts';

/** revisionHistoryLimit that means "keep all". */
const keepAll = 2 ** 31 - 1;

/** Deletes the oldest revisions that are empty and settled. */
export function cleanHistory({ deployment, oldReplicaSets }: Rollout): readonly DeleteAction[] {
  const limit = deployment.spec?.revisionHistoryLimit;
  if (limit === undefined || limit === keepAll) return [];
  const kept = oldReplicaSets.filter((replicaSet) => replicaSet.metadata?.deletionTimestamp === undefined);
  const excess = kept.length - limit;
  if (excess <= 0) return [];
  const sorted = kept.toSorted((a, b) => {
    const left = revisionOf(a) ?? 0n;
    const right = revisionOf(b) ?? 0n;
    return left < right ? -1 : left > right ? 1 : byCreation(a, b);
  });
  return sorted
    .slice(0, excess)
    .filter(
      (replicaSet) =>
        (replicaSet.status?.replicas ?? 0) === 0 &&
        specReplicas(replicaSet) === 0 &&
        (replicaSet.metadata?.generation ?? 0) <= (replicaSet.status?.observedGeneration ?? 0),
    )
    .map((replicaSet) => ({
      verb: 'delete',
      resource: replicaSets,
      namespace: replicaSet.metadata?.namespace ?? '',
      name: replicaSet.metadata?.name ?? '',
      preconditions: { uid: replicaSet.metadata?.uid ?? '' },
      tolerates: ['NotFound'],
      reason: 'HistoryLimit',
      facts: { limit, kept: kept.length },
    }));
}
