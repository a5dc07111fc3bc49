// The Metrics port over prom-client.

import { Counter, Gauge, type Metric, Registry } from 'prom-client';
import type { Metrics } from '../metrics.ts';
import { SeriesHistogram } from './series-histogram.ts';

/** Creates an empty registry with the text exposition of Prometheus. */
export function createPrometheusMetrics(): Metrics {
  const registry = new Registry();
  const collectors: (() => void)[] = [];
  return {
    counter({ name, help, labelNames = [] }) {
      const known = registry.getSingleMetric(name) as Counter | undefined;
      const metric = known ?? new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
      return { inc: (labels, by = 1) => (labels === undefined ? metric.inc(by) : metric.inc({ ...labels }, by)) };
    },
    gauge({ name, help, labelNames = [] }) {
      const known = registry.getSingleMetric(name) as Gauge | undefined;
      const metric = known ?? new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
      return {
        set: (value, labels) => (labels === undefined ? metric.set(value) : metric.set({ ...labels }, value)),
        add: (by, labels) => (labels === undefined ? metric.inc(by) : metric.inc({ ...labels }, by)),
      };
    },
    histogram(options) {
      const known = registry.getSingleMetric(options.name) as unknown as SeriesHistogram | undefined;
      const histogram = known ?? new SeriesHistogram(options);
      if (known === undefined) registry.registerMetric(histogram as unknown as Metric);
      return histogram;
    },
    onCollect: (collect) => void collectors.push(collect),
    expose: () => {
      for (const collect of collectors) collect();
      return registry.metrics();
    },
  };
}
