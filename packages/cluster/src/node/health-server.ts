// Health and metrics of a component that runs alone: /healthz, /livez, /readyz (with ?verbose and single checks) and /metrics
// on a TLS port of its own (spec/infrastructure.md §1.6), through the API server's listener.

import type { Env } from '@homeostat/base';
import { listen, type Listener } from '@homeostat/apiserver/node';
import type { CertificatePair } from '@homeostat/apiserver/node';
import type { ApiRequest, ApiResponse } from '@homeostat/client';
import { formatHealth, type HealthReport } from '@homeostat/runtime';

export interface HealthServerOptions {
  readonly env: Env;
  readonly host: string;
  /** 0 serves none. */
  readonly port: number;
  readonly certificate: CertificatePair;
  readonly health: () => HealthReport;
  readonly ready: () => HealthReport;
}

/** Listens until `close`; undefined when the port is 0. @throws when the port is taken */
export async function serveHealth(options: HealthServerOptions): Promise<Listener | undefined> {
  if (options.port === 0) return undefined;
  return listen({
    env: options.env,
    host: options.host,
    port: options.port,
    tls: options.certificate,
    handle: (request) => answer(options, request),
  });
}

async function answer(options: HealthServerOptions, request: ApiRequest): Promise<ApiResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'method not allowed\n');
  const [, root = '', check] = request.path.split('/');
  const query = new URLSearchParams(request.query);
  switch (root) {
    case 'healthz':
    case 'livez':
      return report(root, options.health(), check, query);
    case 'readyz':
      return report(root, options.ready(), check, query);
    case 'metrics':
      return text(200, await options.env.metrics.expose(), 'text/plain; version=0.0.4; charset=utf-8');
    default:
      return text(404, '404 page not found\n');
  }
}

function report(path: string, found: HealthReport, check: string | undefined, query: URLSearchParams): ApiResponse {
  const excluded = new Set(query.getAll('exclude'));
  const checks = found.checks.filter(
    (entry) => (check === undefined || entry.name === check) && !excluded.has(entry.name),
  );
  if (check !== undefined && checks.length === 0) return text(404, '404 page not found\n');
  const chosen: HealthReport = { checks, healthy: checks.every((entry) => entry.error === undefined) };
  if (!chosen.healthy) return text(500, formatHealth(path, chosen));
  return text(200, query.has('verbose') ? formatHealth(path, chosen) : 'ok');
}

function text(status: number, body: string, type = 'text/plain; charset=utf-8'): ApiResponse {
  return {
    status,
    headers: { 'content-type': type, 'x-content-type-options': 'nosniff' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(body)] },
  };
}
