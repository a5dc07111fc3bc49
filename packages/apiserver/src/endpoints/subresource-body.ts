// Reads the body of a named create whose kind is not the resource's own: Binding, Eviction, TokenRequest, reviews. What
// admission sees of it is the same for all.

import { schemaOf } from '@homeostat/api';
import {
  applySchemaDefaults,
  type GroupVersionKind,
  type KubeObject,
  managerOrUserAgent,
  type Mutable,
  type StructSchema,
} from '@homeostat/machinery';
import { admissionAttributes } from './admission-attributes.ts';
import { checkNamespace } from './create-endpoint.ts';
import { decodeBody } from './decode-body.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { ownershipRequest, trackOwnership } from './ownership.ts';
import { decodeWriteOptions, type WriteOptions } from './write-options.ts';

export interface SubresourceBody {
  readonly draft: Mutable<KubeObject>;
  readonly options: WriteOptions;
  readonly schema: StructSchema;
  readonly kind: GroupVersionKind;
}

/** Decoded, defaulted (by the schema, then by `applyDefaults`), owned and admitted (mutating pass). @throws ApiError */
export async function readSubresourceBody(
  request: EndpointRequest,
  applyDefaults?: (draft: Mutable<KubeObject>) => void,
): Promise<SubresourceBody> {
  const { context, entry, services, subresource } = request;
  const options = decodeWriteOptions(context.query, 'CreateOptions');
  const kind = subresource?.kind ?? entry.info;
  const schema = schemaOf(kind);
  if (schema === undefined) throw new Error(`no schema for ${kind.kind}`);
  const draft = await decodeBody(context.request.body, {
    contentType: context.request.headers['content-type'] ?? '',
    expected: kind,
    schema,
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
  });
  applySchemaDefaults(draft, schema);
  applyDefaults?.(draft);
  checkNamespace(request, draft);
  const manager = managerOrUserAgent(options.fieldManager, context.request.headers['user-agent']);
  const owner = ownershipRequest(request, manager, {});
  if (draft.metadata !== undefined) {
    delete draft.metadata.managedFields;
    // Named creates may carry a uid as a precondition; elsewhere it is the server's to give.
    if (request.name === '') delete draft.metadata.uid;
  }
  trackOwnership({ ...owner, apiVersion: draft.apiVersion ?? '', schemaFor: () => schema }, undefined, draft);
  await services.admission.admit(createAttributes(request, draft, options));
  return { draft, options, schema, kind };
}

/** The validating pass, at the point where the handler would act. */
export async function validateSubresourceBody(request: EndpointRequest, body: SubresourceBody): Promise<void> {
  await request.services.admission.validate(createAttributes(request, body.draft, body.options));
}

function createAttributes(
  request: EndpointRequest,
  draft: Mutable<KubeObject>,
  options: WriteOptions,
): ReturnType<typeof admissionAttributes> {
  return admissionAttributes(request, {
    operation: 'CREATE',
    object: draft,
    options: options.object,
    dryRun: options.dryRun,
  });
}

/** What creates that only do something answer. */
export const createdStatus: KubeObject = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
} as KubeObject;
