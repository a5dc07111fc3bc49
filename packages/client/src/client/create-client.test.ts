// The client over a scripted transport: what goes out, and what comes of each answer.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { createPrometheusMetrics } from '@homeostat/base/node';
import { metadataOf, resourceType } from '../resource/resource-type.ts';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { type ClientOptions, createClient } from './create-client.ts';

const pods = resourceType({ group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true });
const nodes = resourceType({ group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false });
const deployments = resourceType({
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
});

const encoder = new TextEncoder();

function json(value: unknown, status = 200, headers: ApiResponse['headers'] = {}): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: { kind: 'bytes', chunks: [encoder.encode(JSON.stringify(value))] },
  };
}

function setUp(
  answers: readonly (ApiResponse | Error | ((request: ApiRequest) => ApiResponse | Promise<ApiResponse>))[],
  options: Partial<ClientOptions> = {},
) {
  const env = createVirtualEnv();
  const requests: ApiRequest[] = [];
  const transport: Transport = {
    send: async (request) => {
      const answer = answers[Math.min(requests.length, answers.length - 1)];
      requests.push(request);
      if (answer instanceof Error) throw answer;
      if (answer === undefined) throw new Error('no answer');
      return typeof answer === 'function' ? answer(request) : answer;
    },
    close: () => Promise.resolve(),
  };
  return { env, requests, client: createClient({ transport, env, userAgent: 'test/1.0 (linux)', ...options }) };
}

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'x', resourceVersion: '5' } };
const lineOf = ({ method, path, query }: ApiRequest): string => `${method} ${path}${query === '' ? '' : `?${query}`}`;
const bodyOf = ({ body }: ApiRequest): unknown =>
  body?.kind === 'bytes' ? JSON.parse(new TextDecoder().decode(body.bytes)) : undefined;

describe('createClient()', () => {
  it('counts every attempt, under the names of client-go', async () => {
    const env = { ...createVirtualEnv(), metrics: createPrometheusMetrics() };
    const busy: ApiResponse = { status: 429, headers: { 'retry-after': '1' }, body: { kind: 'empty' } };
    const { client } = setUp([busy, json(pod), new TransportError('refused', 'no server')], { env, qps: 100 });
    const target = { namespace: 'x', name: 'a' };
    await env.clock.run(client.get(pods, target));
    await assert.rejects(client.get(pods, target), /no server/);
    const text = await env.metrics.expose();
    for (const line of [
      'rest_client_requests_total{code="429",method="GET",host="in-process"} 1',
      'rest_client_requests_total{code="200",method="GET",host="in-process"} 1',
      'rest_client_requests_total{code="<error>",method="GET",host="in-process"} 1',
      'rest_client_request_retries_total{code="429",verb="GET",host="in-process"} 1',
      'rest_client_request_duration_seconds_count{verb="GET",host="in-process"} 3',
      'rest_client_rate_limiter_duration_seconds_count{verb="GET",host="in-process"} 3',
    ])
      assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  });

  it('speaks the API: paths, queries, bodies and content types', async () => {
    const { client, requests } = setUp([json(pod)]);
    await client.get(pods, { namespace: 'x', name: 'a', resourceVersion: '0' });
    await client.get(nodes, { name: 'n 1' });
    await client.create(pods, { object: pod, fieldManager: 'me', dryRun: true, fieldValidation: 'Strict' });
    await client.createSubresource(pods, { namespace: 'x', name: 'a', subresource: 'eviction', object: {} });
    await client.update(deployments, { object: pod });
    await client.updateStatus(deployments, { object: pod });
    await client.patch(pods, { namespace: 'x', name: 'a', type: 'strategic', patch: { a: 1 }, subresource: 'status' });
    await client.apply(pods, { object: { metadata: { name: 'a', namespace: 'x' } }, fieldManager: 'me', force: true });
    await client.delete(pods, {
      namespace: 'x',
      name: 'a',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u' },
      propagationPolicy: 'Orphan',
    });
    await client.deleteCollection(pods, { namespace: 'x', labelSelector: 'a in (b,c)' });
    assert.deepEqual(requests.map(lineOf), [
      'GET /api/v1/namespaces/x/pods/a?resourceVersion=0',
      'GET /api/v1/nodes/n%201',
      'POST /api/v1/namespaces/x/pods?dryRun=All&fieldManager=me&fieldValidation=Strict',
      'POST /api/v1/namespaces/x/pods/a/eviction',
      'PUT /apis/apps/v1/namespaces/x/deployments/a',
      'PUT /apis/apps/v1/namespaces/x/deployments/a/status',
      'PATCH /api/v1/namespaces/x/pods/a/status',
      'PATCH /api/v1/namespaces/x/pods/a?fieldManager=me&force=true',
      'DELETE /api/v1/namespaces/x/pods/a',
      'DELETE /api/v1/namespaces/x/pods?labelSelector=a%20in%20(b%2Cc)',
    ]);
    assert.deepEqual(requests.map(({ headers }) => headers['content-type'] ?? '-').slice(5, 8), [
      'application/json',
      'application/strategic-merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    assert.equal(requests[0]?.headers['user-agent'], 'test/1.0 (linux)');
    assert.deepEqual(bodyOf(requests[7] as ApiRequest), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'x' },
    });
    assert.deepEqual(bodyOf(requests[8] as ApiRequest), {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u' },
      propagationPolicy: 'Orphan',
    });
  });

  it('refuses an object without a name or with a namespace it can not have', async () => {
    const { client, requests } = setUp([json(pod)]);
    await assert.rejects(client.get(pods, { name: 'a' }), /namespace may not be set|empty namespace/);
    await assert.rejects(client.get(pods, { namespace: 'x', name: '' }), /resource name may not be empty/);
    await assert.rejects(client.get(nodes, { namespace: 'x', name: 'a' }), /cluster-scoped/);
    assert.equal(requests.length, 0);
  });

  it('asks for metadata alone when the resource says so', async () => {
    const { client, requests } = setUp([json({ items: [] })]);
    await client.list(metadataOf(pods));
    assert.equal(requests[0]?.headers['accept'], 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1');
  });

  it('gives listed objects their kind, which the wire leaves out', async () => {
    const { client } = setUp([
      json({ kind: 'PodList', items: [{ metadata: { name: 'a' } }], metadata: { resourceVersion: '9' } }),
      json({ items: null }),
    ]);
    assert.deepEqual((await client.list(pods)).items, [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }]);
    assert.deepEqual((await client.list(pods)).items, []);
  });

  it('retries answers with Retry-After, and no others', async () => {
    const busy = json(
      { kind: 'Status', status: 'Failure', reason: 'TooManyRequests', message: 'slow', code: 429 },
      429,
      { 'retry-after': '1' },
    );
    const patient = setUp([busy, busy, json(pod)]);
    const got = patient.client.get(pods, { namespace: 'x', name: 'a' });
    assert.deepEqual(await patient.env.clock.run(got), pod);
    assert.equal(patient.requests.length, 3);
    assert.equal(patient.env.clock.monotonicMs(), 2_000);

    const broken = setUp([json({}, 500)]);
    await assert.rejects(broken.client.get(pods, { namespace: 'x', name: 'a' }), {
      code: 500,
      reason: 'InternalError',
    });
    assert.equal(broken.requests.length, 1);

    const forever = setUp([busy]);
    await assert.rejects(forever.env.clock.run(forever.client.get(pods, { namespace: 'x', name: 'a' })), { code: 429 });
    assert.equal(forever.requests.length, 11);
  });

  it('retries a broken connection for a GET, never for a write', async () => {
    const reset = new TransportError('reset', 'connection reset');
    const reading = setUp([reset, json(pod)]);
    await reading.env.clock.run(reading.client.get(pods, { namespace: 'x', name: 'a' }));
    assert.equal(reading.requests.length, 2);
    const writing = setUp([reset, json(pod)]);
    await assert.rejects(writing.client.create(pods, { object: pod }), { code: 'reset' });
    assert.equal(writing.requests.length, 1);
  });

  it('keeps to its own rate limit, which watches pass by', async () => {
    const { client, env, requests } = setUp([json(pod)], { qps: 10, burst: 2 });
    const all = Promise.all(Array.from({ length: 6 }, () => client.get(pods, { namespace: 'x', name: 'a' })));
    await env.clock.settle();
    assert.equal(requests.length, 2);
    await client.watch(pods);
    assert.equal(requests.length, 3);
    await env.clock.advance(200);
    assert.equal(requests.length, 5);
    await env.clock.run(all);
    assert.equal(env.clock.monotonicMs(), 400);
  });

  it('gives up after its time-out, and tells the server of it', async () => {
    const { client, env, requests } = setUp([
      (request) =>
        new Promise((_resolve, reject) =>
          request.signal.addEventListener('abort', () => reject(request.signal.reason as Error)),
        ),
    ]);
    const got = client.get(pods, { namespace: 'x', name: 'a', timeoutMs: 5_000 });
    await assert.rejects(env.clock.run(got), { code: 'timeout' });
    assert.equal(requests[0]?.query, 'timeout=5s');
  });

  it('decodes errors without a Status from their code', async () => {
    const text = (status: number, body: string): ApiResponse => ({
      status,
      headers: { 'content-type': 'text/plain' },
      body: { kind: 'bytes', chunks: [encoder.encode(body)] },
    });
    const messageOf = async (answer: ApiResponse): Promise<string> =>
      setUp([answer])
        .client.get(deployments, { namespace: 'x', name: 'a' })
        .then(
          () => 'ok',
          (error: Error) => error.message,
        );
    assert.equal(
      await messageOf(text(404, '')),
      'the server could not find the requested resource (get deployments.apps a)',
    );
    assert.equal(
      await messageOf(text(502, 'bad gateway')),
      'an error on the server ("bad gateway") has prevented the request from succeeding (get deployments.apps a)',
    );
    assert.equal(await messageOf(text(403, 'no entry')), 'no entry (get deployments.apps a)');
  });

  it('takes a failure Status in a 200 answer for what it is', async () => {
    const { client } = setUp([
      json({ kind: 'Status', status: 'Failure', reason: 'Invalid', message: 'no', code: 422 }),
    ]);
    await assert.rejects(client.create(pods, { object: pod }), { reason: 'Invalid' });
  });

  it('hands warnings on', async () => {
    const warnings: string[] = [];
    const { client } = setUp([json(pod, 200, { warning: ['299 - "old \\"v1\\""', '299 - "two"'] })], {
      onWarning: (text) => warnings.push(text),
    });
    await client.get(pods, { namespace: 'x', name: 'a' });
    assert.deepEqual(warnings, ['old "v1"', 'two']);
  });

  it('reads watches: frames across chunks, errors thrown, a cut frame dropped, garbage reported', async () => {
    const stream = (...parts: readonly string[]): ApiResponse => ({
      status: 200,
      headers: {},
      body: {
        kind: 'stream',
        chunks: (async function* () {
          for (const part of parts) yield encoder.encode(part);
        })(),
      },
    });
    const readAll = async (answer: ApiResponse): Promise<readonly unknown[]> => {
      const seen: unknown[] = [];
      try {
        for await (const event of await setUp([answer]).client.watch(pods)) seen.push(event.type);
      } catch (error) {
        seen.push((error as { reason: string }).reason);
      }
      return seen;
    };
    const added = JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'ü' } } });
    assert.deepEqual(await readAll(stream(added.slice(0, 20), `${added.slice(20)}\n${added}\n`, added.slice(0, 5))), [
      'ADDED',
      'ADDED',
    ]);
    const error = JSON.stringify({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired', message: 'old' },
    });
    assert.deepEqual(await readAll(stream(`${added}\n${error}\n`)), ['ADDED', 'Expired']);
    assert.deepEqual(await readAll(stream(`${added}\nnonsense\n`)), ['ADDED', 'InternalError']);
  });

  it('pages: clears the version on later pages and restarts an expired token as one full list', async () => {
    const page = (names: readonly string[], token?: string): ApiResponse =>
      json({
        metadata: { resourceVersion: '7', ...(token === undefined ? {} : { continue: token }) },
        items: names.map((name) => ({ metadata: { name } })),
      });
    const expired = json({ kind: 'Status', status: 'Failure', reason: 'Expired', message: 'too old', code: 410 }, 410);
    const { client, requests } = setUp([page(['a', 'b'], 't1'), expired, page(['a', 'b', 'c'])]);
    const pages: unknown[] = [];
    for await (const { items, restarted, more, resourceVersion } of client.listPages(pods, {
      limit: 2,
      resourceVersion: '5',
      resourceVersionMatch: 'NotOlderThan',
    })) {
      pages.push([items.length, restarted, more, resourceVersion]);
    }
    assert.deepEqual(pages, [
      [2, false, true, '7'],
      [3, true, false, '7'],
    ]);
    assert.deepEqual(
      requests.map(({ query }) => query),
      [
        'limit=2&resourceVersion=5&resourceVersionMatch=NotOlderThan',
        'limit=2&continue=t1',
        'resourceVersion=5&resourceVersionMatch=NotOlderThan',
      ],
    );
  });
});
