// Endpoints that are not the generic read and write of a stored kind: reviews and tokens that store nothing, scale,
// binding, eviction, logs, and kinds with a deletion of their own. Found by resource and subresource; the rest is generic.

import { type GroupResource, newNotFound } from '@homeostat/machinery';
import { deleteDefinition } from '../registry/kinds/delete-definition.ts';
import { deleteJob } from '../registry/kinds/delete-job.ts';
import { deleteNamespace } from '../registry/kinds/delete-namespace.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { PodLogs } from '../server/api-server-options.ts';
import type { ServedResources } from '../server/resource-table.ts';
import type { ServerHost } from '../server/server-host.ts';
import type { VirtualResource } from '../server/virtual-resource.ts';
import { handleBinding } from './binding-endpoint.ts';
import { connecting, refuseConnection } from './connect-endpoint.ts';
import { type DeleteKind, handleDelete, handleDeleteCollection } from './delete-endpoint.ts';
import type { DispatchTable, SpecialEndpoint } from './serve-endpoint.ts';
import type { EndpointServices, ServedResourceEntry } from './endpoint-request.ts';
import { handleEviction } from './eviction-endpoint.ts';
import { handleLog } from './log-endpoint.ts';
import { getScale, patchScale, updateScale } from './scale-endpoint.ts';
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
  const stored = (resource: GroupResource): StoredResource => {
    const found = options.table.stored(resource);
    if (found === undefined) throw new Error(`${resource.resource} is not stored`);
    return found;
  };
  const pods = (): StoredResource => stored({ group: '', resource: 'pods' });
  const fixed: Readonly<Record<string, SpecialEndpoint>> = {
    'pods./binding create': (request) => handleBinding(request, pods()),
    'bindings./ create': (request) => handleBinding(request, pods()),
    'pods./eviction create': (request) =>
      handleEviction(request, {
        pods: pods(),
        budgets: stored({ group: 'policy', resource: 'poddisruptionbudgets' }),
        handle: options.host.handle,
      }),
    // Components are not asked for their health; the list is empty and nothing has a name.
    'componentstatuses./ get': (request) => {
      throw newNotFound({ group: '', resource: 'componentstatus' }, request.name);
    },
    'pods./log get': (request) => handleLog(request, pods(), options.podLogs),
    ...deletions('namespaces.', deleteNamespace),
    ...deletions('jobs.batch', deleteJob),
    ...deletions('customresourcedefinitions.apiextensions.k8s.io', deleteDefinition),
  };
  return (entry, subresource, verb) => {
    const resource = `${entry.info.resource}.${entry.info.group}`;
    const review = verb === 'create' ? virtual.get(`${resource}/${subresource}`) : undefined;
    if (review !== undefined) return (request) => handleVirtualCreate(request, review);
    if (subresource === 'scale' && entry.stored !== undefined) return scale(entry.stored, verb);
    if (connecting.has(subresource)) return (request) => refuseConnection(request, pods());
    return fixed[`${resource}/${subresource} ${verb}`];
  };
}

function deletions(resource: string, deleteKind: DeleteKind): Readonly<Record<string, SpecialEndpoint>> {
  return {
    [`${resource}/ delete`]: (request) => handleDelete(request, storedOf(request.entry), deleteKind),
    [`${resource}/ deletecollection`]: (request) =>
      handleDeleteCollection(request, storedOf(request.entry), deleteKind),
  };
}

function storedOf(entry: ServedResourceEntry): StoredResource {
  if (entry.stored === undefined) throw new Error(`${entry.info.resource} is not stored`);
  return entry.stored;
}

function scale(resource: StoredResource, verb: string): SpecialEndpoint | undefined {
  switch (verb) {
    case 'get':
      return (request) => getScale(request, resource);
    case 'update':
      return (request) => updateScale(request, resource);
    case 'patch':
      return (request) => patchScale(request, resource);
    default:
      return undefined;
  }
}
