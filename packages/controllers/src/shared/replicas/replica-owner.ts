// What ReplicaSets and ReplicationControllers have in common: a number of pods of one template.

import type { Pod, PodTemplateSpec } from '@homeostat/api/types/core-v1';
import type { ReplicaSetStatus } from '@homeostat/api/types/apps-v1';
import type { ResourceType } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import type { LabelMatch } from '@homeostat/runtime';

export interface ReplicaOwner extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  /** ReplicationControllers have the same fields but `terminatingReplicas`. */
  readonly status?: ReplicaSetStatus;
}

/** What differs between the two kinds. */
export interface ReplicaKind {
  readonly resource: ResourceType;
  readonly apiVersion: string;
  /** Whether the status counts pods that are being terminated. */
  readonly countsTerminating: boolean;
}

/** An owner as it is observed. */
export interface ObservedReplicas {
  readonly kind: ReplicaKind;
  readonly owner: ReplicaOwner;
  /** The owner's selector; undefined when it is invalid or selects nothing. */
  readonly matches: LabelMatch | undefined;
  /** Pods it owns by uid, and orphans of the namespace. */
  readonly candidates: readonly Pod[];
  /** When it may have to shrink: active pods by node, over all owners of its kind with the same controller. */
  readonly relatedPerNode: ReadonlyMap<string, number>;
}
