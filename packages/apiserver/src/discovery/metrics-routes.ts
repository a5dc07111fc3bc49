// `/metrics` and `/metrics/slis`: the text exposition of Prometheus, as far as the environment's metrics can be written out.

import type { Metrics } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import type { Route } from '../server/route.ts';

const contentType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

export function createMetricsRoutes(metrics: Metrics): readonly Route[] {
  const handle = async (): Promise<ApiResponse> => ({
    status: 200,
    headers: { 'content-type': contentType },
    body: { kind: 'bytes', chunks: [Buffer.from(await metrics.expose())] },
  });
  return [
    { path: '/metrics', methods: ['GET', 'HEAD'], handle },
    { path: '/metrics/slis', methods: ['GET', 'HEAD'], handle },
  ];
}
