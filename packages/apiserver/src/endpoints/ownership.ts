// Field ownership of an endpoint (spec/apiserver.md §7.6–7.8): connects the request to the pure functions of machinery.

import type { UpdateStrategy } from '@homeostat/api';
import { convertObject, findResource } from '@homeostat/api';
import {
  canonicalize,
  excludeFields,
  type FieldFilter,
  formatTime,
  type KubeObject,
  type Mutable,
  type OwnershipRequest,
  parseApiVersion,
  trackUpdate,
} from '@homeostat/machinery';
import type { CustomKind } from '../crd/custom-kind.ts';
import type { EndpointRequest } from './endpoint-request.ts';

/** An ownership request that knows the form objects are compared in. */
export interface EndpointOwner extends OwnershipRequest {
  /** Absent: as the type of the endpoint's version writes them. */
  readonly canonical?: (draft: Mutable<KubeObject>) => KubeObject;
}

export function ownershipRequest(request: EndpointRequest, manager: string, strategy: UpdateStrategy): EndpointOwner {
  const { entry, services, subresource } = request;
  const { info, custom } = entry;
  const filter = filterOf(strategy);
  if (custom !== undefined) return customOwner(request, custom, manager, filter);
  return {
    manager,
    apiVersion: entry.version.apiVersion,
    ...(subresource === undefined ? {} : { subresource: subresource.name }),
    time: formatTime(services.env.clock.nowMs()),
    schemaFor: (apiVersion) => {
      if (apiVersion === entry.version.apiVersion) return info.schema;
      const gv = parseApiVersion(apiVersion);
      // As in Go: what was owned through another group's version (events.k8s.io and core) is forgotten.
      if (gv.group !== info.group) return undefined;
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

/** Versions of a custom resource differ in their schemas; nothing that a schema leaves out counts as set. */
function customOwner(
  { entry, services, subresource }: EndpointRequest,
  custom: CustomKind,
  manager: string,
  filter: FieldFilter | undefined,
): EndpointOwner {
  return {
    manager,
    apiVersion: entry.version.apiVersion,
    ...(subresource === undefined ? {} : { subresource: subresource.name }),
    time: formatTime(services.env.clock.nowMs()),
    schemaFor: (apiVersion) => custom.types.get(apiVersion),
    convert: (object, apiVersion) => custom.schemas.get(apiVersion)?.convertWhole(object) ?? object,
    canonical: (draft) => draft as KubeObject,
    ...(filter === undefined ? {} : { resetFields: () => filter }),
  };
}

function filterOf(strategy: UpdateStrategy): FieldFilter | undefined {
  const reset = strategy.resetFields ?? [];
  if (reset.length === 0) return undefined;
  // Both spellings occur: `f:status` as in managedFields, and the bare name.
  return excludeFields(...reset.map((path) => path.map((name) => name.replace(/^f:/, '')).join('.')));
}

/** Records the ownership of a create, PUT or patch in the draft. Both objects are in the endpoint's version. */
export function trackOwnership(owner: EndpointOwner, live: KubeObject | undefined, draft: Mutable<KubeObject>): void {
  const object = owner.canonical?.(draft) ?? typedForm(owner, draft);
  const managedFields = trackUpdate({ ...owner, live, object: withSentFields(object, draft) });
  const metadata = draft.metadata ?? {};
  draft.metadata = metadata;
  if (managedFields === undefined || managedFields.length === 0) delete metadata.managedFields;
  else metadata.managedFields = managedFields as never;
}

/** An empty list that Go's JSON leaves out is owned by nobody. */
function typedForm(owner: OwnershipRequest, draft: Mutable<KubeObject>): KubeObject {
  const schema = owner.schemaFor(owner.apiVersion);
  return (schema === undefined ? draft : canonicalize(draft, schema)) as KubeObject;
}

/** An empty list of managedFields is a request to forget them: it must not get lost among empty lists. */
function withSentFields(object: KubeObject, draft: Mutable<KubeObject>): KubeObject {
  const sent = draft.metadata?.managedFields;
  if (sent === undefined || sent === null || sent.length > 1) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: sent as never } };
}
