// The scale subresource (spec/apiserver.md §12.3): a Scale is a view of its parent, and writing it writes the parent's
// replicas through the parent's own rules.

import { tableFor, type UpdateStrategy } from '@homeostat/api';
import type { ApiResponse } from '@homeostat/client';
import {
  type KubeObject,
  managerOrUserAgent,
  type Mutable,
  newBadRequest,
  newNotFound,
  type OwnershipRequest,
} from '@homeostat/machinery';
import type { UpdateOutcome } from '../registry/guaranteed-update.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import { updateObject } from '../registry/update.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { applyMechanism } from './apply-mechanism.ts';
import { checkNamespace } from './create-endpoint.ts';
import { decodeBody } from './decode-body.ts';
import { type EndpointRequest, writeContext } from './endpoint-request.ts';
import { waitForCurrent } from './list-objects.ts';
import { negotiateOutput, type Output, respondShown } from './output.ts';
import { ownershipRequest, trackOwnership } from './ownership.ts';
import { patchBytes, typeOf } from './patch-endpoint.ts';
import {
  customApply,
  customScaleTable,
  refuseCustomScale,
  type Scale,
  scaleApiVersion,
  scaleKind,
  scaleSchema,
  scaleViewOf,
} from './scale-view.ts';
import { patchMechanism } from './patch-mechanism.ts';
import { patchTypes } from './patch-types.ts';
import { checkName } from './update-endpoint.ts';
import { decodeWriteOptions, type WriteOptions } from './write-options.ts';

export async function getScale(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const output = negotiateOutput(request);
  await waitForCurrent(resource, request.context.signal);
  const version = resource.cache.get(request.namespace, request.name);
  if (version === undefined) throw newNotFound(resource.groupResource, request.name);
  return respondScale(request, version, output);
}

export async function updateScale(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const { context } = request;
  const output = negotiateOutput(request);
  const options = decodeWriteOptions(context.query, 'UpdateOptions');
  const body = await decodeBody(context.request.body, {
    contentType: context.request.headers['content-type'] ?? '',
    expected: scaleKind,
    schema: scaleSchema(),
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
    ...(request.entry.custom === undefined ? {} : { refuseKind: refuseCustomScale }),
  });
  checkName(request, body);
  checkNamespace(request, body);
  const owner = scaleOwner(request, options);
  const uid = body.metadata?.uid ?? '';
  const outcome = await writeScale(request, resource, options, uid, (live) => {
    const draft = structuredClone(body);
    trackOwnership(owner, live, draft);
    return draft;
  });
  return respondScale(request, outcome.version, output);
}

export async function patchScale(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const { context } = request;
  const output = negotiateOutput(request);
  const type = typeOf(request);
  const bytes = await patchBytes(request);
  const options = decodeWriteOptions(context.query, 'PatchOptions', type === patchTypes.apply ? 'apply' : 'other');
  const target = {
    kind: scaleKind,
    schema: scaleSchema(),
    resource: resource.groupResource,
    name: request.name,
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
    owner: scaleOwner(request, options),
    applyDefaults: () => {},
  };
  const merged = type === patchTypes.apply ? await applyMechanism(bytes, options.force, target) : undefined;
  const mechanism =
    merged === undefined
      ? patchMechanism(bytes, type as Exclude<typeof type, 'application/apply-patch+yaml'>, target)
      : request.entry.custom === undefined
        ? merged
        : customApply(merged, request.name);
  const outcome = await writeScale(request, resource, options, '', (live) => {
    const draft = mechanism.apply(live);
    checkName(request, draft as KubeObject);
    return draft;
  });
  return respondScale(request, outcome.version, output);
}

function writeScale(
  request: EndpointRequest,
  resource: StoredResource,
  options: WriteOptions,
  uid: string,
  wanted: (live: KubeObject) => Mutable<KubeObject>,
): Promise<UpdateOutcome> {
  const { entry, services, name, namespace } = request;
  const { admission } = services;
  const shared = { operation: 'UPDATE', options: options.object, dryRun: options.dryRun, kind: scaleKind } as const;
  const view = scaleViewOf(request);
  return updateObject(resource, {
    namespace,
    name,
    context: writeContext(request, options.dryRun),
    strategy: entry.strategy as UpdateStrategy,
    subresource: 'scale',
    ...(uid === '' ? {} : { preconditions: { uid } }),
    wanted: async (existing) => {
      if (existing === undefined) throw newNotFound(resource.groupResource, name);
      const parent = entry.version.object(existing);
      const live = view.live(parent);
      const draft = wanted(live);
      if (admission.mutates('UPDATE'))
        await admission.admit(admissionAttributes(request, { ...shared, object: draft, oldObject: live }));
      return entry.version.toStorage(view.write(parent, draft as Scale));
    },
    validateCreate: () => {
      throw newBadRequest('a scale creates nothing');
    },
    validateUpdate: async (object, old) => {
      if (!admission.validates('UPDATE')) return;
      const seen = view.live(entry.version.fromStorage(object)) as Mutable<KubeObject>;
      await admission.validate(
        admissionAttributes(request, {
          ...shared,
          object: seen,
          oldObject: view.live(entry.version.fromStorage(old)),
        }),
      );
    },
  });
}

function respondScale(request: EndpointRequest, version: ObjectVersion, output: Output): ApiResponse {
  const scale = scaleViewOf(request).show(request.entry.version.object(version));
  const table = request.entry.custom === undefined ? tableFor(scaleKind) : customScaleTable();
  return respondShown(request, 200, scale, output, table);
}

function scaleOwner(request: EndpointRequest, options: WriteOptions): OwnershipRequest {
  const manager = managerOrUserAgent(options.fieldManager, request.context.request.headers['user-agent']);
  const { canonical: _parents, ...owner } = ownershipRequest(request, manager, {});
  return {
    ...owner,
    apiVersion: scaleApiVersion,
    schemaFor: (apiVersion) => (apiVersion === scaleApiVersion ? scaleSchema() : undefined),
    convert: (object) => object,
  };
}
