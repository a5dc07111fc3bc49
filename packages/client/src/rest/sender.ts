// Sends one request through a transport: rate limit, time-out, retries (spec/client.md §1.1). It decodes nothing but
// Retry-After; `create-client.ts` does the rest.

import type { Clock } from '@homeostat/base';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';
import { isTransportError, TransportError } from '../transport/transport-error.ts';
import { discardBody } from './body.ts';
import { retryAfterOf } from './decode-error.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { TokenBucket } from './token-bucket.ts';

export interface SenderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Absent: no limit of our own; the server's priority and fairness decides. */
  readonly bucket?: TokenBucket | undefined;
  /** Retries of one request at most. */
  readonly retriesMax: number;
  readonly metrics: RequestMetrics;
}

/** A server that wants a longer pause is not waited for: the caller gets its answer, and may come again by itself. */
const retryAfterMaxSeconds = 60;

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  /** For the whole call, its waits and retries included. */
  readonly timeoutMs?: number | undefined;
  /** Watches are not held back by the bucket, and broken connections are the caller's to retry. */
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
  const { transport, clock, bucket, metrics } = options;

  const take = async (method: string, tokens: TokenBucket, signal: AbortSignal): Promise<void> => {
    const startMs = clock.monotonicMs();
    await tokens.take(signal);
    metrics.waited(method, (clock.monotonicMs() - startMs) / 1000);
  };
  const attempt = async (request: ApiRequest): Promise<ApiResponse> => {
    const startMs = clock.monotonicMs();
    let status: number | undefined;
    try {
      const response = await transport.send(request);
      ({ status } = response);
      return response;
    } finally {
      metrics.finished(request.method, status, (clock.monotonicMs() - startMs) / 1000);
    }
  };

  return async (request, sendOptions) => {
    const { timeoutMs, watch = false, headers, retriesMax = options.retriesMax } = sendOptions;
    const deadline = timeoutMs === undefined ? undefined : createDeadline(clock, timeoutMs, sendOptions.signal);
    const signal = deadline?.signal ?? sendOptions.signal ?? neverAborts;
    const repeatable = request.body?.kind !== 'stream';
    try {
      for (let retries = 0; ; retries++) {
        signal.throwIfAborted();
        if (bucket !== undefined && !watch && request.lane !== 'lease') await take(request.method, bucket, signal);
        const again = repeatable && retries < retriesMax;
        let waitMs: number;
        let status: number | undefined;
        try {
          const sent =
            headers === undefined
              ? request
              : { ...request, headers: { ...request.headers, ...headers() }, beforeSend: () => void headers() };
          const response = await attempt({ ...sent, signal });
          const seconds = response.status === 429 || response.status >= 500 ? retryAfterOf(response) : undefined;
          if (seconds === undefined || seconds > retryAfterMaxSeconds || !again)
            return withDeadline(response, deadline);
          await discardBody(response);
          ({ status } = response);
          waitMs = seconds * 1000;
        } catch (error) {
          // A GET changes nothing, so a connection that broke under it may be tried again.
          if (!again || watch || request.method !== 'GET' || !isTransportError(error, 'reset')) throw error;
          waitMs = 1000;
        }
        metrics.retried(request.method, status);
        await clock.sleep(waitMs, signal);
      }
    } catch (error) {
      deadline?.clear();
      throw error;
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
function withDeadline(response: ApiResponse, deadline: Deadline | undefined): ApiResponse {
  const { body } = response;
  if (deadline === undefined) return response;
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
