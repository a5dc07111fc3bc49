// What the Deployment controller looks at: the Deployment, the ReplicaSets it might own, and, for Recreate, their pods.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import type { ObjectKey } from '@homeostat/client';
import { deployments, pods, replicaSets } from '@homeostat/client/resources';
import { byController, type Caches, orphanValue } from '@homeostat/runtime';

export interface ObservedDeployment {
  readonly deployment: Deployment;
  /** ReplicaSets it owns by uid, and orphans of the namespace. */
  readonly candidates: readonly ReplicaSet[];
  /** Pods by the uid of their ReplicaSet, claimed or not; only filled for the strategy Recreate, which waits for those of its own. */
  readonly podsByReplicaSet: ReadonlyMap<string, readonly Pod[]>;
}

export function observe(key: ObjectKey, caches: Caches): ObservedDeployment | undefined {
  const deployment = caches.lister(deployments).getByKey(key);
  if (deployment === undefined) return undefined;
  const lister = caches.lister(replicaSets);
  const owned = lister.byIndex(byController.name, deployment.metadata?.uid ?? '');
  const orphans = lister.byIndex(byController.name, orphanValue(deployment.metadata?.namespace ?? ''));
  const podsByReplicaSet = new Map<string, readonly Pod[]>();
  if (deployment.spec?.strategy?.type === 'Recreate') {
    for (const replicaSet of [...owned, ...orphans]) {
      const uid = replicaSet.metadata?.uid ?? '';
      podsByReplicaSet.set(uid, caches.lister(pods).byIndex(byController.name, uid));
    }
  }
  return { deployment, candidates: [...owned, ...orphans], podsByReplicaSet };
}
