// Sends one request through a transport: rate limit, time-out, retries (spec/client.md §1.1). It decodes nothing but
// Retry-After; `create-client.ts` does the rest.

import type { Clock } from '@homeostat/base';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';
import { isTransportError, TransportError } from '../transport/transport-error.ts';
import { readBody } from './body.ts';
import { retryAfterOf } from './decode-error.ts';
import type { TokenBucket } from './token-bucket.ts';

export interface SenderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Absent: no limit of our own; the server's priority and fairness decides. */
  readonly bucket?: TokenBucket | undefined;
  /** Retries of one request at most. */
  readonly retriesMax: number;
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Watches are not throttled, and broken connections are the caller's to retry. */
  readonly watch?: boolean;
  /** Asked before each attempt; what it throws ends the call. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Default the sender's. */
  readonly retriesMax?: number | undefined;
}

/** The request line and content; the sender adds the signal. */
export type Outgoing = Omit<ApiRequest, 'signal'>;

/** Creates the function that sends requests. Its answers may have any status. */
export function createSender(
  options: SenderOptions,
): (request: Outgoing, sendOptions: SendOptions) => Promise<ApiResponse> {
  const { transport, clock, bucket } = options;

  const attempt = async (request: Outgoing, { signal, timeoutMs }: SendOptions): Promise<ApiResponse> => {
    if (timeoutMs === undefined) return transport.send({ ...request, signal: signal ?? neverAborts });
    const deadline = createDeadline(clock, timeoutMs, signal);
    const response = await transport.send({ ...request, signal: deadline.signal }).catch((error: unknown) => {
      deadline.clear();
      throw error;
    });
    return withDeadline(response, deadline);
  };

  return async (request, sendOptions) => {
    const { signal, watch = false, retriesMax = options.retriesMax } = sendOptions;
    const repeatable = request.body?.kind !== 'stream';
    for (let retries = 0; ; retries++) {
      signal?.throwIfAborted();
      if (bucket !== undefined && !watch) await bucket.take(signal);
      let waitMs: number;
      try {
        const { headers } = sendOptions;
        const sent = headers === undefined ? request : { ...request, headers: { ...request.headers, ...headers() } };
        const response = await attempt(sent, sendOptions);
        const seconds = response.status === 429 || response.status >= 500 ? retryAfterOf(response) : undefined;
        if (seconds === undefined || !repeatable || retries >= retriesMax) return response;
        await readBody(response);
        waitMs = seconds * 1000;
      } catch (error) {
        // A GET changes nothing, so a connection that broke under it may be tried again.
        const again = request.method === 'GET' && !watch && isTransportError(error, 'reset') && retries < retriesMax;
        if (!again) throw error;
        waitMs = 1000;
      }
      await clock.sleep(waitMs, signal);
    }
  };
}

const neverAborts = new AbortController().signal;

interface Deadline {
  readonly signal: AbortSignal;
  clear(): void;
}

function createDeadline(clock: Clock, timeoutMs: number, parent: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) onAbort();
  parent?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimer(timeoutMs, () => {
    controller.abort(new TransportError('timeout', `no answer from the API server within ${timeoutMs} ms`));
  });
  return {
    signal: controller.signal,
    clear() {
      timer.cancel();
      parent?.removeEventListener('abort', onAbort);
    },
  };
}

/** Keeps the deadline running until a streamed body has been read. */
function withDeadline(response: ApiResponse, deadline: Deadline): ApiResponse {
  const { body } = response;
  if (body.kind !== 'stream') {
    deadline.clear();
    return response;
  }
  const read = async function* (): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* body.chunks;
    } finally {
      deadline.clear();
    }
  };
  return { ...response, body: { kind: 'stream', chunks: read() } };
}
