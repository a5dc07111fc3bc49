// Pods wake a Deployment only when the last of them is gone and the strategy is Recreate; all other news of pods come
// through the status of ReplicaSets (spec/workloads.md §4.1).

import { type ObjectKey, toKey } from '@homeostat/client';
import { deployments, pods, replicaSets } from '@homeostat/client/resources';
import { byController, type Caches, type Change, controllerOf } from '@homeostat/runtime';

export function wakeRecreatingDeployment(change: Change, caches: Caches): readonly ObjectKey[] {
  if (change.type !== 'deleted') return [];
  const namespace = change.object.metadata?.namespace;
  const owner = controllerOf(change.object);
  if (owner?.kind !== 'ReplicaSet') return [];
  const replicaSet = caches.lister(replicaSets).get(namespace, owner.name);
  if (replicaSet?.metadata?.uid !== owner.uid) return [];
  const controller = controllerOf(replicaSet);
  if (controller?.kind !== 'Deployment') return [];
  const deployment = caches.lister(deployments).get(namespace, controller.name);
  if (deployment?.metadata?.uid !== controller.uid || deployment.spec?.strategy?.type !== 'Recreate') return [];
  const siblings = caches.lister(replicaSets).byIndex(byController.name, controller.uid);
  const podLister = caches.lister(pods);
  const anyLeft = siblings.some((set) => podLister.byIndex(byController.name, set.metadata?.uid ?? '').length > 0);
  return anyLeft ? [] : [toKey(namespace, controller.name)];
}
