import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { createPrometheusMetrics } from './prometheus.ts';

test('what is exposed is what prom-client exposes', async () => {
  const options = { name: 'a_seconds', help: 'A', labelNames: ['verb', 'code'], buckets: [0.1, 1, 10] };
  const observations = [
    [0.05, { verb: 'get', code: '200' }],
    [0.1, { verb: 'get', code: '200' }],
    [5, { verb: 'list', code: '2"00' }],
    [100, { verb: 'get', code: '200' }],
  ] as const;
  const registry = new Registry();
  const theirs = new Histogram({ ...options, registers: [registry] });
  const metrics = createPrometheusMetrics();
  const ours = metrics.histogram(options);
  for (const [value, labels] of observations) {
    theirs.observe(labels, value);
    ours.observe(value, labels);
  }
  assert.equal(await metrics.expose(), await registry.metrics());
});

test('without labels it is there from the start, and one name is one histogram', async () => {
  const options = { name: 'b_seconds', help: 'B', buckets: [1] };
  const registry = new Registry();
  const theirs = new Histogram({ ...options, registers: [registry] });
  const metrics = createPrometheusMetrics();
  const ours = metrics.histogram(options);
  assert.equal(await metrics.expose(), await registry.metrics());
  theirs.observe(3);
  metrics.histogram(options).observe(3);
  assert.equal(ours, metrics.histogram(options));
  assert.equal(await metrics.expose(), await registry.metrics());
});
