// POST of a kind that stores nothing: decode, admit, answer (reviews, `serviceaccounts/token`).

import { schemaOf } from '@homeostat/api';
import type { ApiResponse } from '@homeostat/client';
import { applySchemaDefaults, canonicalize } from '@homeostat/machinery';
import type { VirtualResource } from '../server/virtual-resource.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { checkNamespace } from './create-endpoint.ts';
import { decodeBody } from './decode-body.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { negotiateOutput, respondValue } from './output.ts';
import { ownershipRequest, trackOwnership } from './ownership.ts';
import { decodeWriteOptions, managerOf } from './write-options.ts';

export async function handleVirtualCreate(request: EndpointRequest, resource: VirtualResource): Promise<ApiResponse> {
  const { context, entry, services, subresource } = request;
  const output = negotiateOutput(request, { table: false });
  const options = decodeWriteOptions(context.query, 'CreateOptions');
  const expected = subresource?.kind ?? entry.info;
  const schema = schemaOf(expected);
  if (schema === undefined) throw new Error(`no schema for ${expected.kind}`);
  const draft = await decodeBody(context.request.body, {
    contentType: context.request.headers['content-type'] ?? '',
    expected,
    schema,
    fieldValidation: options.fieldValidation,
    warnings: context.warnings,
  });
  applySchemaDefaults(draft, schema);
  resource.applyDefaults?.(draft);
  checkNamespace(request, draft);
  const manager = managerOf(options.fieldManager, context.request.headers['user-agent'] ?? '');
  const owner = ownershipRequest(request, manager, {});
  trackOwnership({ ...owner, apiVersion: draft.apiVersion ?? '', schemaFor: () => schema }, undefined, draft);
  const attributes = admissionAttributes(request, { operation: 'CREATE', object: draft, options: options.object, dryRun: options.dryRun });
  await services.admission.admit(attributes);
  await services.admission.validate(attributes);
  const answered = await resource.create({
    object: draft,
    namespace: request.namespace,
    name: request.name,
    context,
    dryRun: options.dryRun,
  });
  const value = canonicalize(answered, schema);
  return respondValue(context, 201, value, output);
}
