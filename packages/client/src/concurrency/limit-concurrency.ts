// A transport that sends no more at once than the server bears. It stands between clients and their common transport, so all of them share
// one limit, fairly.

import type { Clock } from '@homeostat/base';
import { isStreaming } from '../transport/is-streaming.ts';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';
import { isTransportError, TransportError } from '../transport/transport-error.ts';
import { AdaptiveLimit, type AdaptiveLimitOptions, type Outcome } from './adaptive-limit.ts';
import { FairQueue } from './fair-queue.ts';
import { LatencyBaseline } from './latency-baseline.ts';
import { classify, type RequestClass } from './request-class.ts';

export interface ConcurrencyOptions extends AdaptiveLimitOptions {
  /** Requests that may wait; one more is refused at once (`TransportError` `refused`: nothing was sent). Default 10,000. */
  readonly queueMax?: number;
}

/** Lease renewals at once; they are counted apart from everything else. */
const leaseLimit = 64;

/**
 * Limits a transport.
 *
 * - Not counted: watches, logs, upgrades, requests to nodes and Pods (`proxy`).
 * - `lane: 'lease'` never waits behind other requests: it has a limit of its own (64).
 * - The limit follows the answers; see {@link AdaptiveLimit}. 429 (but not an eviction's, which is a disruption budget's), 503 and time-outs
 *   are overload; latency counts for requests of one object.
 * - Flows (a user agent's requests for one resource) take turns.
 */
export function limitConcurrency(
  options: ConcurrencyOptions & { readonly transport: Transport; readonly clock: Clock },
): Transport {
  const { transport, clock, queueMax = 10_000 } = options;
  const main = new Lane({ transport, clock, queueMax, limit: new AdaptiveLimit(options) });
  const leases = new Lane({
    transport,
    clock,
    queueMax,
    limit: new AdaptiveLimit({ initial: leaseLimit, min: leaseLimit, max: leaseLimit }),
  });
  return {
    ...(transport.exchanges === undefined ? {} : { exchanges: transport.exchanges }),
    ...(transport.host === undefined ? {} : { host: transport.host }),
    send(request) {
      if (isStreaming(request) || request.headers['upgrade'] !== undefined) return transport.send(request);
      const kind = classify(request);
      if (kind.longRunning) return transport.send(request);
      return (request.lane === 'lease' ? leases : main).send(request, kind);
    },
    close: () => transport.close(),
  };
}

class Lane {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #limit: AdaptiveLimit;
  readonly #queue: FairQueue<() => void>;
  readonly #queueMax: number;
  readonly #latency = new LatencyBaseline();
  #inFlight = 0;

  constructor(options: {
    readonly transport: Transport;
    readonly clock: Clock;
    readonly limit: AdaptiveLimit;
    readonly queueMax: number;
  }) {
    this.#transport = options.transport;
    this.#clock = options.clock;
    this.#limit = options.limit;
    this.#queueMax = options.queueMax;
    this.#queue = new FairQueue(options.queueMax);
  }

  async send(request: ApiRequest, kind: RequestClass): Promise<ApiResponse> {
    if (this.#inFlight < this.#limit.value) this.#inFlight++;
    else await this.#wait(kind.flow, request.signal);
    const startedAtMs = this.#clock.monotonicMs();
    let outcome: Outcome = 'unknown';
    try {
      request.beforeSend?.();
      const response = await this.#transport.send(request);
      outcome = this.#judge(response, kind, startedAtMs);
      return response;
    } catch (error) {
      if (isTransportError(error, 'timeout')) outcome = 'overloaded';
      throw error;
    } finally {
      this.#limit.observe(outcome, { startedAtMs, nowMs: this.#clock.monotonicMs(), inFlight: this.#inFlight });
      this.#inFlight--;
      this.#admit();
    }
  }

  #judge({ status }: ApiResponse, kind: RequestClass, startedAtMs: number): Outcome {
    if ((status === 429 && !kind.eviction) || status === 503) return 'overloaded';
    if (status >= 400 || kind.timedAs === undefined) return 'fine';
    const nowMs = this.#clock.monotonicMs();
    return this.#latency.isSlow(kind.timedAs, nowMs - startedAtMs, nowMs) ? 'slow' : 'fine';
  }

  /** Resolves with a place among those in flight. */
  #wait(flow: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const enter = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#queue.remove(flow, enter);
        reject(signal.reason);
      };
      if (!this.#queue.add(flow, enter)) {
        throw new TransportError(
          'refused',
          `${this.#queueMax} requests wait already: the API server answers more slowly than it is asked`,
        );
      }
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #admit(): void {
    while (this.#inFlight < this.#limit.value) {
      const enter = this.#queue.take();
      if (enter === undefined) return;
      this.#inFlight++;
      enter();
    }
  }
}
