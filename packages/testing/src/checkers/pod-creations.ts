// A ReplicaSet never has more active pods than it was ever asked for, at no revision (case B2: creates that the cache does not show yet
// must not be made again). Looked at over a whole history, not at rest.

import type { ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodActive } from '@homeostat/api';
import { controllerOf } from '@homeostat/runtime';
import type { HistoryEntry } from '../history.ts';
import { resourceOfKey } from '../store-state.ts';

/** Revisions at which a pod was created for a set that had enough. Pods that were adopted are not held against it. */
export function checkPodCreations(history: readonly HistoryEntry[]): readonly string[] {
  const most = new Map<string, number>();
  const active = new Map<string, Map<string, true>>();
  const problems: string[] = [];
  for (const { revision, type, key, value } of history) {
    const resource = resourceOfKey(key);
    if (resource === 'replicasets.apps' && type === 'put') {
      const set = JSON.parse(value) as ReplicaSet;
      const uid = set.metadata?.uid ?? '';
      most.set(uid, Math.max(most.get(uid) ?? 0, set.spec?.replicas ?? 1));
    }
    if (resource !== 'pods.') continue;
    const pod = type === 'put' ? (JSON.parse(value) as Pod) : undefined;
    for (const keys of active.values()) if (pod === undefined || !isPodActive(pod)) keys.delete(key);
    if (pod === undefined || !isPodActive(pod)) continue;
    const owner = controllerOf(pod)?.uid;
    if (owner === undefined || !most.has(owner)) continue;
    const keys = active.get(owner) ?? new Map<string, true>();
    active.set(owner, keys);
    if (keys.has(key)) continue;
    keys.set(key, true);
    if (keys.size > (most.get(owner) ?? 0))
      problems.push(`revision ${revision}: ${key} is pod ${keys.size} of a ReplicaSet of at most ${most.get(owner)}`);
  }
  return problems;
}
