// Labels and identities of EndpointSlices that both of their controllers use (spec/infrastructure.md §10.5, §11.3).

import type { EndpointPort, EndpointSlice } from '@homeostat/api/types/discovery-v1';
import type { IndexDefinition } from '@homeostat/runtime';

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
