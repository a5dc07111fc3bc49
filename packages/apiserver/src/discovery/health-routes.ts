// `/healthz`, `/livez`, `/readyz` with their checks (spec/apiserver.md §10.4): what is asked by name, left out, or told in
// full with `?verbose`. Reasons of failures are withheld from the answer and logged.

import type { Logger } from '@homeostat/base';
import type { ApiResponse } from '@homeostat/client';
import type { RequestContext } from '../server/request-context.ts';
import type { Route } from '../server/route.ts';

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

export interface HealthCheck {
  /** e.g. `ping`, `poststarthook/rbac/bootstrap-roles`. */
  readonly name: string;
  /** Endpoints it is part of. */
  readonly endpoints: readonly HealthEndpoint[];
  /** Resolves with what is wrong, or undefined when all is well. */
  check(signal: AbortSignal): Promise<string | undefined> | string | undefined;
}

const anyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const plainText = 'text/plain; charset=utf-8';
const allEndpoints: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** Checks every server has. */
export const basicChecks: readonly HealthCheck[] = [
  { name: 'ping', endpoints: allEndpoints, check: () => undefined },
  { name: 'log', endpoints: allEndpoints, check: () => undefined },
];

export function createHealthRoutes(log: Logger, checks: readonly HealthCheck[]): readonly Route[] {
  return allEndpoints.map((endpoint) => {
    const own = checks.filter((check) => check.endpoints.includes(endpoint));
    return {
      path: `/${endpoint}`,
      prefix: true,
      methods: anyMethod,
      indexPaths: () => own.map(({ name }) => `/${endpoint}/${name}`),
      handle(context) {
        const rest = context.info.path.slice(endpoint.length + 1);
        if (rest === '') return answerAll(context, endpoint, { own, log });
        const check = own.find(({ name }) => `/${name}` === rest);
        return check === undefined ? undefined : answerOne(context, check, log);
      },
    };
  });
}

async function answerOne(context: RequestContext, check: HealthCheck, log: Logger): Promise<ApiResponse> {
  const problem = await run(check, context.signal);
  if (problem === undefined) return text(200, 'ok');
  log.warn('health check failed', { check: check.name, problem });
  return text(500, `internal server error: ${problem}\n`);
}

async function answerAll(
  context: RequestContext,
  endpoint: HealthEndpoint,
  { own, log }: { readonly own: readonly HealthCheck[]; readonly log: Logger },
): Promise<ApiResponse> {
  const excluded = new Set(context.query.getAll('exclude'));
  const failed: string[] = [];
  let lines = '';
  for (const check of own) {
    const { name } = check;
    if (excluded.delete(name)) {
      lines += `[+]${name} excluded: ok\n`;
      continue;
    }
    const problem = await run(check, context.signal);
    if (problem === undefined) {
      lines += `[+]${name} ok\n`;
      continue;
    }
    failed.push(name);
    lines += `[-]${name} failed: reason withheld\n`;
    log.warn('health check failed', { check: name, problem });
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort().map((name) => JSON.stringify(name));
    lines += `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`;
  }
  if (failed.length > 0)
    return text(500, `${lines}${endpoint} check failed\n`, { 'x-content-type-options': 'nosniff' });
  if (!context.query.has('verbose')) return text(200, 'ok');
  return text(200, `${lines}${endpoint} check passed\n`);
}

/** A check that throws has failed. */
async function run(check: HealthCheck, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await check.check(signal);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return {
    status,
    headers: { 'content-type': plainText, ...headers },
    body: { kind: 'bytes', chunks: [Buffer.from(body)] },
  };
}
