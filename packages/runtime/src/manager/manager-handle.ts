// What a manager answers over HTTP, as a function of the request: health, metrics, diagnostics. Sockets are in `@homeostat/runtime/node`.

import type { Env } from '@homeostat/base';
import type { ApiRequest, ApiResponse, Handle } from '@homeostat/client';
import { answerHealth, type HealthReport } from './health.ts';
import { type Diagnosis, pictureOf } from './diagnosis.ts';

/** What is asked; a `Manager` is one. */
export interface ManagerSource {
  health(): HealthReport;
  ready(): HealthReport;
  /** Absent: there are no diagnostics. */
  diagnose?(): Diagnosis;
}

export interface ManagerHandleOptions {
  readonly env: Env;
  readonly source: ManagerSource;
  /** More pages below `/debug/`, by name. */
  readonly pages?: Readonly<Record<string, () => unknown>>;
}

/**
 * Answers `/healthz`, `/livez` and `/readyz` (with `?verbose`, `?exclude=` and single checks by path), `/metrics` (Prometheus' text), and
 * `/debug/`: JSON of the manager's state, its parts (`/debug/parts/<name>`: of a controller the queue, keys in flight with their age,
 * fences), informers (versions reached, state of the watch), election.
 */
export function createManagerHandle(options: ManagerHandleOptions): Handle {
  const { env, source } = options;
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'method not allowed\n');
    const [, root = '', ...rest] = request.path.split('/');
    switch (root) {
      case 'healthz':
      case 'livez':
        return health(request, root, source.health(), rest);
      case 'readyz':
        return health(request, root, source.ready(), rest);
      case 'metrics':
        if (rest.length > 0) return notFound();
        return text(200, await env.metrics.expose(), 'text/plain; version=0.0.4; charset=utf-8');
      case 'debug':
        return debug(options, rest.filter((part) => part !== '').map(decoded));
      default:
        return notFound();
    }
  };
}

function health(request: ApiRequest, path: string, report: HealthReport, rest: readonly string[]): ApiResponse {
  const query = new URLSearchParams(request.query);
  const check = rest.length === 0 || rest[0] === '' ? undefined : rest.map(decoded).join('/');
  const question = { path, check, exclude: query.getAll('exclude'), verbose: query.has('verbose') };
  const answer = answerHealth(report, question);
  return text(answer.status, answer.text);
}

function debug({ source, pages = {} }: ManagerHandleOptions, [page, name]: readonly string[]): ApiResponse {
  const diagnosis = source.diagnose?.();
  if (diagnosis === undefined) return notFound();
  if (page === undefined) {
    const names = ['state', 'parts', 'informers', 'election', ...Object.keys(diagnosis.more), ...Object.keys(pages)];
    return json({ pages: names.map((each) => `/debug/${each}`) });
  }
  if (page === 'state') return json(diagnosis);
  if (page === 'informers') return json(diagnosis.informers);
  if (page === 'election') return json(diagnosis.election ?? null);
  if (page === 'parts') {
    if (name === undefined) return json(diagnosis.parts);
    const part = diagnosis.parts.find((each) => each.name === name);
    return part === undefined ? notFound() : json(part);
  }
  if (Object.hasOwn(pages, page)) return json(pictureOf(() => pages[page]?.()));
  return Object.hasOwn(diagnosis.more, page) ? json(diagnosis.more[page]) : notFound();
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // no name of anything has a broken percent sequence
  }
}

function notFound(): ApiResponse {
  return text(404, '404 page not found\n');
}

function json(value: unknown): ApiResponse {
  return text(200, `${JSON.stringify(value ?? null, undefined, 2)}\n`, 'application/json');
}

function text(status: number, body: string, type = 'text/plain; charset=utf-8'): ApiResponse {
  return {
    status,
    headers: { 'content-type': type, 'x-content-type-options': 'nosniff' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(body)] },
  };
}
