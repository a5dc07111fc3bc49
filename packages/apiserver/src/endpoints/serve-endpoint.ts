// Runs the endpoint that was found for a request: a special one, or that of the verb. What all requests about resources share,
// whichever way they were matched.

import { ApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import { handleCreate } from './create-endpoint.ts';
import { handleDelete, handleDeleteCollection } from './delete-endpoint.ts';
import type { TermGuard } from '../registry/term-guard.ts';
import type { RequestContext } from '../server/request-context.ts';
import type { EndpointRequest, EndpointServices, ServedResourceEntry } from './endpoint-request.ts';
import { handleGet } from './get-endpoint.ts';
import { handleList } from './list-endpoint.ts';
import { handlePatch } from './patch-endpoint.ts';
import { handleUpdate } from './update-endpoint.ts';
import { handleWatch, type WatchLimits } from './watch-endpoint.ts';

/** Endpoints that the generic ones do not cover, by `resource.group/subresource` and verb. */
export type SpecialEndpoint = (request: EndpointRequest) => Promise<ApiResponse>;

export interface DispatchTable {
  find(group: string, version: string, resource: string): ServedResourceEntry | undefined;
  special(entry: ServedResourceEntry, subresource: string, verb: string): SpecialEndpoint | undefined;
  /** Whether a group has a router of its own, which answers for paths it does not serve. */
  isRouted(group: string): boolean;
  /** Waits, after a write, until the server itself has drawn the consequences (definitions are served). */
  settled?(request: EndpointRequest): Promise<void>;
  readonly services: EndpointServices;
  readonly watchLimits: WatchLimits;
  /** What guards a write that carries a leader's term. @throws ApiError 400 when that can't be read */
  termGuard(context: RequestContext): TermGuard | undefined;
}

/** Runs the endpoint, and waits for what follows from it where the next request must see that. */
export async function serve(
  request: EndpointRequest,
  subresource: string,
  verb: string,
  table: DispatchTable,
): Promise<ApiResponse> {
  const special = table.special(request.entry, subresource, verb);
  const run = (given: EndpointRequest): Promise<ApiResponse> =>
    special === undefined ? generic(given, verb, table) : special(given);
  if (reads.has(verb)) return run(request);
  const term = table.termGuard(request.context);
  // Before admission, whose webhooks may act; and again with the write itself.
  await term?.check();
  const guarded = term === undefined ? request : { ...request, context: { ...request.context, term } };
  const response = await run(guarded);
  await table.settled?.(request);
  return response;
}

const reads = new Set(['get', 'list', 'watch']);

async function generic(request: EndpointRequest, verb: string, table: DispatchTable): Promise<ApiResponse> {
  const stored = request.entry.stored;
  switch (verb) {
    case 'get':
      return handleGet(request);
    case 'list':
      return handleList(request);
    case 'watch':
      return handleWatch(request, table.watchLimits);
    default:
  }
  if (stored === undefined) throw notFoundPath();
  switch (verb) {
    case 'create':
      return handleCreate(request, stored);
    case 'update':
      return handleUpdate(request, stored);
    case 'patch':
      return handlePatch(request, stored);
    case 'delete':
      return handleDelete(request, stored);
    case 'deletecollection':
      return handleDeleteCollection(request, stored);
    default:
      throw methodNotAllowed();
  }
}

export function notFoundPath(): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

export function methodNotAllowed(): ApiError {
  return new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}
