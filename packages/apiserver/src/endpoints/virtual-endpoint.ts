// POST of a kind that stores nothing: decode, admit, answer (reviews, `serviceaccounts/token`).

import type { ApiResponse } from '@homeostat/client';
import { canonicalize } from '@homeostat/machinery';
import type { VirtualResource } from '../server/virtual-resource.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { negotiateOutput, respondValue } from './output.ts';
import { readSubresourceBody, validateSubresourceBody } from './subresource-body.ts';

export async function handleVirtualCreate(request: EndpointRequest, resource: VirtualResource): Promise<ApiResponse> {
  const { context } = request;
  const output = negotiateOutput(request, { table: false });
  const body = await readSubresourceBody(request, resource.applyDefaults?.bind(resource));
  await validateSubresourceBody(request, body);
  const answered = await resource.create({
    object: body.draft,
    namespace: request.namespace,
    name: request.name,
    context,
    dryRun: body.options.dryRun,
  });
  return respondValue(context, 201, canonicalize(answered, body.schema), output);
}
