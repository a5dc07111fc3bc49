// A ReplicaSet never has more active pods than it was ever asked for, at no revision (case B2: creates that the cache does not show yet
// must not be made again). Looked at over a whole history, not at rest.

import type { ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodActive } from '@homeostat/api';
import { controllerOf } from '@homeostat/runtime';
import type { HistoryEntry } from '../history.ts';
import { resourceOfKey } from '../store-state.ts';

/** Revisions at which a set got a pod though it had enough. Histories in which orphans are adopted are not meant. */
export function checkPodCreations(history: readonly HistoryEntry[]): readonly string[] {
  const most = new Map<string, number>();
  const ownerOf = new Map<string, string>();
  const counts = new Map<string, number>();
  const problems: string[] = [];
  const move = (key: string, owner: string | undefined): void => {
    const before = ownerOf.get(key);
    if (before !== undefined) counts.set(before, (counts.get(before) ?? 0) - 1);
    if (owner === undefined) ownerOf.delete(key);
    else {
      ownerOf.set(key, owner);
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
  };
  for (const { revision, type, key, value } of history) {
    const resource = resourceOfKey(key);
    if (resource === 'replicasets.apps' && type === 'put') {
      const set = JSON.parse(value) as ReplicaSet;
      const uid = set.metadata?.uid ?? '';
      most.set(uid, Math.max(most.get(uid) ?? 0, set.spec?.replicas ?? 1));
    }
    if (resource !== 'pods.') continue;
    const pod = type === 'put' ? (JSON.parse(value) as Pod) : undefined;
    const owner = pod !== undefined && isPodActive(pod) ? controllerOf(pod)?.uid : undefined;
    if (owner === ownerOf.get(key)) continue;
    move(key, owner);
    const count = owner === undefined ? 0 : (counts.get(owner) ?? 0);
    const enough = owner === undefined ? undefined : most.get(owner);
    if (enough !== undefined && count > enough)
      problems.push(`revision ${revision}: ${key} is pod ${count} of a ReplicaSet of at most ${enough}`);
  }
  return problems;
}
