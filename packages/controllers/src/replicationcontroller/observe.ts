// What the ReplicationController controller looks at: the owner and every pod it might own. Its selector is a plain map.

import type { ReplicationController } from '@homeostat/api/types/core-v1';
import type { ObjectKey } from '@homeostat/client';
import { replicationControllers } from '@homeostat/client/resources';
import type { Caches, LabelMatch } from '@homeostat/runtime';
import { candidatesOf, relatedPerNode } from '../shared/replicas/observe-replicas.ts';
import type { ObservedReplicas, ReplicaKind, ReplicaOwner } from '../shared/replicas/replica-owner.ts';

const kind: ReplicaKind = { resource: replicationControllers, apiVersion: 'v1', countsTerminating: false };

export function observe(key: ObjectKey, caches: Caches): ObservedReplicas | undefined {
  const owner = caches.lister(replicationControllers).getByKey(key);
  if (owner === undefined) return undefined;
  const candidates = candidatesOf(owner as ReplicaOwner, caches);
  return {
    kind,
    owner: owner as ReplicaOwner,
    matches: selectorOf(owner),
    candidates,
    relatedPerNode: relatedPerNode(owner as ReplicaOwner, candidates, replicationControllers, caches),
  };
}

/** The matcher of a ReplicationController; undefined when it selects nothing. */
export function selectorOf(owner: ReplicationController): LabelMatch | undefined {
  const wanted = Object.entries(owner.spec?.selector ?? {});
  return wanted.length === 0 ? undefined : (labels) => wanted.every(([key, value]) => labels[key] === value);
}
