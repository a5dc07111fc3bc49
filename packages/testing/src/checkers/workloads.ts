// Deployments, ReplicaSets and pods agree with one another (spec/workloads.md §2, §4).

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodActive, isPodReady } from '@homeostat/api';
import { deployments, pods, replicaSets } from '@homeostat/client/resources';
import { labelSelectorAsSelector } from '@homeostat/machinery';
import { controllerOf } from '@homeostat/runtime';
import type { StoreState } from '../store-state.ts';
import { nameOf } from './checker.ts';

/** Sets with too few or too many pods, pods a set should have let go, and statuses that say something else than the pods. */
export function checkReplicaSets(state: StoreState): readonly string[] {
  const podsByOwner = byController(state.list(pods));
  return state.list(replicaSets).flatMap((set) => {
    if (set.metadata?.deletionTimestamp !== undefined) return [];
    const failing = set.status?.conditions?.some((condition) => condition.type === 'ReplicaFailure') === true;
    const owned = podsByOwner.get(set.metadata?.uid ?? '') ?? [];
    const active = owned.filter(isPodActive);
    const selector = labelSelectorAsSelector(set.spec?.selector ?? {});
    const wanted = set.spec?.replicas ?? 1;
    const problems: string[] = [];
    const check = (what: string, found: number, expected: number): void => {
      if (found !== expected) problems.push(`ReplicaSet ${nameOf(set)}: ${what} is ${found}, wanted ${expected}`);
    };
    if (!failing) check('number of active pods', active.length, wanted);
    check('status.replicas', set.status?.replicas ?? 0, active.length);
    check('status.readyReplicas', set.status?.readyReplicas ?? 0, active.filter(isPodReady).length);
    check('status.observedGeneration', set.status?.observedGeneration ?? 0, set.metadata?.generation ?? 0);
    for (const pod of active) {
      if (!selector.matches(pod.metadata?.labels ?? {}))
        problems.push(`Pod ${nameOf(pod)} is still owned by ReplicaSet ${nameOf(set)}, which does not select it`);
    }
    return problems;
  });
}

/** Deployments that are not done though all their pods are well, and statuses that say something else than their sets. */
export function checkDeployments(state: StoreState): readonly string[] {
  const setsByOwner = byController(state.list(replicaSets));
  return state.list(deployments).flatMap((deployment) => {
    if (deployment.metadata?.deletionTimestamp !== undefined) return [];
    const sets = setsByOwner.get(deployment.metadata?.uid ?? '') ?? [];
    return [...statusProblems(deployment, sets), ...rolloutProblems(deployment, sets)];
  });
}

function statusProblems(deployment: Deployment, sets: readonly ReplicaSet[]): readonly string[] {
  const sum = (field: 'replicas' | 'readyReplicas' | 'availableReplicas'): number =>
    sets.reduce((total, set) => total + (set.status?.[field] ?? 0), 0);
  const problems: string[] = [];
  for (const field of ['replicas', 'readyReplicas', 'availableReplicas'] as const) {
    const found = deployment.status?.[field] ?? 0;
    if (found !== sum(field))
      problems.push(
        `Deployment ${nameOf(deployment)}: status.${field} is ${found}, its ReplicaSets have ${sum(field)}`,
      );
  }
  if ((deployment.status?.observedGeneration ?? 0) !== (deployment.metadata?.generation ?? 0))
    problems.push(`Deployment ${nameOf(deployment)}: its generation was never observed`);
  return problems;
}

// Only where every pod got ready: a rollout that waits for a sick pod is at rest too.
function rolloutProblems(deployment: Deployment, sets: readonly ReplicaSet[]): readonly string[] {
  if (deployment.spec?.paused === true) return [];
  if (sets.some((set) => (set.status?.readyReplicas ?? 0) !== (set.spec?.replicas ?? 1))) return [];
  const wanted = deployment.spec?.replicas ?? 1;
  const problems: string[] = [];
  const active = sets.filter((set) => (set.spec?.replicas ?? 1) > 0);
  if (wanted > 0 && active.length !== 1)
    problems.push(`Deployment ${nameOf(deployment)} has ${active.length} active ReplicaSets, wanted one`);
  const total = active.reduce((count, set) => count + (set.spec?.replicas ?? 1), 0);
  if (total !== wanted) problems.push(`Deployment ${nameOf(deployment)} asks for ${total} pods, wanted ${wanted}`);
  if ((deployment.status?.updatedReplicas ?? 0) !== wanted)
    problems.push(
      `Deployment ${nameOf(deployment)}: status.updatedReplicas is ${deployment.status?.updatedReplicas ?? 0}, wanted ${wanted}`,
    );
  return problems;
}

function byController<T extends Pod | ReplicaSet>(objects: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const object of objects) {
    const uid = controllerOf(object)?.uid;
    if (uid === undefined) continue;
    const list = found.get(uid);
    if (list === undefined) found.set(uid, [object]);
    else list.push(object);
  }
  return found;
}
