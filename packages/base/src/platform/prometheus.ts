// The Metrics port over prom-client.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../metrics.ts';

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
    histogram({ name, help, labelNames = [], buckets }) {
      const known = registry.getSingleMetric(name) as Histogram | undefined;
      const metric =
        known ??
        new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] });
      return {
        observe: (value, labels) =>
          labels === undefined ? metric.observe(value) : metric.observe({ ...labels }, value),
      };
    },
    onCollect: (collect) => void collectors.push(collect),
    expose: () => {
      for (const collect of collectors) collect();
      return registry.metrics();
    },
  };
}
