import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createVirtualEnv, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { createMemoryStore } from '@homeostat/storage/memory';
import type { FixtureServer } from '../../server/api-server-fixture.ts';
import { configure, type FixtureHooks, type Hook, json, rule, startHookedServer } from './webhook-fixture.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const maps = '/api/v1/namespaces/default/configmaps';

let server: FixtureServer;
let hooks: FixtureHooks;

before(async () => {
  ({ server, hooks } = await startHookedServer());
});
after(() => server.stop());
beforeEach(async () => {
  await server.delete(configurations);
  await server.delete(maps);
  hooks.hooks.clear();
  hooks.calls.length = 0;
});

const map = (name: string, more: object = {}): object => ({ metadata: { name }, data: { a: '1' }, ...more });

function answersWith(message: string, more: Record<string, unknown> = {}): Hook {
  return () => ({ allowed: false, status: { message, ...more } });
}

test('a webhook is asked with the whole request', async () => {
  await configure(server, 'validating', 'c', { name: 'a.example.com', timeoutSeconds: 7 });
  hooks.on('/a', () => ({ allowed: true, warnings: ['mind this'], auditAnnotations: { k: 'v' } }));
  const created = await server.post(`${maps}?fieldManager=me`, map('one', { metadata: { generateName: 'one-' } }));
  assert.equal(created.status, 201);
  assert.deepEqual(created.headers['warning'], ['299 - "mind this"']);
  const [{ call, request } = assert.fail('no call')] = hooks.calls;
  assert.equal(call.url, 'https://hooks.test/a?timeout=7s');
  const { uid, object, ...rest } = request;
  assert.match(uid, /^[0-9a-f-]{36}$/);
  assert.match(String(object?.metadata['name']), /^one-.{5}$/);
  assert.deepEqual(Object.keys(object ?? {}), ['kind', 'apiVersion', 'metadata', 'data']);
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  assert.deepEqual(rest, {
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name: object?.metadata['name'],
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
  });
});

test('update and delete carry the old object; a collection is deleted object by object, without a name', async () => {
  await server.post(maps, map('one'));
  await configure(server, 'validating', 'c', { name: 'a.example.com' });
  hooks.on('/a', () => ({ allowed: true }));
  await server.patch(`${maps}/one`, 'merge', { data: { a: '2' } });
  await server.delete(`${maps}/one`);
  await server.post(maps, map('two'));
  await server.delete(`${maps}?labelSelector=x`);
  await server.delete(maps);
  assert.deepEqual(
    hooks.calls.map(({ request: { operation, name, object, oldObject, options } }) => [
      operation,
      name,
      (object?.['data'] as { a: string } | undefined)?.a,
      (oldObject?.['data'] as { a: string } | undefined)?.a,
      options?.['kind'],
    ]),
    [
      ['UPDATE', 'one', '2', '1', 'PatchOptions'],
      ['DELETE', 'one', undefined, '2', 'DeleteOptions'],
      ['CREATE', 'two', '1', undefined, 'CreateOptions'],
      ['DELETE', undefined, undefined, '1', 'DeleteOptions'],
    ],
  );
});

test('a refusal carries the webhook’s code, reason and details, or 400', async () => {
  await configure(server, 'validating', 'c', { name: 'a.example.com' });
  const denied = async (hook: Hook): Promise<readonly unknown[]> => {
    hooks.on('/a', hook);
    const { body, status } = await server.post(maps, map('one'));
    assert.equal(body.kind, 'Status');
    assert.equal(body['status'], 'Failure');
    return [status, body.reason, body.message, body['details']];
  };
  const prefix = 'admission webhook "a.example.com" denied the request';
  const details = { name: 'x', causes: [{ field: 'data' }] };
  assert.equal((await denied(answersWith('no', { code: 9999 })))[0], 400, 'HTTP has no such code');
  assert.deepEqual(await denied(answersWith('no', { code: 403, reason: 'Forbidden' })), [
    403,
    'Forbidden',
    `${prefix}: no`,
    undefined,
  ]);
  assert.deepEqual(await denied(answersWith('', { code: 200, reason: 'TooBad', details })), [
    400,
    'TooBad',
    `${prefix}: TooBad`,
    details,
  ]);
  assert.deepEqual(await denied(() => ({ allowed: false })), [
    400,
    undefined,
    `${prefix} without explanation`,
    undefined,
  ]);
});

test('a call that fails refuses the request, or is passed over under Ignore', async () => {
  await configure(server, 'validating', 'c', { name: 'a.example.com' });
  const url = 'https://hooks.test/a?timeout=10s';
  const message = async (hook?: Hook): Promise<string> => {
    if (hook !== undefined) hooks.on('/a', hook);
    const { status, body } = await server.post(maps, map('one'));
    assert.equal(status, 500);
    assert.equal(body.reason, 'InternalError');
    const prefix = 'Internal error occurred: failed calling webhook "a.example.com": ';
    const text = body.message ?? '';
    assert.ok(text.startsWith(prefix), text);
    return text.slice(prefix.length);
  };
  const called = 'failed to call webhook: ';
  const invalid = 'received invalid webhook response: ';
  assert.equal(await message(), `${called}Post "${url}": dial tcp 127.0.0.1:443: connect: connection refused`);
  assert.equal(await message(() => json({}, 404)), `${called}the server could not find the requested resource`);
  assert.equal(
    await message(() => ({ status: 500, headers: {}, body: Buffer.from('oops') })),
    `${called}an error on the server ("oops") has prevented the request from succeeding`,
  );
  assert.equal(
    await message(() => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('') })),
    `${called}0-length response with status code: 200 and content type: text/plain`,
  );
  assert.match(
    await message(() => ({ status: 200, headers: {}, body: Buffer.from('<html>') })),
    /^failed to call webhook: couldn't get version\/kind; json parse error: invalid character '<'/,
  );
  assert.equal(
    await message(() => json({ response: { allowed: true } })),
    `${invalid}expected response.uid="${hooks.calls.at(-1)?.request.uid}", got ""`,
  );
  assert.equal(
    await message(({ uid }) => json({ response: { uid, allowed: true } })),
    `${invalid}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
  );
  assert.equal(
    await message(({ uid }) =>
      json({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1beta1', response: { uid, allowed: true } }),
    ),
    `${called}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
  );
  assert.equal(
    await message(() => json({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' })),
    `${invalid}webhook response was absent`,
  );
  assert.equal(
    await message(() => ({ allowed: true, patch: 'W10=', patchType: 'JSONPatch' })),
    `${invalid}validating webhook may not return response.patch`,
  );
  assert.match(
    await message(() => ({ allowed: 'yes' })),
    /cannot unmarshal string into Go struct field AdmissionResponse/,
  );

  await server.delete(configurations);
  await configure(server, 'validating', 'c', { name: 'b.example.com', failurePolicy: 'Ignore' });
  assert.equal((await server.post(maps, map('one'))).status, 201);
});

test('a webhook that does not answer in time fails; one that is busy is asked again when it says', async () => {
  const env = createVirtualEnv({ seed: 1 });
  const timed = await startHookedServer({ env });
  const { clock } = env;
  try {
    await clock.run(configure(timed.server, 'validating', 'c', { name: 'a.example.com', timeoutSeconds: 3 }));
    timed.hooks.on(
      '/a',
      ({ uid: _uid }, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
    );
    const startMs = clock.monotonicMs();
    const late = await clock.run(timed.server.post(maps, map('one')));
    assert.equal(clock.monotonicMs() - startMs, 3_000);
    assert.match(late.body.message ?? '', /Post "https:\/\/hooks.test\/a\?timeout=3s": context deadline exceeded$/);
    let asked = 0;
    timed.hooks.on('/a', () =>
      ++asked === 1 ? { status: 503, headers: { 'retry-after': '1' }, body: Buffer.from('') } : { allowed: true },
    );
    assert.equal((await clock.run(timed.server.post(maps, map('one')))).status, 201);
    assert.equal(asked, 2);
  } finally {
    await clock.run(timed.server.stop());
  }
});

test('webhooks are asked at once; the first refusal to arrive is the answer', async () => {
  await configure(server, 'validating', 'c', { name: 'a.example.com' }, { name: 'b.example.com' });
  const second = Promise.withResolvers<void>();
  hooks.on('/a', async () => {
    await second.promise;
    return { allowed: false, status: { message: 'late' } };
  });
  hooks.on('/b', () => {
    second.resolve();
    return { allowed: false, status: { message: 'early' } };
  });
  const { body } = await server.post(maps, map('one'));
  assert.equal(body.message, 'admission webhook "b.example.com" denied the request: early');
});

test('rules choose by operation, scope and subresource; configurations are never asked about', async () => {
  const rules = (...list: readonly unknown[]): Record<string, unknown> => ({ rules: list });
  await configure(
    server,
    'validating',
    'c',
    { name: 'all.example.com', ...rules(rule(['*/*'])) },
    { name: 'main.example.com', ...rules(rule(['*'])) },
    { name: 'status.example.com', ...rules(rule(['*/status'])) },
    { name: 'pods.example.com', ...rules(rule(['pods/*'])) },
    { name: 'cluster.example.com', ...rules(rule(['*'], { scope: 'Cluster' })) },
    { name: 'inside.example.com', ...rules(rule(['*'], { scope: 'Namespaced' })) },
    { name: 'deletes.example.com', ...rules(rule(['*'], { operations: ['DELETE'] })) },
    { name: 'apps.example.com', ...rules(rule(['*'], { apiGroups: ['apps'], apiVersions: ['v1'] })) },
  );
  for (const name of ['all', 'main', 'status', 'pods', 'cluster', 'inside', 'deletes', 'apps'])
    hooks.on(`/${name}`, () => ({ allowed: true }));
  const asked = async (
    act: Promise<{ readonly status: number; readonly text: string }>,
  ): Promise<readonly string[]> => {
    hooks.calls.length = 0;
    const { status, text } = await act;
    assert.ok(status < 300, text);
    return hooks.calls.map(({ path }) => path.slice(1));
  };
  const pods = '/api/v1/namespaces/default/pods';
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  assert.deepEqual(await asked(server.post(pods, pod)), ['all', 'main', 'pods', 'inside']);
  assert.deepEqual(await asked(server.patch(`${pods}/p/status`, 'merge', { status: { phase: 'Running' } })), [
    'all',
    'status',
    'pods',
  ]);
  const binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
  assert.deepEqual(await asked(server.post(`${pods}/p/binding`, binding)), ['all', 'pods']);
  assert.equal(hooks.calls[0]?.request.subResource, 'binding');
  const gone = ['all', 'main', 'pods', 'inside', 'deletes'];
  // Marked, then removed: a Pod's deletion is admitted for each step, as upstream does.
  assert.deepEqual(await asked(server.delete(`${pods}/p?gracePeriodSeconds=0`)), [...gone, ...gone]);
  assert.deepEqual(await asked(server.post('/api/v1/namespaces', { metadata: { name: 'n1' } })), [
    'all',
    'main',
    'cluster',
  ]);
  assert.equal(hooks.calls[0]?.request.namespace, 'n1');
  const deployment = {
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod.spec } },
  };
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  assert.deepEqual(await asked(server.post(deployments, deployment)), ['all', 'main', 'inside', 'apps']);
  assert.deepEqual(await asked(server.patch(`${deployments}/d/scale`, 'merge', { spec: { replicas: 2 } })), ['all']);
  assert.deepEqual(hooks.calls[0]?.request['kind'], { group: 'autoscaling', version: 'v1', kind: 'Scale' });
  assert.equal((hooks.calls[0]?.request.object?.['spec'] as { replicas: number }).replicas, 2);
  assert.deepEqual(await asked(server.delete(configurations)), []);
  await server.delete(deployments);
});

test('connections are CONNECT, with their options as the object', async () => {
  await configure(server, 'validating', 'c', {
    name: 'a.example.com',
    rules: [rule(['pods/exec'], { operations: ['CONNECT'] })],
  });
  hooks.on('/a', answersWith('no shells'));
  const { body } = await server.get(
    '/api/v1/namespaces/default/pods/p/exec?command=sh&command=-c&stdin=true&container=x',
  );
  assert.equal(body.message, 'admission webhook "a.example.com" denied the request: no shells');
  const request = hooks.calls[0]?.request;
  assert.equal(request?.operation, 'CONNECT');
  assert.deepEqual(request?.['kind'], { group: '', version: 'v1', kind: 'PodExecOptions' });
  assert.deepEqual(request?.object, {
    kind: 'PodExecOptions',
    apiVersion: 'v1',
    stdin: true,
    container: 'x',
    command: ['sh', '-c'],
  });
});

test('selectors look at the namespace’s labels and at the labels of both objects', async () => {
  await server.post('/api/v1/namespaces', { metadata: { name: 'watched', labels: { watch: 'yes' } } });
  const selector = { matchLabels: { watch: 'yes' } };
  await configure(
    server,
    'validating',
    'c',
    { name: 'space.example.com', namespaceSelector: selector, rules: [rule(['configmaps', 'namespaces', 'nodes'])] },
    { name: 'object.example.com', objectSelector: selector },
  );
  hooks.on('/space', () => ({ allowed: true }));
  hooks.on('/object', () => ({ allowed: true }));
  const asked = async (
    act: Promise<{ readonly status: number; readonly text: string }>,
  ): Promise<readonly string[]> => {
    hooks.calls.length = 0;
    const { status, text } = await act;
    assert.ok(status < 300, text);
    return hooks.calls.map(({ path }) => path.slice(1));
  };
  assert.deepEqual(await asked(server.post(maps, map('plain'))), []);
  assert.deepEqual(await asked(server.post('/api/v1/namespaces/watched/configmaps', map('plain'))), ['space']);
  const labelled = { metadata: { name: 'labelled', labels: { watch: 'yes' } } };
  assert.deepEqual(await asked(server.post(maps, labelled)), ['object']);
  // The label goes away: the old object still has it.
  assert.deepEqual(await asked(server.put(`${maps}/labelled`, map('labelled'))), ['object']);
  assert.deepEqual(await asked(server.put(`${maps}/labelled`, map('labelled', { data: {} }))), []);
  // A Namespace being written is judged by its new labels; what has no namespace is always judged.
  assert.deepEqual(await asked(server.post('/api/v1/namespaces', { metadata: { name: 'other' } })), []);
  assert.deepEqual(await asked(server.patch('/api/v1/namespaces/other', 'merge', { metadata: selector2 })), ['space']);
  assert.deepEqual(await asked(server.post('/api/v1/nodes', { metadata: { name: 'n' } })), ['space']);
  const absent = await server.post('/api/v1/namespaces/absent/configmaps', map('x'));
  assert.equal(absent.status, 404);
  assert.equal(absent.body.message, 'namespaces "absent" not found');
});

const selector2 = { labels: { watch: 'yes' } };

test('matchPolicy Equivalent shows the object in the version asked for; Exact is not asked', async () => {
  const rules = [rule(['horizontalpodautoscalers'], { apiGroups: ['autoscaling'], apiVersions: ['v2'] })];
  await configure(
    server,
    'validating',
    'c',
    { name: 'a.example.com', rules },
    { name: 'b.example.com', rules, matchPolicy: 'Exact' },
  );
  hooks.on('/a', () => ({ allowed: true }));
  const made = await server.post('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers', {
    metadata: { name: 'h' },
    spec: {
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
      scaleTargetRef: { kind: 'D', name: 'd', apiVersion: 'apps/v1' },
    },
  });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    hooks.calls.map(({ path }) => path),
    ['/a'],
  );
  const { kind, requestKind, resource, requestResource, object } = hooks.calls[0]?.request ?? assert.fail('no call');
  assert.deepEqual(kind, { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' });
  assert.deepEqual(requestKind, { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' });
  assert.deepEqual(resource, { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' });
  assert.deepEqual(requestResource, { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers' });
  assert.equal(object?.['apiVersion'], 'autoscaling/v2');
  assert.deepEqual((object?.['spec'] as { metrics: unknown }).metrics, [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
  ]);
});

test('v1beta1 is spoken to webhooks that list it first', async () => {
  await configure(server, 'validating', 'c', {
    name: 'a.example.com',
    admissionReviewVersions: ['v0', 'v1beta1', 'v1'],
  });
  hooks.on('/a', (_request, { review }) => {
    assert.equal(review['apiVersion'], 'admission.k8s.io/v1beta1');
    // Neither uid nor kind were ever checked in this version.
    return json({ response: { allowed: false, status: { message: 'old' } } });
  });
  const { body } = await server.post(maps, map('one'));
  assert.equal(body.message, 'admission webhook "a.example.com" denied the request: old');
});

test('match conditions choose by what the request and its objects say; failures follow the policy', async () => {
  const conditional = (name: string, ...expressions: readonly string[]): Record<string, unknown> => ({
    name: `${name}.example.com`,
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });
  await configure(
    server,
    'validating',
    'c',
    conditional('yes', 'object.data.a == "1"', 'request.userInfo.username == "system:anonymous" && oldObject == null'),
    conditional('no', 'request.operation == "CREATE"', 'request.namespace != "default"'),
    // One that is false settles it, whatever fails.
    conditional('settled', 'object.spec.x == 1', 'false'),
    { ...conditional('ignored', 'object.spec.x == 1'), failurePolicy: 'Ignore' },
    conditional('allowed', 'authorizer.group("").resource("secrets").namespace("x").check("get").allowed()'),
    conditional('itself', 'authorizer.requestResource.check("create").allowed()'),
  );
  for (const name of ['yes', 'no', 'settled', 'ignored', 'allowed', 'itself'])
    hooks.on(`/${name}`, () => ({ allowed: true }));
  const { status, text } = await server.post(maps, map('one'));
  assert.equal(status, 201, text);
  assert.deepEqual(hooks.calls.map(({ path }) => path).toSorted(), ['/allowed', '/itself', '/yes']);

  await server.delete(configurations);
  await configure(server, 'validating', 'c', conditional('a', 'object.spec.x == 1'));
  const failed = await server.post(maps, map('two'));
  assert.equal(failed.status, 403);
  assert.equal(
    failed.body.message,
    `configmaps "two" is forbidden: expression 'object.spec.x == 1' resulted in error: no such key: spec`,
  );
});

test('conditions wait for authorizers that have to look things up', async () => {
  const asked: string[] = [];
  const slow = await startHookedServer({
    authorizer: {
      authorize: async ({ user, verb, resource, group, path: asks, isResourceRequest }) => {
        if (user.username.startsWith('system:serviceaccount:'))
          asked.push(`${user.username} ${verb} ${resource}.${group}`);
        if (!isResourceRequest) asked.push(`${verb} ${asks}`);
        return { decision: verb === 'never' ? 'noOpinion' : 'allow' };
      },
    },
  });
  try {
    const expression =
      'authorizer.serviceAccount("ns", "sa").group("g").resource("r").check("get").allowed() && !authorizer.path("/x").check("never").allowed()';
    await configure(slow.server, 'validating', 'c', {
      name: 'a.example.com',
      matchConditions: [{ name: 'c', expression }],
    });
    slow.hooks.on('/a', () => ({ allowed: true }));
    assert.equal((await slow.server.post(maps, map('one'))).status, 201);
    assert.deepEqual(asked, ['system:serviceaccount:ns:sa get r.g', 'never /x']);
    assert.equal(slow.hooks.calls.length, 1);
  } finally {
    await slow.server.stop();
  }
});

test('conditions that do not compile are refused with the configuration', async () => {
  const { status, body } = await server.post(configurations, {
    metadata: { name: 'bad' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { url: 'https://hooks.test/a' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        matchConditions: [{ name: 'a', expression: ' request.nothing ' }],
      },
    ],
  });
  assert.equal(status, 422);
  assert.match(
    body.message ?? '',
    /expression: Invalid value: "request.nothing": compilation failed: ERROR: <input>:1:8: undefined field 'nothing'/,
  );
});

test('a Service is reached at a ready endpoint, under the Service’s name', async () => {
  await configure(server, 'validating', 'c', {
    name: 'a.example.com',
    clientConfig: {
      service: { namespace: 'default', name: 'hook', path: '/a' },
      caBundle: Buffer.from('PEM').toString('base64'),
    },
  });
  hooks.on('/a', () => ({ allowed: true }));
  const text = async (): Promise<string | undefined> => (await server.post(maps, map('one'))).body.message;
  const prefix =
    'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://hook.default.svc:443/a?timeout=10s": ';
  assert.equal(await text(), `${prefix}services "hook" not found`);
  const services = '/api/v1/namespaces/default/services';
  await server.post(services, { metadata: { name: 'hook' }, spec: { ports: [{ name: 'https', port: 443 }] } });
  assert.equal(await text(), `${prefix}no endpoints available for service "hook"`);
  const slice = {
    metadata: { name: 'hook-1', labels: { 'kubernetes.io/service-name': 'hook' } },
    addressType: 'IPv4',
    ports: [{ name: 'https', port: 9443 }],
    endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready: false } }, { addresses: ['10.1.0.2'] }],
  };
  await server.post('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', slice);
  assert.equal(await text(), undefined);
  const { call } = hooks.calls.at(-1) ?? assert.fail('no call');
  assert.equal(call.connectTo?.(), '10.1.0.2:9443');
  assert.equal(call.serverName, 'hook.default.svc');
  assert.equal(call.caBundle, 'PEM');
});

test('a server starts although a webhook that runs in its cluster refuses everything', async () => {
  const env = { ...createRealEnv(), log: silentLogger };
  const store = createMemoryStore({ env });
  const first = await startHookedServer({ env, store });
  const namespaces = '/api/v1/namespaces';
  const gone = await first.server.delete(`/api/v1/namespaces/default/services/kubernetes`);
  assert.equal(gone.status, 200, gone.text);
  await configure(first.server, 'validating', 'c', { name: 'all.example.com', rules: [rule(['*/*'])] });
  const snapshot = store.fork({ env });
  await first.server.stop();
  const second = await startHookedServer({ env, store: snapshot });
  try {
    assert.equal((await second.server.get('/api/v1/namespaces/default/services/kubernetes')).status, 200);
    assert.equal(second.hooks.calls.length, 0);
    assert.equal((await second.server.post(namespaces, { metadata: { name: 'n' } })).status, 500);
  } finally {
    await second.server.stop();
  }
});
