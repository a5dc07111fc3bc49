// The paths of discovery: `/api`, `/apis`, a group, a group version (spec/apiserver.md §10). Open at run time: what is
// served follows the resource table.

import { ApiError } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import type { Digests } from '../authentication/crypto-port.ts';
import type { RequestContext } from '../server/request-context.ts';
import type { Route } from '../server/route.ts';
import type { ResourceTable } from '../server/server-host.ts';
import { DiscoveryIndex } from './discovery-index.ts';
import { DiscoveryResponder } from './discovery-responder.ts';
import {
  apiGroupDocument,
  apiGroupListDocument,
  apiResourceListDocument,
  apiVersionsDocument,
} from './legacy-documents.ts';

const anyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export interface DiscoveryOptions {
  readonly digests: Digests;
  /** `host:port` by which clients reach this server. */
  readonly serverAddress: () => string;
}

export function createDiscoveryRoutes(
  host: { readonly resources: ResourceTable },
  options: DiscoveryOptions,
): readonly Route[] {
  const index = new DiscoveryIndex(host.resources, options.digests);
  const responder = new DiscoveryResponder(index, options.digests);

  const versionDocument = (context: RequestContext, group: string, name: string): ApiResponse | undefined => {
    const found = index.find(group);
    // A group that nobody serves is no path at all; a missing version of a served one is answered by its router.
    if (found === undefined) return undefined;
    requireGet(context);
    const version = found.versions.find((each) => each.version === name);
    if (version === undefined) throw notFound();
    return responder.routed(context, apiResourceListDocument(group, version));
  };

  return [
    {
      path: '/api',
      prefix: true,
      methods: anyMethod,
      indexPaths: () => (index.find('')?.versions ?? []).map(({ version }) => `/api/${version}`),
      handle(context) {
        const [version, rest] = segments(context);
        if (version === undefined) {
          return responder.root(context, 'api', () => apiVersionsDocument(index.find(''), options.serverAddress()));
        }
        return rest === undefined ? versionDocument(context, '', version) : undefined;
      },
    },
    {
      path: '/apis',
      prefix: true,
      methods: anyMethod,
      indexPaths: () => ['/apis/', ...groupPaths(index)],
      handle(context) {
        const [group, version, rest] = segments(context);
        if (group === undefined) return responder.root(context, 'apis', () => apiGroupListDocument(index.groups()));
        if (version !== undefined) return rest === undefined ? versionDocument(context, group, version) : undefined;
        const found = index.find(group);
        if (found === undefined) return undefined;
        requireGet(context);
        return responder.routed(context, apiGroupDocument(found));
      },
    },
  ];
}

/** Path segments after `/api` or `/apis`. */
function segments(context: RequestContext): readonly string[] {
  return context.info.path
    .split('/')
    .slice(2)
    .filter((segment) => segment !== '');
}

function groupPaths(index: DiscoveryIndex): string[] {
  return index
    .groups()
    .filter(({ group }) => group !== '')
    .flatMap(({ group, versions }) => [
      `/apis/${group}`,
      ...versions.map(({ version }) => `/apis/${group}/${version}`),
    ]);
}

function requireGet(context: RequestContext): void {
  if (context.request.method === 'GET') return;
  throw new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}

function notFound(): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}
