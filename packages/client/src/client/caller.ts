// What all calls of a client share: headers, rate limit, retries, errors, decoding. `create-client.ts` says what each call asks for.

import { ApiError, type Env, noTracer, type Span } from '@homeostat/base';
import type { ResourceType } from '../resource/resource-type.ts';
import { excerpt, readBody, toRequestBody } from '../rest/body.ts';
import { decodeError, isFailure } from '../rest/decode-error.ts';
import { impersonationHeaders, type Impersonation } from '../rest/impersonation.ts';
import { createRequestMetrics } from '../rest/request-metrics.ts';
import { type QueryParameters, type ResourcePathOptions, resourcePath, toQuery } from '../rest/resource-path.ts';
import { createSender } from '../rest/sender.ts';
import { TokenBucket } from '../rest/token-bucket.ts';
import { warningsOf } from '../rest/warnings.ts';
import type { ApiResponse, Transport } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import type { CallOptions, RawRequest } from './client.ts';

export interface CallerOptions {
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
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Every call acts as somebody else, unless it says so itself. */
  readonly impersonate?: Impersonation;
}

/** One request for a resource. */
export interface Call extends CallOptions {
  readonly method: string;
  readonly resource: ResourceType;
  readonly path: ResourcePathOptions;
  readonly query?: QueryParameters;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly list?: boolean;
  readonly stream?: boolean;
  readonly retriesMax?: number | undefined;
}

/** Sends requests; see each function for how much of the answer it reads. */
export interface Caller {
  /** Any path; the answer as it is. `stream`: no time-out and no rate limit. */
  send(request: RawRequest, stream: boolean): Promise<ApiResponse>;
  /** A good answer with its body unread. @throws ApiError for any other status. */
  call(call: Call): Promise<ApiResponse>;
  /** The object answered. @throws ApiError, also for a failure in a good answer; TransportError when it is no object. */
  object<T>(call: Call): Promise<T>;
}

interface SendDetails {
  readonly accept?: string | undefined;
  readonly retriesMax?: number | undefined;
}

export function createCaller(options: CallerOptions): Caller {
  const { transport, env, userAgent, qps, timeoutMs: defaultTimeoutMs } = options;
  const { tracer = noTracer } = env;
  const bucket =
    qps === undefined
      ? undefined
      : new TokenBucket({ clock: env.clock, qps, burst: options.burst ?? Math.max(1, 2 * qps) });
  const sendRequest = createSender({
    transport,
    clock: env.clock,
    bucket,
    retriesMax: options.retriesMax ?? 10,
    metrics: createRequestMetrics(transport.host ?? 'in-process', env.metrics),
  });
  const actingByDefault = options.impersonate === undefined ? {} : impersonationHeaders(options.impersonate);
  const onWarning = options.onWarning ?? ((text: string) => env.log.warn('warning from the API server', { text }));

  const send = (request: RawRequest, stream: boolean, more: SendDetails = {}): Promise<ApiResponse> => {
    const attributes = {
      'http.request.method': request.method,
      'url.path': request.path,
      'server.address': transport.host ?? 'in-process',
    };
    return tracer.span(request.method, { kind: 'client', attributes }, async (span) => {
      const response = await sendTraced(span, request, stream, more);
      span.set({ 'http.response.status_code': response.status });
      return response;
    });
  };

  const sendTraced = async (
    span: Span,
    request: RawRequest,
    stream: boolean,
    { accept = 'application/json', retriesMax }: SendDetails,
  ): Promise<ApiResponse> => {
    const timeoutMs = stream ? undefined : (request.timeoutMs ?? defaultTimeoutMs);
    const acting = request.impersonate === undefined ? actingByDefault : impersonationHeaders(request.impersonate);
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
          ...span.headers,
          ...options.headers,
          ...acting,
          ...(typeof request.headers === 'function' ? {} : request.headers),
          ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        },
        ...(request.body === undefined ? {} : { body: toRequestBody(request.body, transport, request.contentType) }),
        ...(transport.exchanges === 'object' ? { wants: 'object' as const } : {}),
        ...(request.lane === undefined ? {} : { lane: request.lane }),
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
        path: resourcePath(call.resource, {
          ...call.path,
          subresource: call.path.subresource ?? call.resource.subresource,
        }),
        ...(call.query === undefined ? {} : { query: call.query }),
        ...(call.body === undefined ? {} : { body: call.body }),
        ...(call.contentType === undefined ? {} : { contentType: call.contentType }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
        ...(call.timeoutMs === undefined ? {} : { timeoutMs: call.timeoutMs }),
        ...(call.headers === undefined ? {} : { headers: call.headers }),
        ...(call.impersonate === undefined ? {} : { impersonate: call.impersonate }),
        ...(call.lane === undefined && !isLease(call) ? {} : { lane: 'lease' as const }),
      },
      call.stream === true,
      { accept: acceptFor(call.resource, call.list === true), retriesMax: call.retriesMax },
    );
    if (response.status < 300) return response;
    const { group, resource } = call.resource;
    throw await decodeError(response, { method: call.method, group, resource, name: call.path.name });
  };

  const object = async <T>(request: Call): Promise<T> => {
    const response = await call(request);
    const value = await readBody(response);
    if (!isApiObject(value)) {
      throw new TransportError(
        'protocol',
        `wanted an object from ${request.method} ${request.resource.resource}, got ${excerpt(value)}`,
      );
    }
    if (isFailure(value)) throw ApiError.fromStatus(value, response.status);
    return value as T;
  };

  return { send: (request, stream) => send(request, stream), call, object };
}

/** Whether it looks like one at all: a proxy's own page, even in JSON, does not. */
function isApiObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return 'kind' in value || 'metadata' in value || 'items' in value;
}

function acceptFor(resource: ResourceType, list: boolean): string | undefined {
  if (resource.as === undefined) return undefined;
  const kind = list ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

/** Reads and writes of one Lease: renewals, and what leads to them. */
function isLease({ resource, path, method }: Call): boolean {
  if (resource.resource !== 'leases' || resource.group !== 'coordination.k8s.io') return false;
  return path.name !== undefined || method === 'POST';
}
