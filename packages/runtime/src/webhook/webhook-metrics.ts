// What is counted of a webhook server, under controller-runtime's names. Labels are paths of the webhooks and status codes.

import type { Metrics } from '@homeostat/base';

const secondsBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface WebhookServerMetrics {
  /** Counts a request as under way; call the result when it is answered. */
  started(webhook: string): (code: number, seconds: number) => void;
  panicked(): void;
}

export function createWebhookMetrics(metrics: Metrics): WebhookServerMetrics {
  const total = metrics.counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Reviews answered, by HTTP status code',
    labelNames: ['webhook', 'code'],
  });
  const latency = metrics.histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Time from arrival to answer of a review, in seconds',
    labelNames: ['webhook'],
    buckets: secondsBuckets,
  });
  const inFlight = metrics.gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Reviews being worked on',
    labelNames: ['webhook'],
  });
  const panics = metrics.counter({
    name: 'controller_runtime_webhook_panics_total',
    help: 'Handlers that failed in a way they do not foresee',
  });
  return {
    started(webhook) {
      inFlight.add(1, { webhook });
      return (code, seconds) => {
        inFlight.add(-1, { webhook });
        total.inc({ webhook, code: String(code) });
        latency.observe(seconds, { webhook });
      };
    },
    panicked: () => panics.inc(),
  };
}
