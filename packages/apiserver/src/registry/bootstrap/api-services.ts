// An APIService for every group version of the built-in kinds (spec/apiserver.md §20), with upstream's priorities: they
// order groups in discovery and in what `kubectl get` takes a short name for. Those of custom resources are kept by
// `discovery/api-service-task.ts`.

import type { Handle } from '@homeostat/client';
import { isBuiltinGroup, servicePriority } from '../../discovery/group-order.ts';
import type { ServedResources } from '../../server/resource-table.ts';
import { ensureObject } from './ensure-object.ts';

/** Its own group is not registered: it is what registers. */
const registrationGroup = 'apiregistration.k8s.io';

export async function ensureApiServices(table: ServedResources, handle: Handle, signal: AbortSignal): Promise<void> {
  const served = new Map(table.list().map(({ group, version }) => [`${version}.${group}`, { group, version }]));
  for (const [name, { group, version }] of served) {
    if (!isBuiltinGroup(group) || group === registrationGroup) continue;
    await ensureObject(handle, signal, {
      path: `/apis/${registrationGroup}/v1/apiservices`,
      object: {
        kind: 'APIService',
        apiVersion: `${registrationGroup}/v1`,
        metadata: { name, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
        spec: { ...(group === '' ? {} : { group }), version, ...servicePriority(group, version) },
      },
    });
  }
}
