// Defaults of a Pod's status: the single address and the list of addresses agree; amounts are rounded.

import type { Mutable } from '@homeostat/machinery';
import type { PodStatus } from '@homeostat/api/types/core-v1';
import { defaultResourceList, defaultResources } from '../../rules/resource-lists.ts';

export function defaultPodStatus(status: Mutable<PodStatus> | undefined): void {
  if (status === undefined) return;
  // An old kubelet writes only `podIP`; it wins where the two differ.
  const ip = status.podIP ?? '';
  if (ip !== '' && status.podIPs?.[0]?.ip !== ip) status.podIPs = [{ ip }];
  const first = status.podIPs?.[0]?.ip;
  if (first !== undefined) status.podIP = first;
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const) {
    for (const container of status[list] ?? []) {
      defaultResourceList(container.allocatedResources);
      defaultResources(container.resources);
    }
  }
  defaultResourceList(status.allocatedResources);
  defaultResources(status.resources);
}
