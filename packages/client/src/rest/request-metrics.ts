// Metrics of requests under client-go's names: every attempt counts, whatever came of it.

import type { Metrics } from '@homeostat/base';

export interface RequestMetrics {
  /** An attempt ended with a status, or without an answer (undefined). Watches: when they were accepted. */
  finished(method: string, status: number | undefined, seconds: number): void;
  /** A request is tried again after this status, or after none. */
  retried(method: string, status: number | undefined): void;
  /** A request was held back by the client's own rate limit. */
  waited(method: string, seconds: number): void;
}

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Code of attempts that no answer came to, as client-go writes it. */
const noAnswer = '<error>';

export function createRequestMetrics(host: string, metrics: Metrics): RequestMetrics {
  const total = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host',
    labelNames: ['code', 'method', 'host'],
  });
  const duration = metrics.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Request latency in seconds, by verb and host',
    labelNames: ['verb', 'host'],
    buckets,
  });
  const retries = metrics.counter({
    name: 'rest_client_request_retries_total',
    help: 'Number of request retries, partitioned by status code, verb, and host',
    labelNames: ['code', 'verb', 'host'],
  });
  const limited = metrics.histogram({
    name: 'rest_client_rate_limiter_duration_seconds',
    help: 'Time that requests wait for the rate limit of the client, by verb and host',
    labelNames: ['verb', 'host'],
    buckets,
  });
  const codeOf = (status: number | undefined): string => (status === undefined ? noAnswer : String(status));
  return {
    finished(method, status, seconds) {
      total.inc({ code: codeOf(status), method, host });
      duration.observe(seconds, { verb: method, host });
    },
    retried: (method, status) => retries.inc({ code: codeOf(status), verb: method, host }),
    waited: (method, seconds) => limited.observe(seconds, { verb: method, host }),
  };
}
