// `/openapi/v2` and `/openapi/v3` (spec/apiserver.md §19): the whole in version 2, and in version 3 an index whose URLs carry
// hashes, so that clients may keep what they have read for good.

import type { ApiResponse } from '@homeostat/client';
import type { Digests } from '../authentication/crypto-port.ts';
import { DiscoveryIndex } from '../discovery/discovery-index.ts';
import { clausesOf } from '../endpoints/media-types.ts';
import type { RequestContext } from '../server/request-context.ts';
import type { Route } from '../server/route.ts';
import type { ServerHost } from '../server/server-host.ts';
import { customGroupDocument } from './custom-document.ts';
import { type CustomDocument, type EncodedOpenApi, OpenApiCache } from './openapi-cache.ts';

const json = 'application/json';
const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** What clients of old call the same. */
const protobufAlias = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const yearMs = 365 * 24 * 3600 * 1000;
const readMethods = ['GET', 'HEAD'];

export interface OpenApiOptions {
  readonly digests: Digests;
}

export function createOpenApiRoutes(
  host: Pick<ServerHost, 'env' | 'resources'>,
  options: OpenApiOptions,
): readonly Route[] {
  const customDocument: CustomDocument = (_group, version) =>
    customGroupDocument(version, (info) => host.resources.customSchema(info));
  const cache = new OpenApiCache({
    index: new DiscoveryIndex(host.resources),
    clock: host.env.clock,
    customDocument,
    ...options,
  });
  return [
    {
      path: '/openapi/v2',
      methods: readMethods,
      async handle(context) {
        const vary = { vary: 'Accept' };
        switch (swaggerType(context)) {
          case json:
            return respond(context, await cache.swagger(), json, vary);
          case protobuf:
            return respond(context, await cache.swaggerProtobuf(), protobuf, vary);
          default:
            return notAcceptable;
        }
      },
    },
    {
      path: '/openapi/v3',
      prefix: true,
      methods: readMethods,
      indexPaths: () => ['/openapi/v3/'],
      handle(context) {
        const name = context.info.path.slice('/openapi/v3'.length).replace(/^\/+/, '').replace(/\/+$/, '');
        if (name === '') return index(cache);
        const document = cache.document(name);
        if (document === undefined) return { status: 404, headers: {}, body: { kind: 'empty' } };
        if (!acceptsJson(context)) return notAcceptable;
        return versioned(context, name, document);
      },
    },
  ];
}

const notAcceptable: ApiResponse = { status: 406, headers: {}, body: { kind: 'empty' } };

async function index(cache: OpenApiCache): Promise<ApiResponse> {
  const documents = await cache.all();
  const paths = documents.map(([name, document]) => [name, { serverRelativeURL: urlOf(name, document) }] as const);
  const body = Buffer.from(JSON.stringify({ paths: Object.fromEntries(paths) }));
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: { kind: 'bytes', chunks: [body] },
  };
}

/** A document under its own hash never changes; under another one it has moved to the present one. */
function versioned(context: RequestContext, name: string, document: EncodedOpenApi): ApiResponse {
  const asked = context.query.get('hash');
  if (asked === null) return respond(context, document, json, { vary: 'Accept' });
  if (asked !== document.hash) {
    return { status: 301, headers: { location: urlOf(name, document) }, body: { kind: 'empty' } };
  }
  return respond(context, document, json, {
    vary: 'Accept',
    'cache-control': 'public, immutable',
    expires: httpDate(context.receivedMs + yearMs),
  });
}

function respond(
  context: RequestContext,
  document: EncodedOpenApi,
  type: string,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const etag = `"${document.hash}"`;
  if (context.request.headers['if-none-match'] === etag) {
    return { status: 304, headers: { etag, ...headers }, body: { kind: 'empty' } };
  }
  return {
    status: 200,
    headers: { 'content-type': type, etag, ...headers },
    body: { kind: 'bytes', chunks: [document.bytes] },
  };
}

function urlOf(name: string, document: EncodedOpenApi): string {
  return `/openapi/v3/${name}?hash=${document.hash}`;
}

/** The wanted form of the OpenAPI 2 document; undefined when the client takes none that there is. */
function swaggerType(context: RequestContext): typeof json | typeof protobuf | undefined {
  const accept = context.request.headers['accept'] ?? '';
  if (accept === '') return json;
  for (const clause of clausesOf(accept)) {
    if (isJson(clause)) return json;
    const type = `${clause.type}/${clause.subtype}`;
    if (type === protobuf || type === protobufAlias) return protobuf;
  }
  return undefined;
}

/** Documents of version 3 have no other form. */
function acceptsJson(context: RequestContext): boolean {
  const accept = context.request.headers['accept'] ?? '';
  return accept === '' || clausesOf(accept).some(isJson);
}

function isJson({ type, subtype }: { readonly type: string; readonly subtype: string }): boolean {
  return type === '*' || (type === 'application' && (subtype === 'json' || subtype === '*'));
}

/** IMF-fixdate (RFC 9110 §5.6.7). */
function httpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString();
}
