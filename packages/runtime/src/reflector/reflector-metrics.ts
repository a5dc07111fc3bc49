// Metrics of lists and watches under client-go's names, label `name`: the resource.

import type { Metrics } from '@homeostat/base';

export interface ReflectorMetrics {
  listed(items: number, seconds: number): void;
  watchOpened(): void;
  /** A watch ended; `items` events came by it. */
  watchEnded(items: number, seconds: number): void;
}

const secondBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 600];
const itemBuckets = [0, 1, 10, 100, 1_000, 10_000, 100_000];
/** A watch that ends sooner without an event says that something is wrong. */
const shortSeconds = 1;

export function createReflectorMetrics(name: string, metrics: Metrics): ReflectorMetrics {
  const labels = { name };
  const labelNames = ['name'];
  const counter = (suffix: string, help: string) => metrics.counter({ name: `reflector_${suffix}`, help, labelNames });
  const histogram = (suffix: string, help: string, buckets: readonly number[]) =>
    metrics.histogram({ name: `reflector_${suffix}`, help, labelNames, buckets });
  const lists = counter('lists_total', 'Total number of API lists done by the reflectors');
  const watches = counter('watches_total', 'Total number of API watches done by the reflectors');
  const shortWatches = counter('short_watches_total', 'Total number of short API watches done by the reflectors');
  const listSeconds = histogram(
    'list_duration_seconds',
    'How long an API list takes to return and decode',
    secondBuckets,
  );
  const listItems = histogram('items_per_list', 'How many items an API list returns to the reflectors', itemBuckets);
  const watchSeconds = histogram('watch_duration_seconds', 'How long an API watch takes to end', secondBuckets);
  const watchItems = histogram('items_per_watch', 'How many items an API watch returns to the reflectors', itemBuckets);
  return {
    listed(items, seconds) {
      lists.inc(labels);
      listItems.observe(items, labels);
      listSeconds.observe(seconds, labels);
    },
    watchOpened: () => watches.inc(labels),
    watchEnded(items, seconds) {
      if (items === 0 && seconds < shortSeconds) shortWatches.inc(labels);
      watchItems.observe(items, labels);
      watchSeconds.observe(seconds, labels);
    },
  };
}
