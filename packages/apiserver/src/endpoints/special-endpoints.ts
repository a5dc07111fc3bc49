// Endpoints that are not the generic read and write of a stored kind: reviews and tokens that store nothing, scale,
// binding, eviction, finalize, logs. Found by resource and subresource; everything else is generic.

import type { ApiResponse } from '@homeostat/client';
import type { PodLogs } from '../server/api-server-options.ts';
import type { ServedResources } from '../server/resource-table.ts';
import type { ServerHost } from '../server/server-host.ts';
import type { VirtualResource } from '../server/virtual-resource.ts';
import type { DispatchTable, SpecialEndpoint } from './dispatch.ts';
import type { EndpointRequest, EndpointServices, ServedResourceEntry } from './endpoint-request.ts';
import { handleVirtualCreate } from './virtual-endpoint.ts';

export interface SpecialEndpointOptions {
  readonly host: ServerHost;
  readonly table: ServedResources;
  readonly services: EndpointServices;
  readonly virtualResources: readonly VirtualResource[];
  readonly podLogs: PodLogs | undefined;
}

export function createSpecialEndpoints(options: SpecialEndpointOptions): DispatchTable['special'] {
  const virtual = new Map<string, VirtualResource>();
  for (const resource of options.virtualResources) {
    virtual.set(`${resource.resource}.${resource.group}/${resource.subresource ?? ''}`, resource);
  }
  return (entry: ServedResourceEntry, subresource: string, verb: string): SpecialEndpoint | undefined => {
    const key = `${entry.info.resource}.${entry.info.group}/${subresource}`;
    const resource = virtual.get(key);
    if (resource !== undefined && verb === 'create') {
      return (request: EndpointRequest): Promise<ApiResponse> => handleVirtualCreate(request, resource);
    }
    return undefined;
  };
}
