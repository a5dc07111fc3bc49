// The chain every request goes through (spec/apiserver.md §1.4): what it is about, how long it may take, who sends it,
// whether they may, and then the endpoint. A function of the request, free of sockets.

import { ApiError, type Env } from '@homeostat/base';
import type { ApiRequest, ApiResponse, Handle } from '@homeostat/client';
import { newUnauthorized } from '@homeostat/machinery';
import { StorageError } from '@homeostat/storage';
import { withAuthenticatedGroup } from '../authentication/union-authenticator.ts';
import { newAuthorizationForbidden } from '../authorization/forbidden.ts';
import { methodNotAllowed, notFoundPath } from '../endpoints/serve-endpoint.ts';
import { errorAnswer, notFoundText, textAnswer } from './answers.ts';
import type { Impersonation } from './api-server-options.ts';
import type { Authenticator } from './authenticator.ts';
import type { AuthorizationAttributes, Authorizer } from './authorizer.ts';
import { boundBody } from './bounded-body.ts';
import { type Deadline, isLongRunning, requestTimeoutMs, startDeadline } from './deadline.ts';
import type { RequestContext } from './request-context.ts';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';
import type { RouteTable } from './route-table.ts';
import type { RequestMetrics } from './server-metrics.ts';
import { storageFailure } from './storage-failure.ts';
import { anonymousUser, type User } from './user.ts';
import { Warnings } from './warnings.ts';

export interface RequestHandlerOptions {
  readonly env: Env;
  readonly authenticator: Authenticator;
  readonly impersonator: Impersonation | undefined;
  readonly authorizer: Authorizer;
  readonly routes: RouteTable;
  readonly metrics: RequestMetrics;
  readonly requestTimeoutMs: number;
  /** Serves requests about resources. */
  readonly resources: (context: RequestContext) => Promise<ApiResponse>;
  /** Whether a group is served: its unknown paths are answered by a Status, others by a text. */
  readonly hasGroup: (group: string) => boolean;
}

const noQuery = new URLSearchParams();

export function createRequestHandler(options: RequestHandlerOptions): Handle {
  const { env, metrics } = options;
  return async (request) => {
    const query = request.query === '' ? noQuery : new URLSearchParams(request.query);
    const info = parseRequestInfo(request.method, request.path, query);
    const longRunning = isLongRunning(info);
    const startMs = env.clock.monotonicMs();
    const finish = metrics.started(info, request.method, longRunning);
    const auditId = request.headers['audit-id'] ?? env.random.uuid();
    const warnings = new Warnings();
    let deadline: Deadline | undefined;
    let response: ApiResponse;
    try {
      if (!longRunning)
        deadline = startDeadline(env.clock, request.signal, requestTimeoutMs(query, options.requestTimeoutMs));
      const exchange: Exchange = {
        request: deadline === undefined ? request : boundBody(request, deadline.signal),
        query,
        info,
        auditId,
        warnings,
        signal: deadline?.signal ?? request.signal,
        deadline,
      };
      response = await answer(exchange, options);
    } catch (error) {
      const known = error instanceof StorageError ? storageFailure(error) : error;
      if (!(known instanceof ApiError) || known.code === 500)
        env.log.error('request failed', { error, path: request.path, method: request.method });
      response = errorAnswer(request, query, known);
    }
    return complete(response, { auditId, warnings, done: () => settle(response.status) });

    function settle(code: number): void {
      deadline?.clear();
      finish(code, (env.clock.monotonicMs() - startMs) / 1000);
    }
  };
}

interface Exchange {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly auditId: string;
  readonly warnings: Warnings;
  readonly signal: AbortSignal;
  readonly deadline: Deadline | undefined;
}

async function answer(exchange: Exchange, options: RequestHandlerOptions): Promise<ApiResponse> {
  const { request, info, signal } = exchange;
  if (!info.isResourceRequest && info.apiPrefix !== '') {
    const text = `Internal Server Error: ${JSON.stringify(info.path)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${info.path}\n`;
    return textAnswer(500, text);
  }
  let user = await authenticate(request, options.authenticator);
  if (options.impersonator !== undefined) {
    user = withAuthenticatedGroup(await options.impersonator.impersonate(request, attributesOf(info, user)));
  }
  const attributes = attributesOf(info, user);
  const decision = await options.authorizer.authorize(attributes, signal);
  if (decision.decision !== 'allow') {
    const reason = [decision.error, decision.reason].filter((part) => part !== undefined && part !== '').join(': ');
    throw newAuthorizationForbidden(attributes, reason);
  }
  const context: RequestContext = {
    request,
    query: exchange.query,
    info,
    auditId: exchange.auditId,
    receivedMs: options.env.clock.nowMs(),
    user,
    warnings: exchange.warnings,
    signal,
    deadlineMs: exchange.deadline?.atMs,
    annotate: () => {},
  };
  return info.isResourceRequest ? resource(context, options) : nonResource(context, options);
}

async function authenticate(request: ApiRequest, authenticator: Authenticator): Promise<User> {
  let user: User | undefined;
  try {
    user = await authenticator.authenticate(request, request.signal);
  } catch (error) {
    throw error instanceof ApiError ? error : newUnauthorized();
  }
  if (user === undefined) throw newUnauthorized();
  return user === anonymousUser ? user : withAuthenticatedGroup(user);
}

function attributesOf(info: RequestInfo, user: User): AuthorizationAttributes {
  return {
    user,
    verb: info.verb,
    isResourceRequest: info.isResourceRequest,
    path: info.path,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    fieldSelector: info.fieldSelector,
    labelSelector: info.labelSelector,
  };
}

async function resource(context: RequestContext, options: RequestHandlerOptions): Promise<ApiResponse> {
  const { info } = context;
  if (info.apiPrefix === 'apis' && !options.hasGroup(info.group)) return textAnswer(404, notFoundText);
  return options.resources(context);
}

async function nonResource(context: RequestContext, options: RequestHandlerOptions): Promise<ApiResponse> {
  const { info, request } = context;
  const route = options.routes.find(info.path);
  if (route !== undefined) {
    if (!(route.methods ?? ['GET']).includes(request.method)) throw methodNotAllowed();
    const response = await route.handle(context);
    if (response !== undefined) return response;
  }
  if (isApiPath(info.path, options)) throw notFoundPath();
  return textAnswer(404, notFoundText);
}

/** Whether a path lies where a Status is expected: below `/api/`, or below a group that is served. */
function isApiPath(path: string, options: RequestHandlerOptions): boolean {
  if (path.startsWith('/api/')) return true;
  const group = /^\/apis\/([^/]+)\//.exec(path)?.[1];
  return group !== undefined && options.hasGroup(group);
}

interface Completion {
  readonly auditId: string;
  readonly warnings: Warnings;
  done(): void;
}

/** Adds the headers every answer has; `done` is called when the last byte is on its way. */
function complete(response: ApiResponse, completion: Completion): ApiResponse {
  const warnings = completion.warnings.headers();
  const headers = {
    'audit-id': completion.auditId,
    'cache-control': 'no-cache, private',
    ...response.headers,
    ...(warnings.length === 0 ? {} : { warning: warnings }),
  };
  const { body } = response;
  switch (body.kind) {
    case 'stream':
      return {
        status: response.status,
        headers,
        body: { kind: 'stream', chunks: whenDone(body.chunks, completion.done) },
      };
    case 'watch':
      return {
        status: response.status,
        headers,
        body: { kind: 'watch', events: whenDone(body.events, completion.done) },
      };
    case 'upgrade': {
      const run = body.run.bind(body);
      return {
        status: response.status,
        headers,
        body: { kind: 'upgrade', run: (connection) => run(connection).finally(() => completion.done()) },
      };
    }
    default:
      completion.done();
      return { status: response.status, headers, body };
  }
}

async function* whenDone<T>(items: AsyncIterable<T>, done: () => void): AsyncGenerator<T> {
  try {
    yield* items;
  } finally {
    done();
  }
}
