// What the ReplicaSet controller looks at: the set, every pod it might own, and the pods of the rollout it is part of.

import type { ObjectKey } from '@homeostat/client';
import { replicaSets } from '@homeostat/client/resources';
import type { Caches } from '@homeostat/runtime';
import { labelSelectorMatcher } from '../shared/label-match.ts';
import { candidatesOf, relatedPerNode } from '../shared/replicas/observe-replicas.ts';
import type { ObservedReplicas, ReplicaKind } from '../shared/replicas/replica-owner.ts';

const kind: ReplicaKind = { resource: replicaSets, apiVersion: 'apps/v1', countsTerminating: true };

export function observe(key: ObjectKey, caches: Caches): ObservedReplicas | undefined {
  const owner = caches.lister(replicaSets).getByKey(key);
  if (owner === undefined) return undefined;
  const candidates = candidatesOf(owner, caches);
  return {
    kind,
    owner,
    matches: labelSelectorMatcher(owner.spec?.selector),
    candidates,
    relatedPerNode: relatedPerNode(owner, candidates, replicaSets, caches),
  };
}
