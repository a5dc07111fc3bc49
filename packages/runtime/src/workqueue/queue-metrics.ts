// The metrics of work queues under client-go's names (spec/client.md §6.4), label `name`.

import type { Clock, Metrics } from '@homeostat/base';

/** What a queue reports. Times are monotonic milliseconds. */
export interface QueueMetrics {
  /** A key was added; the time. */
  added(): number;
  /** A key was taken; the time. */
  started(key: string, addedMs: number): number;
  finished(key: string, startedMs: number): void;
  retried(): void;
  /** Says where the depth is read from. */
  observe(queue: { readonly length: () => number }): void;
}

const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

/** Creates the metrics of the queue `name`. Depth and unfinished work are computed when metrics are read. */
export function createQueueMetrics(options: {
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
}): QueueMetrics {
  const { clock, metrics } = options;
  const labels = { name: options.name };
  const labelNames = ['name'];
  const depth = metrics.gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', labelNames });
  const adds = metrics.counter({
    name: 'workqueue_adds_total',
    help: 'Total number of adds handled by workqueue',
    labelNames,
  });
  const waited = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested',
    labelNames,
    buckets,
  });
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes',
    labelNames,
    buckets,
  });
  const unfinished = metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'Seconds of work in progress that work_duration has not observed yet; grows when workers are stuck',
    labelNames,
  });
  const longest = metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How many seconds the longest running processor has been running',
    labelNames,
  });
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    labelNames,
  });
  const running = new Map<string, number>();
  let length = (): number => 0;

  metrics.onCollect(() => {
    const nowMs = clock.monotonicMs();
    let totalMs = 0;
    let longestMs = 0;
    for (const startedMs of running.values()) {
      totalMs += nowMs - startedMs;
      longestMs = Math.max(longestMs, nowMs - startedMs);
    }
    depth.set(length(), labels);
    unfinished.set(totalMs / 1000, labels);
    longest.set(longestMs / 1000, labels);
  });

  return {
    added() {
      adds.inc(labels);
      return clock.monotonicMs();
    },
    started(key, addedMs) {
      const nowMs = clock.monotonicMs();
      waited.observe((nowMs - addedMs) / 1000, labels);
      running.set(key, nowMs);
      return nowMs;
    },
    finished(key, startedMs) {
      running.delete(key);
      worked.observe((clock.monotonicMs() - startedMs) / 1000, labels);
    },
    retried: () => retries.inc(labels),
    observe(queue) {
      length = queue.length;
    },
  };
}
