// The client over any transport: builds requests, sends them, decodes answers.

import { ApiError, type Env } from '@homeostat/base';
import { type KubeList, type KubeObject, toApiVersion } from '@homeostat/machinery';
import type { ResourceType } from '../resource/resource-type.ts';
import { readBody, toRequestBody } from '../rest/body.ts';
import { decodeError, isFailure } from '../rest/decode-error.ts';
import { readPages } from '../rest/pager.ts';
import { toPartialEvents, toPartialMetadata } from '../rest/partial-metadata.ts';
import { type ResourcePathOptions, resourcePath, toQuery } from '../rest/resource-path.ts';
import { createSender } from '../rest/sender.ts';
import { TokenBucket } from '../rest/token-bucket.ts';
import { readWatch } from '../rest/watch-stream.ts';
import { warningsOf } from '../rest/warnings.ts';
import type { ApiResponse, Transport } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import type {
  CallOptions,
  Client,
  DeleteFields,
  ListOptions,
  PatchKind,
  RawRequest,
  SelectOptions,
  WriteOptions,
} from './client.ts';

export interface ClientOptions {
  readonly transport: Transport;
  readonly env: Env;
  /** Sent as User-Agent; the part before the first `/` is the default field manager. */
  readonly userAgent: string;
  /** Requests a second of our own limit; default none: the server's priority and fairness decides. */
  readonly qps?: number;
  /** Requests at once before `qps` counts; default twice `qps`, at least 1. */
  readonly burst?: number;
  /** Gives up on a call after this time, milliseconds; default never. Watches and logs are not meant. */
  readonly timeoutMs?: number;
  /** Retries of answers with Retry-After, at most; default 10. */
  readonly retriesMax?: number;
  /** Receives the texts of Warning headers; default logs them. */
  readonly onWarning?: (text: string) => void;
  /** Added to every request, e.g. impersonation. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Call extends CallOptions {
  readonly method: string;
  readonly resource: ResourceType;
  readonly path: ResourcePathOptions;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly list?: boolean;
  readonly stream?: boolean;
  readonly retriesMax?: number | undefined;
}

const patchTypes: Readonly<Record<PatchKind, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Creates a {@link Client}; nothing is sent before the first call. */
export function createClient(options: ClientOptions): Client {
  const { transport, env, userAgent, qps, timeoutMs: defaultTimeoutMs } = options;
  const bucket =
    qps === undefined
      ? undefined
      : new TokenBucket({ clock: env.clock, qps, burst: options.burst ?? Math.max(1, 2 * qps) });
  const sendRequest = createSender({ transport, clock: env.clock, bucket, retriesMax: options.retriesMax ?? 10 });
  const onWarning = options.onWarning ?? ((text: string) => env.log.warn('warning from the API server', { text }));

  const send = async (
    request: RawRequest,
    stream: boolean,
    {
      accept = 'application/json',
      retriesMax,
    }: { readonly accept?: string; readonly retriesMax?: number | undefined } = {},
  ): Promise<ApiResponse> => {
    const timeoutMs = stream ? undefined : (request.timeoutMs ?? defaultTimeoutMs);
    const query = toQuery({
      ...request.query,
      ...(timeoutMs === undefined ? {} : { timeout: `${Math.ceil(timeoutMs / 1000)}s` }),
    });
    const response = await sendRequest(
      {
        method: request.method,
        path: request.path,
        query,
        headers: {
          accept,
          'user-agent': userAgent,
          ...options.headers,
          ...(typeof request.headers === 'function' ? {} : request.headers),
          ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        },
        ...(request.body === undefined ? {} : { body: toRequestBody(request.body, transport) }),
        ...(transport.exchanges === 'object' ? { wants: 'object' as const } : {}),
      },
      {
        signal: request.signal,
        timeoutMs,
        watch: stream,
        retriesMax,
        ...(typeof request.headers === 'function' ? { headers: request.headers } : {}),
      },
    );
    for (const text of warningsOf(response.headers)) onWarning(text);
    return response;
  };

  const call = async (call: Call): Promise<ApiResponse> => {
    const response = await send(
      {
        method: call.method,
        path: resourcePath(call.resource, call.path),
        ...(call.query === undefined ? {} : { query: call.query }),
        ...(call.body === undefined ? {} : { body: call.body }),
        ...(call.contentType === undefined ? {} : { contentType: call.contentType }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
        ...(call.timeoutMs === undefined ? {} : { timeoutMs: call.timeoutMs }),
        ...(call.headers === undefined ? {} : { headers: call.headers }),
      },
      call.stream === true,
      { accept: acceptFor(call.resource, call.list === true), retriesMax: call.retriesMax },
    );
    if (response.status < 300) return response;
    const { group, resource } = call.resource;
    throw await decodeError(response, { method: call.method, group, resource, name: call.path.name });
  };

  const object = async <T>(request: Call, mayBeStatus = false): Promise<T> => {
    const response = await call(request);
    const value = await readBody(response);
    if (typeof value !== 'object' || value === null) {
      throw new TransportError(
        'protocol',
        `wanted an object from ${request.method} ${request.resource.resource}, got ${typeof value}`,
      );
    }
    if (!mayBeStatus && isFailure(value)) throw ApiError.fromStatus(value, response.status);
    return value as T;
  };

  const list = async <T extends KubeObject>(
    resource: ResourceType<T>,
    listOptions: ListOptions,
  ): Promise<KubeList<T>> => {
    const value = await object<KubeList<T>>({
      method: 'GET',
      resource,
      path: { namespace: listOptions.namespace },
      query: {
        ...selectQuery(listOptions),
        limit: listOptions.limit,
        continue: listOptions.continue,
        resourceVersion: listOptions.resourceVersion,
        resourceVersionMatch: listOptions.resourceVersionMatch,
      },
      list: true,
      ...callOptions(listOptions),
    });
    return { ...value, items: withKind(resource, value.items as readonly T[] | null | undefined) };
  };

  return {
    get: async (resource, o) => {
      const found = await object<NonNullable<(typeof resource)['objectType']>>({
        method: 'GET',
        resource,
        path: { namespace: o.namespace, name: o.name, subresource: o.subresource },
        query: { resourceVersion: o.resourceVersion },
        ...callOptions(o),
      });
      return resource.as === 'metadata' ? toPartialMetadata(found) : found;
    },
    list: (resource, o = {}) => list(resource, o),
    listPages: (resource, o = {}) => readPages((page) => list(resource, page), o),
    watch: async <T extends KubeObject>(resource: ResourceType<T>, o: Parameters<Client['watch']>[1] = {}) => {
      const response = await call({
        method: 'GET',
        resource,
        path: { namespace: o.namespace },
        query: {
          watch: true,
          ...selectQuery(o),
          resourceVersion: o.resourceVersion,
          resourceVersionMatch: o.resourceVersionMatch,
          allowWatchBookmarks: o.allowWatchBookmarks,
          sendInitialEvents: o.sendInitialEvents,
          timeoutSeconds: o.timeoutSeconds,
        },
        stream: true,
        retriesMax: o.retriesMax,
        ...callOptions(o),
      });
      const events = readWatch<T>(response, o.signal);
      return resource.as === 'metadata' ? toPartialEvents(events) : events;
    },
    create: (resource, o) =>
      object({
        method: 'POST',
        resource,
        path: {
          namespace: o.namespace ?? (resource.namespaced ? o.object.metadata?.namespace : undefined),
          name: o.name,
          subresource: o.subresource,
        },
        query: writeQuery(o),
        body: o.object,
        ...callOptions(o),
      }),
    createSubresource: (resource, o) =>
      object(
        {
          method: 'POST',
          resource,
          path: { namespace: o.namespace ?? o.object.metadata?.namespace, name: o.name, subresource: o.subresource },
          query: writeQuery(o),
          body: o.object,
          ...callOptions(o),
        },
        false,
      ),
    update: (resource, o) => object(replace(resource, o, o.subresource)),
    updateStatus: (resource, o) => object(replace(resource, o, 'status')),
    patch: (resource, o) =>
      object({
        method: 'PATCH',
        resource,
        path: { namespace: o.namespace, name: o.name, subresource: o.subresource },
        query: { ...writeQuery(o), force: o.force },
        body: o.patch,
        contentType: patchTypes[o.type],
        ...callOptions(o),
      }),
    apply: (resource, o) =>
      object({
        method: 'PATCH',
        resource,
        path: namePath(resource, o.object, o.subresource),
        query: { ...writeQuery(o), force: o.force },
        body: { apiVersion: toApiVersion(resource), kind: resource.kind, ...o.object },
        contentType: patchTypes.apply,
        ...callOptions(o),
      }),
    delete: (resource, o) =>
      object({
        method: 'DELETE',
        resource,
        path: { namespace: o.namespace, name: o.name },
        body: deleteBody(o, o.preconditions),
        ...callOptions(o),
      }),
    deleteCollection: (resource, o = {}) =>
      object({
        method: 'DELETE',
        resource,
        path: { namespace: o.namespace },
        query: selectQuery(o),
        body: deleteBody(o, undefined),
        ...callOptions(o),
      }),
    logs: async ({
      signal,
      namespace,
      name,
      container,
      follow,
      previous,
      timestamps,
      tailLines,
      sinceSeconds,
      limitBytes,
    }) => {
      const response = await call({
        method: 'GET',
        resource: podResource,
        path: { namespace, name, subresource: 'log' },
        query: { container, follow, previous, timestamps, tailLines, sinceSeconds, limitBytes },
        stream: true,
        ...(signal === undefined ? {} : { signal }),
      });
      return toByteStream(response);
    },
    request: async (request) => {
      const response = await send(request, false);
      if (response.status >= 300) throw await decodeError(response, { method: request.method });
      return readBody(response);
    },
    send: (request) => send(request, true),
  };
}

const podResource: ResourceType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

/** Lists leave kind and apiVersion out of their items; whoever holds an object wants to know what it is. */
function withKind<T extends KubeObject>(
  resource: ResourceType<T>,
  items: readonly T[] | null | undefined,
): readonly T[] {
  // Go writes a nil slice as null.
  if (!Array.isArray(items)) return [];
  if (resource.as === 'metadata') return items.map((item: T) => toPartialMetadata(item));
  const first: T | undefined = items[0];
  if (first === undefined || first.kind !== undefined) return items;
  const apiVersion = toApiVersion(resource);
  const { kind } = resource;
  return items.map((item: T) => ({ apiVersion, kind, ...item }));
}

function acceptFor(resource: ResourceType, list: boolean): string | undefined {
  if (resource.as === undefined) return undefined;
  const kind = list ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

function callOptions(options: CallOptions): CallOptions {
  return {
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    ...(options.headers === undefined ? {} : { headers: options.headers }),
  };
}

function selectQuery(options: SelectOptions): {
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
} {
  return { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector };
}

function writeQuery(options: WriteOptions): Readonly<Record<string, string | undefined>> {
  return {
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  };
}

function namePath(resource: ResourceType, named: KubeObject, subresource: string | undefined): ResourcePathOptions {
  const { name, namespace } = named.metadata ?? {};
  return { namespace: resource.namespaced ? namespace : undefined, name: name ?? '', subresource };
}

function replace(
  resource: ResourceType,
  options: WriteOptions & { readonly object: KubeObject },
  subresource: string | undefined,
): Call {
  return {
    method: 'PUT',
    resource,
    path: namePath(resource, options.object, subresource),
    query: writeQuery(options),
    body: options.object,
    ...callOptions(options),
  };
}

function deleteBody(
  fields: DeleteFields,
  preconditions: { readonly uid?: string; readonly resourceVersion?: string } | undefined,
): unknown {
  const { propagationPolicy, gracePeriodSeconds, dryRun } = fields;
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}

async function* toByteStream(response: ApiResponse): AsyncGenerator<Uint8Array, void, void> {
  const { body } = response;
  if (body.kind === 'bytes' || body.kind === 'stream') yield* body.chunks;
  else if (body.kind !== 'empty')
    throw new TransportError('protocol', `wanted bytes, got an answer of kind ${body.kind}`);
}
