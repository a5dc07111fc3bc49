// Finds the endpoint for a request about a custom resource, in the order in which upstream's handler for them decides. It has
// no router before it: what it does not serve is no path at all, and a method it does not know is told as a verb.

import { ApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import { newMethodNotSupported, newNotFound } from '@homeostat/machinery';
import type { CustomKind } from '../crd/custom-kind.ts';
import { notFoundText, textAnswer } from '../server/answers.ts';
import type { RequestContext } from '../server/request-context.ts';
import { type DispatchTable, serve } from './serve-endpoint.ts';
import type { EndpointRequest, ServedResourceEntry } from './endpoint-request.ts';
import { patchTypeOf, patchTypes } from './patch-types.ts';

const everywhereVerbs = new Set(['list', 'watch']);
const subresourceVerbs = new Set(['get', 'update', 'patch']);
const customPatchTypes = [patchTypes.json, patchTypes.merge, patchTypes.apply];

/** @throws ApiError, as the endpoint does */
export async function dispatchCustom(
  context: RequestContext,
  entry: ServedResourceEntry,
  custom: CustomKind,
  table: DispatchTable,
): Promise<ApiResponse> {
  const { namespace, parts, verb } = context.info;
  const [, name = '', subresourceName = ''] = parts;
  const { info } = entry;
  if (info.namespaced ? namespace === '' && !everywhereVerbs.has(verb) : namespace !== '') {
    return textAnswer(404, notFoundText);
  }
  if (custom.deprecation !== undefined) context.warnings.add(custom.deprecation);
  const subresource = info.subresources.find((candidate) => candidate.name === subresourceName);
  if (subresourceName !== '') {
    if (subresource === undefined) throw newNotFound(info, name);
    if (!subresourceVerbs.has(verb)) throw newMethodNotSupported(info, verb);
  } else if (!info.verbs.includes(verb)) throw newMethodNotSupported(info, verb);
  if (verb === 'patch') checkPatchType(context);
  const request: EndpointRequest = { context, services: table.services, entry, subresource, namespace, name };
  return serve(request, subresourceName, verb, table);
}

/** @throws ApiError 415 */
function checkPatchType({ request }: RequestContext): void {
  const type = patchTypeOf(request.headers['content-type'] ?? '');
  if (type !== undefined && type !== patchTypes.strategic) return;
  throw new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${customPatchTypes.join(', ')}`,
  });
}
