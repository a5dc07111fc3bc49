// Objects that every API server makes at its start, if they are missing (spec/apiserver.md §20).

import type { KubeObject } from '@homeostat/machinery';

export interface DefaultObject {
  /** Collection path, e.g. `/api/v1/namespaces`. */
  readonly path: string;
  readonly object: KubeObject;
}

const namespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

const priorityClasses = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

export const defaultObjects: readonly DefaultObject[] = [
  ...namespaces.map((name) => ({
    path: '/api/v1/namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  })),
  ...priorityClasses.map(({ name, value, description }) => ({
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    object: {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
    } as KubeObject,
  })),
];
