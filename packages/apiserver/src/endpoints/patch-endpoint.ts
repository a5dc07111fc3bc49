// PATCH: reads the patch, then runs it as often as it takes to win the write (spec/apiserver.md §7.1). What a patch does
// to an object is in `patch-mechanism.ts`; server-side apply has its own mechanism (`apply-mechanism.ts`).

import type { ApiResponse } from '@homeostat/client';
import { type KubeObject, type Mutable, newBadRequest, newConflict, managerOrUserAgent } from '@homeostat/machinery';
import type { StoredResource } from '../registry/stored-resource.ts';
import { applyMechanism } from './apply-mechanism.ts';
import { checkNamespace } from './create-endpoint.ts';
import { checkName, updateStrategyOf, updateWith } from './update-endpoint.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { negotiateOutput, respondObject } from './output.ts';
import { ownershipRequest } from './ownership.ts';
import { patchMechanism } from './patch-mechanism.ts';
import { patchTypeOf, patchTypes, type PatchType } from './patch-types.ts';
import { readBytes } from './request-body.ts';
import { decodeWriteOptions, type WriteOptions } from './write-options.ts';
import { encodeJson } from '@homeostat/machinery';

/** Turns the present object into the wanted one: a private draft in the endpoint's version, defaulted and owned. */
export interface PatchMechanism {
  /** Whether a missing object is made by this patch. */
  readonly creates: boolean;
  apply(live: KubeObject | undefined): Mutable<KubeObject>;
}

export async function handlePatch(request: EndpointRequest, resource: StoredResource): Promise<ApiResponse> {
  const { context } = request;
  const output = negotiateOutput(request);
  const type = typeOf(request);
  const bytes = await patchBytes(request);
  const options = decodeWriteOptions(context.query, 'PatchOptions', type === patchTypes.apply ? 'apply' : 'other');
  const mechanism = await createMechanism(request, type, bytes, options);
  const outcome = await patchWith(request, resource, options, mechanism);
  return respondObject(request, outcome.created ? 201 : 200, outcome.version, output);
}

export function typeOf(request: EndpointRequest): PatchType {
  const type = patchTypeOf(request.context.request.headers['content-type'] ?? '');
  if (type === undefined) throw newBadRequest('a patch needs a content type');
  return type;
}

export async function patchBytes(request: EndpointRequest): Promise<Uint8Array> {
  const { body } = request.context.request;
  // In process a patch is a value like any other body; it is small, so it takes the common road.
  return body?.kind === 'object' ? encodeJson(body.object) : readBytes(body);
}

async function createMechanism(
  request: EndpointRequest,
  type: PatchType,
  bytes: Uint8Array,
  options: WriteOptions,
): Promise<PatchMechanism> {
  const { context, entry } = request;
  const manager = managerOrUserAgent(options.fieldManager, context.request.headers['user-agent'] ?? '');
  const owner = ownershipRequest(request, manager, updateStrategyOf(request));
  const target = {
    kind: entry.info,
    schema: entry.info.schema,
    applyDefaults: (draft: Mutable<KubeObject>) => entry.version.applyDefaults(draft),
    resource: { group: entry.info.group, resource: entry.info.resource },
    name: request.name,
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
    owner,
    ...(entry.version.reader === undefined ? {} : { reader: entry.version.reader }),
  };
  return type === patchTypes.apply ? applyMechanism(bytes, options.force, target) : patchMechanism(bytes, type, target);
}

/** Runs a mechanism through the update pipeline of the endpoint. */
export function patchWith(
  request: EndpointRequest,
  resource: StoredResource,
  options: WriteOptions,
  mechanism: PatchMechanism,
): ReturnType<typeof updateWith> {
  const { entry } = request;
  return updateWith(request, resource, options, {
    // Subresources never create, whatever the patch.
    forceAllowCreate: mechanism.creates && request.subresource === undefined,
    wanted: (existing) => {
      const live = existing === undefined ? undefined : entry.version.object(existing);
      const draft = mechanism.apply(live);
      const uid = draft.metadata?.uid ?? '';
      if (live === undefined && uid !== '') {
        const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw newConflict(resource.groupResource, request.name, text);
      }
      checkNamespace(request, draft);
      checkName(request, draft as KubeObject);
      return draft;
    },
  });
}
