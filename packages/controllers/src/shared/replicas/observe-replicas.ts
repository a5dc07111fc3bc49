// What an owner of replicas looks at: every pod it might own, and the pods of the rollout it is part of.

import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodActive } from '@homeostat/api';
import type { ResourceType } from '@homeostat/client';
import { pods } from '@homeostat/client/resources';
import { byController, type Caches, controllerOf, orphanValue } from '@homeostat/runtime';
import type { ReplicaOwner } from './replica-owner.ts';

/** Pods the owner has by uid, and orphans of its namespace. */
export function candidatesOf(owner: ReplicaOwner, caches: Caches): readonly Pod[] {
  const lister = caches.lister(pods);
  return [
    ...lister.byIndex(byController.name, owner.metadata?.uid ?? ''),
    ...lister.byIndex(byController.name, orphanValue(owner.metadata?.namespace ?? '')),
  ];
}

const none: ReadonlyMap<string, number> = new Map();

/**
 * Active pods by node, of all owners with the same controller. Empty unless the owner has more candidates than replicas: looking at
 * every pod of a rollout on each event would make large rollouts quadratic.
 */
export function relatedPerNode<T extends ReplicaOwner>(
  owner: T,
  candidates: readonly Pod[],
  owners: ResourceType<T>,
  caches: Caches,
): ReadonlyMap<string, number> {
  const controller = controllerOf(owner);
  if (controller === undefined || candidates.length <= (owner.spec?.replicas ?? 1)) return none;
  const perNode = new Map<string, number>();
  const lister = caches.lister(pods);
  for (const sibling of caches.lister(owners).byIndex(byController.name, controller.uid)) {
    for (const pod of lister.byIndex(byController.name, sibling.metadata?.uid ?? '')) {
      if (!isPodActive(pod)) continue;
      const node = pod.spec?.nodeName ?? '';
      perNode.set(node, (perNode.get(node) ?? 0) + 1);
    }
  }
  return perNode;
}
