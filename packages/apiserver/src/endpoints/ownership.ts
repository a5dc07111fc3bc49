// Field ownership of an endpoint (spec/apiserver.md §7.6–7.8): connects the request to the pure functions of machinery.

import type { UpdateStrategy } from '@homeostat/api';
import { convertObject, findResource } from '@homeostat/api';
import {
  excludeFields,
  type FieldFilter,
  formatTime,
  includeFields,
  type KubeObject,
  type Mutable,
  type OwnershipRequest,
  parseApiVersion,
  trackUpdate,
} from '@homeostat/machinery';
import type { EndpointRequest } from './endpoint-request.ts';

/** Subresources that own what they write and nothing else, whatever their strategy resets. */
const included: Readonly<Record<string, readonly string[]>> = {
  ephemeralcontainers: ['spec.ephemeralContainers'],
  resize: ['spec.containers.*.resources', 'spec.initContainers.*.resources', 'spec.containers.*.resizePolicy', 'spec.resources'],
};

export function ownershipRequest(request: EndpointRequest, manager: string, strategy: UpdateStrategy): OwnershipRequest {
  const { entry, services, subresource } = request;
  const { info } = entry;
  const filter = filterOf(subresource?.name ?? '', strategy);
  return {
    manager,
    apiVersion: entry.version.apiVersion,
    ...(subresource === undefined ? {} : { subresource: subresource.name }),
    time: formatTime(services.env.clock.nowMs()),
    schemaFor: (apiVersion) => {
      if (apiVersion === entry.version.apiVersion) return info.schema;
      const gv = parseApiVersion(apiVersion);
      const other = findResource(gv.group, gv.version, info.resource);
      return other?.kind === info.kind ? other.schema : undefined;
    },
    convert: (object, apiVersion) => {
      const gv = parseApiVersion(apiVersion);
      const from = parseApiVersion(object.apiVersion ?? entry.version.apiVersion);
      return convertObject(object, { ...from, kind: info.kind }, { ...gv, kind: info.kind });
    },
    ...(filter === undefined ? {} : { resetFields: () => filter }),
  };
}

function filterOf(subresource: string, strategy: UpdateStrategy): FieldFilter | undefined {
  const only = included[subresource];
  if (only !== undefined) return includeFields(...only);
  const reset = strategy.resetFields ?? [];
  if (reset.length === 0) return undefined;
  // Both spellings occur: `f:status` as in managedFields, and the bare name.
  return excludeFields(...reset.map((path) => path.map((name) => name.replace(/^f:/, '')).join('.')));
}

/** Records the ownership of a create, PUT or patch in the draft. Both objects are in the endpoint's version. */
export function trackOwnership(
  owner: OwnershipRequest,
  live: KubeObject | undefined,
  draft: Mutable<KubeObject>,
): void {
  const managedFields = trackUpdate({ ...owner, live, object: draft as KubeObject });
  const metadata = draft.metadata ?? {};
  draft.metadata = metadata;
  if (managedFields === undefined || managedFields.length === 0) delete metadata.managedFields;
  else metadata.managedFields = managedFields as never;
}

