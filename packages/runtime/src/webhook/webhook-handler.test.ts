import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createVirtualEnv, type Env } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import type { ApiRequest } from '@homeostat/client';
import { configMaps } from '@homeostat/client/resources';
import { FieldPath, invalid, newConflict, newNotFound } from '@homeostat/machinery';
import { convertKind, createConversionWebhook } from './conversion-webhook.ts';
import { createMutatingWebhook } from './mutating-webhook.ts';
import { createValidatingWebhook } from './validating-webhook.ts';
import type { Webhook } from './webhook.ts';
import { webhookConfigurations } from './webhook-configurations.ts';
import { createWebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: {
    readonly kind: string;
    readonly message?: string;
    readonly response: {
      readonly uid: string;
      readonly allowed: boolean;
      readonly status?: {
        readonly code: number;
        readonly reason?: string;
        readonly message: string;
        readonly details?: unknown;
      };
      readonly patch?: string;
      readonly patchType?: string;
      readonly warnings?: readonly string[];
      readonly auditAnnotations?: object;
    };
  };
}

type Ask = (path: string, body: unknown, more?: Partial<ApiRequest>) => Promise<Answered>;

function serve(webhooks: readonly Webhook[], options: Partial<WebhookHandlerOptions> = {}): Ask {
  const { handle } = createWebhookHandler({ env: createVirtualEnv(), webhooks, ...options });
  return async (path, body, more = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await handle({
      method: 'POST',
      path,
      query: '',
      headers: { 'content-type': 'application/json' },
      body: { kind: 'bytes', bytes: Buffer.from(text) },
      signal: new AbortController().signal,
      ...more,
    });
    const chunks = answer.body.kind === 'bytes' ? answer.body.chunks : [];
    return {
      status: answer.status,
      headers: answer.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()) as never,
    };
  };
}

const path = '/validate--v1-configmap';

function reviewOf(request: Record<string, unknown> = {}, apiVersion = 'admission.k8s.io/v1'): object {
  return {
    kind: 'AdmissionReview',
    apiVersion,
    request: {
      uid: 'u1',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'one',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'jane', groups: ['a'] },
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one' }, data: { a: '1' } },
      oldObject: null,
      dryRun: true,
      options: { kind: 'CreateOptions' },
      ...request,
    },
  };
}

test('createValidatingWebhook() gives its handler the request, told apart by operation', async () => {
  const seen: unknown[] = [];
  const ask = serve([
    createValidatingWebhook({
      resource: configMaps,
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validate({ operation, object, oldObject, request, warn, annotate }) {
        // For DELETE there is no object: the compiler knows.
        seen.push([
          operation,
          object?.data,
          oldObject?.data,
          request.userInfo.username,
          request.dryRun,
          request.subResource,
        ]);
        warn('mind this');
        annotate('key', 'value');
      },
    }),
  ]);
  const { status, headers, body } = await ask(path, reviewOf());
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'application/json');
  assert.deepEqual(body, {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    response: { uid: 'u1', allowed: true, auditAnnotations: { key: 'value' }, warnings: ['mind this'] },
  });
  const old = { data: { a: '0' } };
  await ask(path, reviewOf({ operation: 'UPDATE', oldObject: old }));
  await ask(path, reviewOf({ operation: 'DELETE', object: null, oldObject: old }));
  assert.deepEqual(seen, [
    ['CREATE', { a: '1' }, undefined, 'jane', true, ''],
    ['UPDATE', { a: '1' }, { a: '0' }, 'jane', true, ''],
    ['DELETE', undefined, { a: '0' }, 'jane', true, ''],
  ]);
});

test('a refusal is a text, field errors, or an error of the API', async () => {
  let result: () => never | string | readonly ReturnType<typeof invalid>[] = () => [];
  const failures: unknown[] = [];
  const env: Env = createVirtualEnv({ sink: (line) => void failures.push(line), level: 'error' });
  const ask = serve([createValidatingWebhook({ resource: configMaps, validate: () => result() })], { env });
  const refusal = async (next: typeof result): Promise<readonly unknown[]> => {
    result = next;
    const { body } = await ask(path, reviewOf());
    const { allowed, status } = body.response;
    return [allowed, status?.code, status?.reason, status?.message];
  };
  assert.deepEqual(await refusal(() => []), [true, undefined, undefined, undefined]);
  assert.deepEqual(await refusal(() => 'not on Fridays'), [false, 403, 'Forbidden', 'not on Fridays']);
  assert.deepEqual(await refusal(() => [invalid(new FieldPath('data[a]'), '1', 'must be 2')]), [
    false,
    422,
    'Invalid',
    'ConfigMap "one" is invalid: data[a]: Invalid value: "1": must be 2',
  ]);
  const conflict = newConflict({ group: '', resource: 'configmaps' }, 'one', 'later');
  assert.deepEqual(
    (
      await refusal(() => {
        throw conflict;
      })
    ).slice(0, 3),
    [false, 409, 'Conflict'],
  );
  assert.deepEqual(
    await refusal(() => {
      throw new TypeError('x is not a function');
    }),
    [false, 500, 'InternalError', 'x is not a function'],
  );
  // Only what nobody foresaw is logged.
  assert.equal(failures.length, 1);
});

test('createMutatingWebhook() makes the patch of what the handler changed or returned', async () => {
  const ask = serve([
    createMutatingWebhook({
      resource: configMaps,
      path: '/in-place',
      mutate({ object }) {
        object.data = { ...object.data, b: '2' };
      },
    }),
    createMutatingWebhook({
      resource: configMaps,
      path: '/another',
      mutate: ({ object, oldObject }) => ({ ...object, data: { old: String(oldObject !== undefined) } }),
    }),
    createMutatingWebhook({ resource: configMaps, path: '/nothing', mutate: () => {} }),
    createMutatingWebhook({
      resource: configMaps,
      path: '/refused',
      mutate() {
        throw newNotFound({ group: '', resource: 'things' }, 't');
      },
    }),
  ]);
  const patchAt = async (at: string): Promise<unknown> => {
    const { response } = (await ask(at, reviewOf())).body;
    if (response.patch === undefined) return [response.allowed, response.patchType, response.status?.code];
    assert.equal(response.patchType, 'JSONPatch');
    return JSON.parse(Buffer.from(response.patch, 'base64').toString());
  };
  assert.deepEqual(await patchAt('/in-place'), [{ op: 'add', path: '/data/b', value: '2' }]);
  assert.deepEqual(await patchAt('/another'), [
    { op: 'remove', path: '/data/a' },
    { op: 'add', path: '/data/old', value: 'false' },
  ]);
  assert.deepEqual(await patchAt('/nothing'), [true, undefined, undefined]);
  assert.deepEqual(await patchAt('/refused'), [false, undefined, 404]);
});

test('v1beta1 is answered as it asks; operations nobody asked for are allowed', async () => {
  const ask = serve([createValidatingWebhook({ resource: configMaps, validate: () => 'no' })]);
  const { body } = await ask(path, reviewOf({}, 'admission.k8s.io/v1beta1'));
  assert.equal((body as unknown as { apiVersion: string }).apiVersion, 'admission.k8s.io/v1beta1');
  assert.equal(body.response.allowed, false);
  const deleted = await ask(path, reviewOf({ operation: 'DELETE', object: null, oldObject: {} }));
  assert.equal(deleted.body.response.allowed, true);
});

test('what is no review is told in words that reach the user', async () => {
  const ask = serve([createValidatingWebhook({ resource: configMaps, validate: () => {} })]);
  const cases: readonly (readonly [unknown, Partial<ApiRequest>, number, string])[] = [
    ['{', {}, 400, 'the body is not JSON: unexpected end of JSON input'],
    [{}, {}, 400, 'wanted an AdmissionReview of admission.k8s.io/v1, got kind "" of apiVersion ""'],
    [
      reviewOf({}, 'admission.k8s.io/v9'),
      {},
      400,
      'wanted an AdmissionReview of admission.k8s.io/v1, got kind "AdmissionReview" of apiVersion "admission.k8s.io/v9"',
    ],
    [{ ...reviewOf(), request: undefined }, {}, 400, 'request must be an object, got nothing'],
    [reviewOf({ uid: '' }), {}, 400, 'request.uid is missing'],
    [
      reviewOf({ operation: 'LOOK' }),
      {},
      400,
      'request.operation must be one of CREATE, UPDATE, DELETE, CONNECT, got "LOOK"',
    ],
    [reviewOf({ object: null }), {}, 400, 'request.object is missing in a CREATE'],
    [reviewOf({ object: [] }), {}, 400, 'request.object must be an object, got a list'],
    [
      reviewOf({ kind: { group: 'apps', version: 'v1', kind: 'Deployment' } }),
      {},
      400,
      'this webhook is for v1 ConfigMap, got apps/v1 Deployment: check the rules and matchPolicy of the webhook configuration',
    ],
    [reviewOf(), { method: 'GET' }, 405, 'reviews are sent with POST, got GET'],
    [
      reviewOf(),
      { headers: { 'content-type': 'text/plain' } },
      415,
      'contentType=text/plain, expected application/json',
    ],
    [reviewOf(), { path: '/elsewhere' }, 404, 'there is no webhook at /elsewhere'],
    ['x'.repeat(8 * 1024 * 1024), {}, 413, 'request entity is too large; limit is 7340032 bytes'],
  ];
  for (const [body, more, status, message] of cases) {
    const answer = await ask(path, body, more);
    assert.deepEqual([answer.status, answer.body.kind, answer.body.message], [status, 'Status', message]);
  }
});

test('a handler that takes too long is left behind after the API server’s time, or its own', async () => {
  const env = createVirtualEnv();
  const aborted: boolean[] = [];
  const slow = createValidatingWebhook({
    resource: configMaps,
    validate: ({ signal }) => new Promise<void>(() => signal.addEventListener('abort', () => void aborted.push(true))),
  });
  const ask = serve([slow], { env, timeoutMs: 20_000 });
  const asked = async (query: string): Promise<readonly unknown[]> => {
    const startMs = env.clock.monotonicMs();
    const answer = await env.clock.run(ask(path, reviewOf(), { query }));
    return [answer.status, answer.body.message, env.clock.monotonicMs() - startMs];
  };
  assert.deepEqual(await asked('timeout=3s'), [504, 'the webhook took longer than 3000 ms', 3_000]);
  assert.deepEqual(await asked('timeout=1m'), [504, 'the webhook took longer than 20000 ms', 20_000]);
  assert.deepEqual(await asked('timeout=soon'), [504, 'the webhook took longer than 20000 ms', 20_000]);
  assert.equal(aborted.length, 3);
});

test('reviews beyond the bound are sent back for a second; all are counted', async () => {
  const env: Env = { ...createVirtualEnv(), metrics: createRealEnv().metrics };
  const release = Promise.withResolvers<void>();
  const ask = serve([createValidatingWebhook({ resource: configMaps, validate: () => release.promise })], {
    env,
    inFlightMax: 1,
  });
  const first = ask(path, reviewOf());
  const second = await ask(path, reviewOf());
  assert.equal(second.status, 429);
  assert.equal(second.headers['retry-after'], '1');
  assert.match(
    await env.metrics.expose(),
    /controller_runtime_webhook_requests_in_flight\{webhook="\/validate--v1-configmap"\} 1/,
  );
  release.resolve();
  assert.equal((await first).status, 200);
  const text = await env.metrics.expose();
  for (const line of [
    'controller_runtime_webhook_requests_total{webhook="/validate--v1-configmap",code="429"} 1',
    'controller_runtime_webhook_requests_total{webhook="/validate--v1-configmap",code="200"} 1',
    'controller_runtime_webhook_latency_seconds_count{webhook="/validate--v1-configmap"} 2',
    'controller_runtime_webhook_requests_in_flight{webhook="/validate--v1-configmap"} 0',
  ])
    assert.ok(text.includes(line), line);
});

test('two webhooks cannot have one path', () => {
  const webhook = createValidatingWebhook({ resource: configMaps, validate: () => {} });
  assert.throws(
    () => createWebhookHandler({ env: createVirtualEnv(), webhooks: [webhook, webhook] }),
    /two webhooks have the path/,
  );
});

test('a review without the objects of its operation is refused before the handler sees it', async () => {
  const validate = (): never => assert.fail('must not be called');
  const ask = serve([createValidatingWebhook({ resource: configMaps, operations: ['UPDATE', 'DELETE'], validate })]);
  for (const [operation, object] of [
    ['UPDATE', {}],
    ['DELETE', null],
  ] as const) {
    const { status, body } = await ask(path, reviewOf({ operation, object }));
    assert.deepEqual([status, body.message], [400, `request.oldObject is missing in a ${operation}`]);
  }
});

test('an empty text allows, as an empty list of errors does', async () => {
  for (const result of ['', []]) {
    const ask = serve([createValidatingWebhook({ resource: configMaps, validate: () => result })]);
    const { body } = await ask(path, reviewOf());
    assert.equal(body.response.allowed, true);
  }
});

test('whatever is sent is answered, as JSON and with a Status where it is no review', async () => {
  const conversion = createConversionWebhook({
    kinds: [convertKind({ group: '', kind: 'ConfigMap', hub: 'v1', spokes: {} })],
  });
  const ask = serve([
    createMutatingWebhook({ resource: configMaps, mutate: ({ object }) => void (object.data = { b: '2' }) }),
    createValidatingWebhook({ resource: configMaps, validate: ({ object }) => object.metadata?.name }),
    conversion,
  ]);
  const hostile = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom('[', '{"a":', '\u0000', '{"__proto__":{"kind":"AdmissionReview"}}', '['.repeat(200_000), 'null'),
    fc.nat(300_000).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
    fc
      .record({
        field: fc.constantFrom('uid', 'kind', 'resource', 'operation', 'object', 'oldObject', 'userInfo', 'options'),
        value: fc.oneof(fc.jsonValue(), fc.constantFrom('UPDATE', 'DELETE', 'CONNECT')),
      })
      .map(({ field, value }) => JSON.stringify(reviewOf({ [field]: value }))),
    fc.jsonValue().map((objects) =>
      JSON.stringify({
        kind: 'ConversionReview',
        apiVersion: 'apiextensions.k8s.io/v1',
        request: { uid: 'u', desiredAPIVersion: 'v2', objects: [objects, { kind: 'ConfigMap', apiVersion: 'v1' }] },
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(hostile, fc.constantFrom('/mutate--v1-configmap', path, '/convert'), async (body, to) => {
      const { status, body: answer } = await ask(to, body);
      assert.ok([200, 400, 500].includes(status), `${status}`);
      assert.ok(status === 200 ? answer.response !== undefined : answer.kind === 'Status');
      assert.notEqual(status, 500, `${answer.message}`);
    }),
  );
});

test('webhookConfigurations() gives each webhook a name of its own', () => {
  const one = (paths: string, subresources?: readonly string[]): Webhook =>
    createValidatingWebhook({
      resource: configMaps,
      path: paths,
      validate: () => {},
      ...(subresources === undefined ? {} : { subresources }),
    });
  const address = { url: 'https://127.0.0.1:9443' };
  const { validating } = webhookConfigurations({
    name: 'n',
    address,
    webhooks: [one('/a'), one('/b', ['status']), one('/c')],
  });
  assert.deepEqual(
    validating?.webhooks?.map(({ name }) => name),
    ['validate.configmaps.core.k8s.io', 'validate-2.configmaps.core.k8s.io', 'validate-3.configmaps.core.k8s.io'],
  );
});
