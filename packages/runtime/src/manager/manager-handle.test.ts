// What a manager answers over HTTP, and to whom; without sockets.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, createVirtualEnv } from '@homeostat/base';
import { createPrometheusMetrics } from '@homeostat/base/node';
import { createClient, createInProcessTransport, type Handle, type Peer } from '@homeostat/client';
import { withAccessFilter } from './access-filter.ts';
import { createManager } from './manager.ts';
import { createManagerHandle } from './manager-handle.ts';

function setUp() {
  const env = { ...createVirtualEnv(), metrics: createPrometheusMetrics() };
  const manager = createManager({ env });
  manager.addHealthCheck('ping', () => undefined);
  manager.addHealthCheck('disk', () => undefined);
  manager.addReadyCheck('sync', () => 'two informers wait');
  manager.add({ name: 'my part', run: () => Promise.resolve(), status: () => ({ queue: ['a'] }) });
  const handle = createManagerHandle({ env, source: manager, pages: { process: () => ({ pid: 1 }) } });
  return { env, handle };
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly peer?: Peer;
}

async function ask(handle: Handle, url: string, { method = 'GET', headers = {}, ...more }: Asked = {}) {
  const [path = '', query = ''] = url.split('?');
  const { signal } = new AbortController();
  const { status, body, headers: sent } = await handle({ method, path, query, headers, signal, ...more });
  const text = body.kind === 'bytes' ? Buffer.concat(body.chunks).toString() : '';
  return { status, text, type: sent['content-type'] };
}

describe('createManagerHandle()', () => {
  it('answers health checks as Kubernetes does', async () => {
    const { handle } = setUp();
    assert.deepEqual(await ask(handle, '/healthz'), { status: 200, text: 'ok', type: 'text/plain; charset=utf-8' });
    assert.equal((await ask(handle, '/healthz?verbose')).text, '[+]ping ok\n[+]disk ok\nhealthz check passed\n');
    assert.equal((await ask(handle, '/healthz?verbose&exclude=disk')).text, '[+]ping ok\nhealthz check passed\n');
    assert.equal((await ask(handle, '/livez/ping')).text, 'ok');
    assert.equal((await ask(handle, '/healthz/ping?verbose')).text, '[+]ping ok\nhealthz check passed\n');
    assert.deepEqual(await ask(handle, '/readyz'), {
      status: 500,
      text: '[-]sync failed: reason withheld\nreadyz check failed\n',
      type: 'text/plain; charset=utf-8',
    });
    assert.equal((await ask(handle, '/readyz?exclude=sync')).text, 'ok');
    assert.equal((await ask(handle, '/healthz/nothing')).status, 404);
    assert.equal((await ask(handle, '/')).status, 404);
    assert.equal((await ask(handle, '/healthz', { method: 'POST' })).status, 405);
  });

  it('shows the rest where one picture is no JSON', async () => {
    const env = createVirtualEnv();
    const manager = createManager({ env });
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    manager.add({ name: 'odd', run: () => Promise.resolve(), status: () => cycle });
    manager.add({ name: 'even', run: () => Promise.resolve(), status: () => ({ well: true }) });
    manager.addDiagnosis('big', () => 10n);
    const fails = (): never => {
      throw new Error('no page');
    };
    const handle = createManagerHandle({ env, source: manager, pages: { fails, nothing: () => undefined } });
    const parts = JSON.parse((await ask(handle, '/debug/parts')).text) as readonly { readonly status: object }[];
    assert.match(JSON.stringify(parts[0]?.status), /circular/);
    assert.deepEqual(parts[1]?.status, { well: true });
    assert.match((await ask(handle, '/debug/state')).text, /"big": \{\s*"error": "[^"]*BigInt/);
    assert.match((await ask(handle, '/debug/fails')).text, /"error": "no page"/);
    assert.deepEqual((await ask(handle, '/debug/nothing')).status, 200);
  });

  it('serves metrics as text and diagnostics as JSON', async () => {
    const { env, handle } = setUp();
    env.metrics.counter({ name: 'things_total', help: 'things' }).inc();
    const metrics = await ask(handle, '/metrics');
    assert.match(metrics.text, /^things_total 1$/m);
    assert.equal(metrics.type, 'text/plain; version=0.0.4; charset=utf-8');
    const part = { name: 'my part', group: 'leader', running: false, status: { queue: ['a'] } };
    assert.deepEqual(JSON.parse((await ask(handle, '/debug/parts')).text), [part]);
    assert.deepEqual(JSON.parse((await ask(handle, '/debug/parts/my%20part')).text), part);
    assert.deepEqual(JSON.parse((await ask(handle, '/debug/process')).text), { pid: 1 });
    assert.equal(JSON.parse((await ask(handle, '/debug/state')).text).state, 'new');
    const { pages } = JSON.parse((await ask(handle, '/debug/')).text) as { pages: readonly string[] };
    for (const page of pages) assert.equal((await ask(handle, page)).status, 200, page);
    for (const page of ['/debug/nothing', '/debug/parts/other', '/debug/toString', '/metrics/x'])
      assert.equal((await ask(handle, page)).status, 404, page);
  });
});

describe('withAccessFilter()', () => {
  it('asks the API server who it is and whether they may, and remembers for a while', async () => {
    const { env, handle } = setUp();
    const reviews: unknown[] = [];
    let down = false;
    const client = createClient({
      transport: createInProcessTransport({
        handle: async ({ path, body }) => {
          if (down) throw new ApiError({ code: 500, reason: 'InternalError', message: 'down' });
          const { spec } = (body as { readonly object: { readonly spec: Record<string, unknown> } }).object;
          reviews.push(spec);
          const status = path.endsWith('/tokenreviews')
            ? { authenticated: spec['token'] !== 'bad', user: { username: String(spec['token']), groups: ['g'] } }
            : { allowed: spec['user'] === 'scraper' || spec['user'] === 'cert' };
          return { status: 201, headers: {}, body: { kind: 'object', object: { kind: 'Review', spec, status } } };
        },
        user: { username: 'me' },
      }),
      env,
      userAgent: 'test',
    });
    const guarded = withAccessFilter(handle, { env, client });
    const as = (token: string): Asked => ({ headers: { authorization: `Bearer ${token}` } });
    assert.equal((await ask(guarded, '/healthz/ping')).status, 200);
    assert.equal(reviews.length, 0, 'health is for everybody');
    assert.equal((await ask(guarded, '/metrics')).status, 401);
    assert.equal((await ask(guarded, '/metrics', as('bad'))).status, 401);
    assert.equal((await ask(guarded, '/metrics', as('visitor'))).status, 403);
    reviews.length = 0;
    for (let i = 0; i < 3; i++) assert.equal((await ask(guarded, '/metrics', as('scraper'))).status, 200);
    assert.deepEqual(reviews, [
      { token: 'scraper' },
      { user: 'scraper', groups: ['g'], nonResourceAttributes: { path: '/metrics', verb: 'get' } },
    ]);
    const certificate = { commonName: 'cert', organizations: [], fingerprint: '' };
    assert.equal((await ask(guarded, '/metrics', { peer: { clientCertificate: certificate } })).status, 200);
    await env.clock.advance(61_000);
    down = true;
    assert.equal((await ask(guarded, '/debug/state', as('scraper'))).status, 503);
    assert.equal((await ask(guarded, '/metrics', as('scraper'))).status, 503, 'what was known is too old');
  });
});
