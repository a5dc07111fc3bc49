// POST of an Eviction (spec/apiserver.md §12.5): decodes it and hands it to `registry/evict-pod.ts`.

import type { ApiResponse, Handle } from '@homeostat/client';
import { type KubeObject, newBadRequest, newUnknown } from '@homeostat/machinery';
import { ownRequest } from '../registry/bootstrap/own-request.ts';
import { type DeleteOptions, validateDeleteOptions } from '../registry/delete-options.ts';
import { evictPod } from '../registry/evict-pod.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import { type EndpointRequest, writeContext } from './endpoint-request.ts';
import { negotiateOutput, respondValue } from './output.ts';
import { createdStatus, readSubresourceBody, validateSubresourceBody } from './subresource-body.ts';

export interface EvictionResources {
  readonly pods: StoredResource;
  readonly budgets: StoredResource;
  readonly handle: Handle;
}

export async function handleEviction(request: EndpointRequest, resources: EvictionResources): Promise<ApiResponse> {
  const { context, services, namespace, name } = request;
  const output = negotiateOutput(request, { table: false });
  const body = await readSubresourceBody(request);
  const eviction = body.draft as KubeObject & { readonly deleteOptions?: DeleteOptions };
  if ((eviction.metadata?.name ?? '') !== name)
    throw newBadRequest('name in URL does not match name in Eviction object');
  const options = withDryRun(eviction.deleteOptions, body.options.dryRun ? ['All'] : []);
  validateDeleteOptions(options);
  await validateSubresourceBody(request, body);
  await evictPod(
    { namespace, name, options, context: writeContext(request, (options.dryRun ?? []).length > 0) },
    {
      clock: services.env.clock,
      pods: resources.pods,
      budgets: resources.budgets,
      updateBudgetStatus: async (budget) => {
        const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${budget.metadata?.name ?? ''}/status`;
        await ownRequest(resources.handle, context.signal, { method: 'PUT', path, object: budget });
      },
    },
  );
  return respondValue(context, 201, createdStatus, output);
}

/** Dry run may be asked for in the query or in the body, but not differently. */
function withDryRun(options: DeleteOptions = {}, query: readonly string[]): DeleteOptions {
  const body = options.dryRun ?? [];
  if (body.length === 0) return query.length === 0 ? options : { ...options, dryRun: query };
  if (query.length === 0 || body.join() === query.join()) return options;
  throw newUnknown(`Non-matching dry-run options in request and content: [${query.join(' ')}] and [${body.join(' ')}]`);
}
