// An APIService for every group version the server serves itself (spec/apiserver.md §20), with upstream's priorities:
// they order groups in discovery and in what `kubectl get` takes a short name for.

import type { Handle } from '@homeostat/client';
import type { ServedResources } from '../../server/resource-table.ts';
import { ensureObject } from './ensure-object.ts';

/** Group priority and, where it is not 15, version priority. */
const priorities: Readonly<Record<string, readonly [group: number, version?: number]>> = {
  v1: [18_000, 1],
  'events.k8s.io/v1': [17_750],
  'apps/v1': [17_800],
  'authentication.k8s.io/v1': [17_700],
  'authorization.k8s.io/v1': [17_600],
  'autoscaling/v1': [17_500],
  'autoscaling/v2': [17_500, 30],
  'batch/v1': [17_400],
  'certificates.k8s.io/v1': [17_300],
  'networking.k8s.io/v1': [17_200],
  'policy/v1': [17_100],
  'rbac.authorization.k8s.io/v1': [17_000],
  'storage.k8s.io/v1': [16_800],
  'apiextensions.k8s.io/v1': [16_700],
  'admissionregistration.k8s.io/v1': [16_700],
  'scheduling.k8s.io/v1': [16_600],
  'coordination.k8s.io/v1': [16_500],
  'node.k8s.io/v1': [16_300],
  'discovery.k8s.io/v1': [16_200],
  'resource.k8s.io/v1': [16_200, 21],
  'flowcontrol.apiserver.k8s.io/v1': [16_100, 21],
};

export async function ensureApiServices(table: ServedResources, handle: Handle, signal: AbortSignal): Promise<void> {
  const served = new Map<string, { readonly group: string; readonly version: string }>();
  for (const { group, version } of table.list())
    served.set(group === '' ? version : `${group}/${version}`, { group, version });
  for (const [key, { group, version }] of served) {
    const priority = priorities[key];
    if (priority === undefined) continue;
    const [groupPriorityMinimum, versionPriority = 15] = priority;
    await ensureObject(handle, signal, {
      path: '/apis/apiregistration.k8s.io/v1/apiservices',
      object: {
        kind: 'APIService',
        apiVersion: 'apiregistration.k8s.io/v1',
        metadata: { name: `${version}.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
        spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority },
      },
    });
  }
}
