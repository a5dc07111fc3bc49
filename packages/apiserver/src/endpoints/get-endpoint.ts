// GET of one object (spec/apiserver.md §5.1): from the cache, as fresh as the client asks.

import type { ApiResponse } from '@homeostat/client';
import { newBadRequest, newNotFound } from '@homeostat/machinery';
import { waitForCurrent, waitForRevision } from './list-objects.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { negotiateOutput, respondObject } from './output.ts';
import { parseRevision } from './parse-revision.ts';
import { queryBool } from './query-values.ts';

export async function handleGet(request: EndpointRequest): Promise<ApiResponse> {
  const { context, entry, namespace, name } = request;
  const resource = entry.stored;
  if (resource === undefined) throw newNotFound(entry.info, name);
  const output = negotiateOutput(request);
  let resourceVersion = '';
  if (context.request.query !== '') {
    if (queryBool(context.query, 'export') === true) {
      throw newBadRequest('the export parameter, deprecated since v1.14, is no longer supported');
    }
    resourceVersion = context.query.get('resourceVersion') ?? '';
  }
  if (resourceVersion === '') await waitForCurrent(resource, context.signal);
  else await waitForRevision(resource, parseRevision(resourceVersion), context.signal);
  const version = resource.cache.get(namespace, name);
  if (version === undefined) throw newNotFound(resource.groupResource, name);
  return respondObject(request, 200, version, output);
}
