// What the ReplicaSet controller looks at: the set, every pod it might own, and the pods of the rollout it is part of.

import type { ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodActive } from '@homeostat/api';
import type { ObjectKey } from '@homeostat/client';
import { byController, type Caches, controllerOf, orphanValue } from '@homeostat/runtime';
import { pods, replicaSets } from '../shared/resources.ts';

export interface ObservedReplicaSet {
  readonly replicaSet: ReplicaSet;
  /** Pods it owns by uid, and orphans of the namespace. */
  readonly candidates: readonly Pod[];
  /** When it may have to shrink: active pods by node, over all ReplicaSets with the same controller. */
  readonly relatedPerNode: ReadonlyMap<string, number>;
}

const noPods: ReadonlyMap<string, number> = new Map();

export function observe(key: ObjectKey, caches: Caches): ObservedReplicaSet | undefined {
  const replicaSet = caches.lister(replicaSets).getByKey(key);
  if (replicaSet === undefined) return undefined;
  const podLister = caches.lister(pods);
  const candidates = [
    ...podLister.byIndex(byController.name, replicaSet.metadata?.uid ?? ''),
    ...podLister.byIndex(byController.name, orphanValue(replicaSet.metadata?.namespace ?? '')),
  ];
  const shrinks = candidates.length > (replicaSet.spec?.replicas ?? 1);
  return { replicaSet, candidates, relatedPerNode: shrinks ? relatedPods(replicaSet, caches) : noPods };
}

// Only asked when the set shrinks: looking at every pod of a rollout on each event would make large rollouts quadratic.
function relatedPods(replicaSet: ReplicaSet, caches: Caches): ReadonlyMap<string, number> {
  const perNode = new Map<string, number>();
  const controller = controllerOf(replicaSet);
  if (controller === undefined) return perNode;
  const podLister = caches.lister(pods);
  for (const sibling of caches.lister(replicaSets).byIndex(byController.name, controller.uid)) {
    for (const pod of podLister.byIndex(byController.name, sibling.metadata?.uid ?? '')) {
      if (!isPodActive(pod)) continue;
      const node = pod.spec?.nodeName ?? '';
      perNode.set(node, (perNode.get(node) ?? 0) + 1);
    }
  }
  return perNode;
}
