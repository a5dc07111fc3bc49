// Labels, identities and deletion of EndpointSlices, as both of their controllers use them (spec/infrastructure.md §10.5, §11.3).

import type { EndpointPort, EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { endpointSlices } from '@homeostat/client/resources';
import type { Action, Change, IndexDefinition } from '@homeostat/runtime';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';

/** Identity of a port set, whatever its order. */
export function portsKey(ports: readonly EndpointPort[]): string {
  const texts = ports.map((port) =>
    JSON.stringify([port.name ?? '', port.protocol ?? 'TCP', port.port ?? null, port.appProtocol ?? null]),
  );
  return texts.toSorted().join();
}

/** Index of the slices one manager keeps, by `namespace/service`. */
export function slicesManagedBy(manager: string): IndexDefinition<EndpointSlice> {
  return {
    name: `slices-of-${manager}`,
    valuesOf: ({ metadata }) => {
      const service = metadata?.labels?.[serviceNameLabel];
      const ours = metadata?.labels?.[managedByLabel] === manager;
      return service === undefined || !ours ? [] : [`${metadata?.namespace ?? ''}/${service}`];
    },
  };
}

/** The services that a changed slice belongs to, or did before. */
export function servicesOfChange(
  index: IndexDefinition<EndpointSlice>,
  change: Exclude<Change<EndpointSlice>, { readonly type: 'resync' }>,
): ReadonlySet<string> {
  const keys = new Set(index.valuesOf(change.object));
  if (change.type === 'updated') for (const key of index.valuesOf(change.old)) keys.add(key);
  return keys;
}

/** Deletes a slice that nobody needs, and no other of its name. */
export function deleteSlice(slice: EndpointSlice): Action {
  return {
    verb: 'delete',
    resource: endpointSlices,
    namespace: slice.metadata?.namespace ?? '',
    name: slice.metadata?.name ?? '',
    preconditions: { uid: slice.metadata?.uid ?? '' },
    tolerates: ['NotFound'],
    reason: 'SliceSuperfluous',
    facts: { endpoints: slice.endpoints?.length ?? 0 },
  };
}
