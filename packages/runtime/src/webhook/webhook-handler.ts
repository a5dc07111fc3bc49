// The webhook server without its sockets: requests in, answers out. Bounds bodies, time and the number of reviews at once;
// whatever goes wrong is answered with a Status whose message the API server shows to the user.

import { abortable, ApiError, type Env, isApiError } from '@homeostat/base';
import type { ApiRequest, ApiResponse, Handle } from '@homeostat/client';
import { decodeJson, encodeJson, type Json, durationMs, newBadRequest, newTooManyRequests } from '@homeostat/machinery';
import { BadReviewError, type ReviewContext, type Webhook } from './webhook.ts';
import { createWebhookMetrics } from './webhook-metrics.ts';

export interface WebhookHandlerOptions {
  readonly env: Env;
  readonly webhooks: readonly Webhook[];
  /** Longest time for one review, milliseconds; the API server's own limit counts where it is shorter. Default 30 s, its longest. */
  readonly timeoutMs?: number;
  /** Reviews at once; more are answered 429, upon which API servers try again a second later. Default 256. */
  readonly inFlightMax?: number;
}

export interface WebhookHandler {
  /** Never rejects. */
  readonly handle: Handle;
  readonly paths: readonly string[];
}

/** Creates the function behind the port. @throws Error when two webhooks have one path, or a path no slash in front */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { env, webhooks, timeoutMs = 30_000, inFlightMax = 256 } = options;
  const byPath = new Map<string, Webhook>();
  for (const webhook of webhooks) {
    if (!webhook.path.startsWith('/'))
      throw new Error(`the path of a webhook must begin with a slash: ${webhook.path}`);
    if (byPath.has(webhook.path)) throw new Error(`two webhooks have the path ${webhook.path}`);
    byPath.set(webhook.path, webhook);
  }
  const metrics = createWebhookMetrics(env.metrics);
  let inFlight = 0;
  const failing =
    ({ path }: Webhook) =>
    (error: unknown): void => {
      metrics.panicked();
      env.log.error('a webhook handler failed', { error, path });
    };
  return {
    paths: [...byPath.keys()],
    async handle(request) {
      const webhook = byPath.get(request.path);
      if (webhook === undefined) return answer(notFound(request.path));
      const startedMs = env.clock.monotonicMs();
      const done = metrics.started(webhook.path);
      inFlight++;
      let response: ApiResponse;
      try {
        if (inFlight > inFlightMax) throw newTooManyRequests(`more than ${inFlightMax} reviews at once`, 1);
        response = await review(request, webhook, { env, timeoutMs, onFailure: failing(webhook) });
      } catch (error) {
        response = answer(toApiError(error, failing(webhook)));
      } finally {
        inFlight--;
      }
      done(response.status, (env.clock.monotonicMs() - startedMs) / 1000);
      return response;
    },
  };
}

interface Bounds {
  readonly env: Env;
  readonly timeoutMs: number;
  onFailure(error: unknown): void;
}

async function review(
  request: ApiRequest,
  webhook: Webhook,
  { env, timeoutMs, onFailure }: Bounds,
): Promise<ApiResponse> {
  checkForm(request);
  const limitMs = Math.min(timeoutMs, askedTimeoutMs(request.query) ?? timeoutMs);
  const late = new AbortController();
  const timer = env.clock.setTimer(limitMs, () => {
    late.abort(new ApiError({ code: 504, reason: 'Timeout', message: `the webhook took longer than ${limitMs} ms` }));
  });
  const signal = AbortSignal.any([request.signal, late.signal]);
  try {
    // Handlers that do not look at the signal are left behind when the time is over.
    return await abortable(reviewBody(request, webhook, { env, signal, onFailure }), signal);
  } finally {
    timer.cancel();
  }
}

async function reviewBody(request: ApiRequest, webhook: Webhook, context: ReviewContext): Promise<ApiResponse> {
  const bytes = await readBody(request, webhook.bodyBytesMax);
  let body: Json;
  try {
    body = decodeJson(bytes);
  } catch (error) {
    throw newBadRequest(`the body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return ok(await webhook.review(body, context));
}

/** @throws ApiError 405, 415 */
function checkForm({ method, headers }: ApiRequest): void {
  if (method !== 'POST')
    throw new ApiError({ code: 405, reason: 'MethodNotAllowed', message: `reviews are sent with POST, got ${method}` });
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    const message = `contentType=${headers['content-type'] ?? ''}, expected application/json`;
    throw new ApiError({ code: 415, reason: 'UnsupportedMediaType', message });
  }
}

/** The API server says in the query how long it waits. */
function askedTimeoutMs(query: string): number | undefined {
  const text = new URLSearchParams(query).get('timeout');
  if (text === null) return undefined;
  try {
    const ms = durationMs(text);
    return ms > 0 ? ms : undefined;
  } catch {
    return undefined; // not from an API server: the own limit will do
  }
}

/** @throws ApiError 413 */
async function readBody({ body }: ApiRequest, bytesMax: number): Promise<Uint8Array> {
  if (body === undefined) return new Uint8Array();
  if (body.kind === 'object') return encodeJson(body.object);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const source = body.kind === 'bytes' ? [body.bytes] : body.chunks;
  for await (const chunk of source) {
    length += chunk.length;
    if (length > bytesMax) {
      const message = `request entity is too large; limit is ${bytesMax} bytes`;
      throw new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message });
    }
    chunks.push(chunk);
  }
  return joined(chunks, length);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function toApiError(error: unknown, onFailure: (error: unknown) => void): ApiError {
  if (isApiError(error)) return error;
  if (error instanceof BadReviewError) return newBadRequest(error.message);
  onFailure(error);
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError({ code: 500, reason: 'InternalError', message, cause: error });
}

function notFound(path: string): ApiError {
  return new ApiError({ code: 404, reason: 'NotFound', message: `there is no webhook at ${path}` });
}

function ok(body: Json): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', chunks: [encodeJson(body)] },
  };
}

function answer(error: ApiError): ApiResponse {
  const retryAfter = error.retryAfterSeconds;
  return {
    status: error.code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: { kind: 'bytes', chunks: [encodeJson(error.toStatus())] },
  };
}
