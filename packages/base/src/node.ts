// @homeostat/base/node: what touches the real platform.

export { createPrometheusMetrics } from './platform/prometheus.ts';
export { realClock } from './platform/real-clock.ts';
export { createRealEnv, type RealEnvOptions } from './platform/real-env.ts';
export { realRandom } from './platform/real-random.ts';
