// What every call takes, and what the client says for all of them. The transport is scripted, time is virtual.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Deployment } from '@homeostat/api/types/apps-v1';
import { createVirtualEnv } from '@homeostat/base';
import { deployments, leases, pods } from '../resources.ts';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';
import type { ApplyConfiguration } from './apply-configuration.ts';
import { type ClientOptions, createClient } from './create-client.ts';

function setUp(
  answer: (request: ApiRequest, index: number) => Partial<ApiResponse>,
  options: Partial<ClientOptions> = {},
) {
  const env = createVirtualEnv();
  const requests: ApiRequest[] = [];
  const transport: Transport = {
    exchanges: 'object',
    send: async (request) => {
      requests.push(request);
      const body = { kind: 'object', object: { kind: 'Status', status: 'Success' } } as const;
      return { status: 200, headers: {}, body, ...answer(request, requests.length - 1) };
    },
    close: () => Promise.resolve(),
  };
  return { env, requests, client: createClient({ transport, env, userAgent: 'test/1', ...options }) };
}
const fine = (): Partial<ApiResponse> => ({});
const busy = (retryAfter: string): Partial<ApiResponse> => ({
  status: 429,
  headers: { 'retry-after': retryAfter },
  body: { kind: 'empty' },
});
const named = { namespace: 'x', name: 'a' };
const bodyOf = (request: ApiRequest | undefined): unknown =>
  request?.body?.kind === 'object' ? request.body.object : undefined;

describe('createClient()', () => {
  it('acts as somebody else, for all calls or for one', async () => {
    const { client, requests } = setUp(fine, { impersonate: { user: 'jane', groups: ['a', 'b'] } });
    await client.get(pods, named);
    await client.get(pods, { ...named, impersonate: { user: 'joe', uid: '7', extra: { 'A/b': ['c'] } } });
    await client.watch(pods, { impersonate: { user: 'wanda' } });
    const acting = requests.map(({ headers }) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('impersonate-'))),
    );
    assert.deepEqual(acting, [
      { 'impersonate-user': 'jane', 'impersonate-group': 'a, b' },
      { 'impersonate-user': 'joe', 'impersonate-uid': '7', 'impersonate-extra-a%2Fb': 'c' },
      { 'impersonate-user': 'wanda' },
    ]);
    await assert.rejects(client.get(pods, { ...named, impersonate: { user: '', groups: ['a'] } }), /needs a user name/);
    assert.throws(() => setUp(fine, { impersonate: { user: 'jane', groups: ['a, b'] } }), /may not hold a comma/);
  });

  it('has defaults for all writes, which a call overrides', async () => {
    const { client, requests } = setUp(fine, { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' });
    const object = { metadata: named };
    await client.create(pods, { object });
    await client.patch(pods, { ...named, type: 'merge', patch: {}, dryRun: false, fieldManager: 'you' });
    await client.delete(pods, named);
    await client.delete(pods, { ...named, dryRun: false });
    await client.deleteCollection(pods, { namespace: 'x' });
    await client.get(pods, named);
    assert.deepEqual(
      requests.map(({ query }) => query),
      ['dryRun=All&fieldManager=me&fieldValidation=Strict', 'fieldManager=you&fieldValidation=Strict', '', '', '', ''],
    );
    const dryRuns = requests.slice(2, 5).map((request) => (bodyOf(request) as { readonly dryRun?: unknown }).dryRun);
    assert.deepEqual(dryRuns, [['All'], undefined, ['All']]);
  });

  it('applies typed parts of objects', async () => {
    const { client, requests } = setUp(fine);
    // Neither selector nor template: the compiler takes the part, and refuses a wrong one.
    const object: ApplyConfiguration<Deployment> = {
      metadata: named,
      spec: { replicas: 3, template: { spec: { containers: [{ name: 'web' }] } } },
    };
    // @ts-expect-error replicas is a number
    const wrong: ApplyConfiguration<Deployment> = { spec: { replicas: '3' } };
    assert.ok(wrong);
    await client.apply(deployments, { object, fieldManager: 'scaler', force: true });
    assert.equal(requests[0]?.query, 'fieldManager=scaler&force=true');
    assert.equal(requests[0].headers['content-type'], 'application/apply-patch+yaml');
    assert.deepEqual(bodyOf(requests[0]), { apiVersion: 'apps/v1', kind: 'Deployment', ...object });
    await assert.rejects(client.apply(deployments, { object }), /needs a fieldManager/);
    await assert.rejects(
      client.apply(deployments, { object: {}, fieldManager: 'x' }),
      /resource name may not be empty|empty namespace/,
    );
  });

  it('takes the namespace of the call for an object that has none', async () => {
    const { client, requests } = setUp(fine);
    const object = { metadata: { name: 'a' } };
    await client.update(pods, { namespace: 'x', object });
    await client.updateStatus(pods, { namespace: 'x', object });
    await client.apply(pods, { namespace: 'x', object, fieldManager: 'me' });
    assert.deepEqual(
      requests.map(({ method, path }) => `${method} ${path}`),
      [
        'PUT /api/v1/namespaces/x/pods/a',
        'PUT /api/v1/namespaces/x/pods/a/status',
        'PATCH /api/v1/namespaces/x/pods/a',
      ],
    );
  });

  it('sends every kind of patch, to subresources too', async () => {
    const { client, requests } = setUp(fine);
    const patch = [{ op: 'test', path: '/a', value: 1 }];
    await client.patch(pods, { ...named, type: 'json', patch });
    await client.patch(pods, { ...named, type: 'merge', patch: {}, subresource: 'status' });
    await client.patch(pods, { ...named, type: 'strategic', patch: {}, subresource: 'ephemeralcontainers' });
    await client.patch(pods, { ...named, type: 'apply', patch: {}, fieldManager: 'me', force: true });
    assert.deepEqual(
      requests.map(({ path, headers }) => `${path.split('/').slice(6).join('/')} ${headers['content-type']}`),
      [
        'a application/json-patch+json',
        'a/status application/merge-patch+json',
        'a/ephemeralcontainers application/strategic-merge-patch+json',
        'a application/apply-patch+yaml',
      ],
    );
  });

  it('marks reads and writes of one Lease for the reserved lane, which the rate limit does not hold', async () => {
    const { client, requests, env } = setUp(
      () => ({ body: { kind: 'object', object: { kind: 'LeaseList', items: [] } } }),
      { qps: 1, burst: 1 },
    );
    await client.get(pods, named);
    const lease = { metadata: named };
    await client.get(leases, named);
    await client.create(leases, { object: lease });
    await client.update(leases, { object: lease });
    await client.patch(leases, { ...named, type: 'merge', patch: {} });
    await client.update(pods, { object: lease, lane: 'lease' });
    assert.equal(env.clock.monotonicMs(), 0);
    await env.clock.run(client.list(leases));
    assert.deepEqual(
      requests.map(({ lane }) => lane),
      [undefined, 'lease', 'lease', 'lease', 'lease', 'lease', undefined],
    );
    assert.equal(env.clock.monotonicMs(), 1_000);
  });

  it('spec scenario 68: retries answers with Retry-After, not a body that can be sent once only, nor for ever', async () => {
    const patient = setUp((_, index) => (index < 2 ? busy('1') : {}));
    await patient.env.clock.run(patient.client.get(pods, named));
    assert.equal(patient.requests.length, 3);
    const demanding = setUp(() => busy('61'));
    await assert.rejects(demanding.client.get(pods, named), { code: 429 });
    assert.equal(demanding.requests.length, 1);
    assert.equal(demanding.env.clock.monotonicMs(), 0);
  });

  it('gives up after its time-out, the waits between retries included', async () => {
    const { client, env, requests } = setUp(() => busy('2'));
    await assert.rejects(env.clock.run(client.get(pods, { ...named, timeoutMs: 5_000 })), { code: 'timeout' });
    assert.equal(env.clock.monotonicMs(), 5_000);
    assert.equal(requests.length, 3);
  });

  it('lists all pages as one list', async () => {
    const item = (name: string) => ({ metadata: { name } });
    const page = (items: readonly object[], more: string, resourceVersion: string): Partial<ApiResponse> => ({
      body: { kind: 'object', object: { kind: 'PodList', metadata: { resourceVersion, continue: more }, items } },
    });
    const { client } = setUp((_, index) => (index === 0 ? page([item('a')], 'next', '5') : page([item('b')], '', '9')));
    const list = await client.listAll(pods, { limit: 1 });
    assert.deepEqual(
      list.items.map(({ metadata }) => metadata?.name),
      ['a', 'b'],
    );
    assert.deepEqual(list.metadata, { resourceVersion: '5' });
    const expired = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' };
    const restarted = setUp(({ query }, index) =>
      index === 1
        ? { status: 410, body: { kind: 'object', object: expired } }
        : page(
            query.includes('limit') ? [item('old')] : [item('a'), item('b')],
            'next',
            query.includes('limit') ? '5' : '9',
          ),
    );
    const full = await restarted.client.listAll(pods, {
      limit: 1,
      resourceVersion: '3',
      resourceVersionMatch: 'Exact',
    });
    assert.deepEqual(
      full.items.map(({ metadata }) => metadata?.name),
      ['a', 'b'],
    );
    assert.deepEqual(full.metadata, { resourceVersion: '9' });
    assert.deepEqual(
      restarted.requests.map(({ query }) => query),
      [
        'limit=1&resourceVersion=3&resourceVersionMatch=Exact',
        'limit=1&continue=next',
        'resourceVersion=3&resourceVersionMatch=Exact',
      ],
    );
  });

  it('reads pages on from a token, and says of initial events what it was told', async () => {
    const page = (more: string): Partial<ApiResponse> => ({
      body: {
        kind: 'object',
        object: { kind: 'PodList', metadata: { resourceVersion: '7', continue: more }, items: [] },
      },
    });
    const { client, requests } = setUp((_, index) => page(index === 0 ? 'third' : ''));
    const list = await client.listAll(pods, { continue: 'second', limit: 1, resourceVersion: '5' });
    assert.equal(list.metadata?.resourceVersion, '7');
    await client.watch(pods, { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' });
    assert.deepEqual(
      requests.map(({ query }) => query),
      [
        'limit=1&continue=second',
        'limit=1&continue=third',
        'watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=false',
      ],
    );
  });

  it('sends a text that is not JSON as it is', async () => {
    const { client, requests } = setUp(fine);
    const raw = { method: 'PATCH', path: '/api/v1/namespaces/x/pods/a' };
    await client.request({ ...raw, body: 'kind: Pod', contentType: 'application/apply-patch+yaml' });
    await client.request({ ...raw, body: 'text' });
    assert.deepEqual(
      requests.map(({ body }) => (body?.kind === 'bytes' ? Buffer.from(body.bytes).toString() : body)),
      ['kind: Pod', { kind: 'object', object: 'text' }],
    );
  });
});
