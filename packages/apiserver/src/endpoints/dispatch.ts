// Finds the endpoint for a request about a resource, in the order in which upstream's router decides: path (404), method
// (405), content type of a patch (415), representation (406), then the endpoint itself.

import { ApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import { notFoundText, textAnswer } from '../server/answers.ts';
import { deprecationOf } from '../server/deprecations.ts';
import type { RequestContext } from '../server/request-context.ts';
import { dispatchCustom } from './custom-dispatch.ts';
import type { EndpointRequest, ServedResourceEntry } from './endpoint-request.ts';
import { routerAccepts, servedMediaTypes } from './media-types.ts';
import { patchTypeOf } from './patch-types.ts';
import { type DispatchTable, methodNotAllowed, notFoundPath, serve } from './serve-endpoint.ts';

/** What a path names, before looking at the method. */
interface Target {
  readonly entry: ServedResourceEntry;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** @throws ApiError 404 … 415, and whatever the endpoint throws */
export async function dispatch(context: RequestContext, table: DispatchTable): Promise<ApiResponse> {
  const { info } = context;
  const found = table.find(info.group, info.version, info.resource);
  if (found?.custom !== undefined) return dispatchCustom(context, found, found.custom, table);
  const target = locate(context, table);
  if (target === undefined) {
    // Below a group of Kubernetes' own a router answers; of all others nobody knows.
    if (table.isRouted(info.group)) throw notFoundPath();
    return textAnswer(404, notFoundText);
  }
  const verb = verbOf(context, target);
  if (verb === undefined) throw methodNotAllowed();
  const { entry } = target;
  const warning = deprecationOf(context.info);
  if (warning !== undefined) context.warnings.add(warning);
  const { headers } = context.request;
  if (
    verb === 'patch' &&
    context.request.body?.kind !== 'object' &&
    patchTypeOf(headers['content-type'] ?? '') === undefined
  ) {
    throw new ApiError({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
      details: {},
    });
  }
  const streamable = target.name === '' && (verb === 'list' || verb === 'watch' || verb === 'deletecollection');
  if (!routerAccepts(headers['accept'] ?? '') && context.request.wants !== 'object') throw notRepresentable(streamable);
  const subresource = entry.info.subresources.find((candidate) => candidate.name === target.subresource);
  const request: EndpointRequest = {
    context,
    services: table.services,
    entry,
    subresource,
    namespace: target.namespace,
    name: target.name,
  };
  return serve(request, target.subresource, verb, table);
}

function locate(context: RequestContext, table: DispatchTable): Target | undefined {
  const { info } = context;
  const entry = table.find(info.group, info.version, info.resource);
  if (entry === undefined) return undefined;
  const [resource = '', name = '', subresource = '', ...rest] = info.parts;
  if (resource !== entry.info.resource || info.parts.includes('')) return undefined;
  if (rest.length > 0 && subresource !== 'proxy') return undefined;
  // The Namespace object itself is addressed through `namespaces/<name>`; its request info carries a namespace too.
  const own = entry.info.resource === 'namespaces' && entry.info.group === '';
  // Never through another namespace: the rights asked for were those within that one.
  if (own && info.namespace !== name) return undefined;
  const namespace = own ? '' : info.namespace;
  if (!own && !entry.info.namespaced && namespace !== '') return undefined;
  if (entry.info.namespaced && namespace === '' && name !== '') return undefined;
  if (name !== '' && !itemVerbNames.some((verb) => entry.info.verbs.includes(verb)) && subresource === '')
    return undefined;
  if (subresource !== '' && !entry.info.subresources.some((candidate) => candidate.name === subresource))
    return undefined;
  return { entry, namespace, name, subresource };
}

/** The verb a method means for a target, if it is one that the resource serves. */
function verbOf(context: RequestContext, target: Target): string | undefined {
  const { method } = context.request;
  const { info } = target.entry;
  if (target.subresource !== '') {
    const verb = itemVerbs[method];
    const served = info.subresources.find((candidate) => candidate.name === target.subresource)?.verbs ?? [];
    return verb !== undefined && served.includes(verb) ? verb : undefined;
  }
  if (context.info.verb === 'watch') return method === 'GET' && info.verbs.includes('list') ? 'watch' : undefined;
  if (target.name !== '') {
    const verb = itemVerbs[method];
    return verb !== undefined && verb !== 'create' && info.verbs.includes(verb) ? verb : undefined;
  }
  const everywhere = info.namespaced && target.namespace === '';
  switch (method) {
    case 'GET':
      return info.verbs.includes('list') ? 'list' : undefined;
    case 'POST':
      return info.verbs.includes('create') && !everywhere ? 'create' : undefined;
    case 'DELETE':
      return info.verbs.includes('deletecollection') && !everywhere ? 'deletecollection' : undefined;
    default:
      return undefined;
  }
}

const itemVerbNames = ['get', 'update', 'patch', 'delete'];

const itemVerbs: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

function notRepresentable(streamable: boolean): ApiError {
  const types = streamable
    ? [...servedMediaTypes, 'application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']
    : servedMediaTypes;
  return new ApiError({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`,
    details: {},
  });
}
