import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { FixtureServer } from '../../server/api-server-fixture.ts';
import { configure, type FixtureHooks, patching, rule, startHookedServer } from './webhook-fixture.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

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

const map = (name: string, data: object = { a: '1' }): object => ({ metadata: { name }, data });
const add = (path: string, value: unknown): Record<string, unknown> => ({ op: 'add', path, value });

test('webhooks run in the order of their configurations’ names, each sees what came before', async () => {
  await configure(server, 'mutating', 'b', { name: 'third.example.com' });
  await configure(server, 'mutating', 'a', { name: 'first.example.com' }, { name: 'second.example.com' });
  for (const name of ['first', 'second', 'third']) {
    hooks.on(`/${name}`, ({ object }) =>
      patching(add('/data/seen', `${(object?.['data'] as { seen?: string }).seen ?? ''}${name},`)),
    );
  }
  const { status, body } = await server.post(maps, map('one'));
  assert.equal(status, 201);
  assert.deepEqual(body['data'], { a: '1', seen: 'first,second,third,' });
});

test('the object is shown as the wire shows it, and defaulted after each patch', async () => {
  await configure(
    server,
    'mutating',
    'c',
    { name: 'a.example.com', rules: [rule(['pods'])] },
    { name: 'b.example.com', rules: [rule(['pods'])] },
  );
  hooks.on('/a', ({ object }) => {
    const spec = object?.['spec'] as { containers: readonly { resources: object; imagePullPolicy: string }[] };
    // Fields that are always written are there to be patched.
    assert.deepEqual(spec.containers[0]?.resources, {});
    assert.equal(object?.metadata['uid'], undefined);
    return patching(
      add('/spec/containers/0/resources/limits', { cpu: '0.5' }),
      add('/spec/containers/-', { name: 'sidecar', image: 'proxy', ports: [{ containerPort: 80 }] }),
      add('/spec/unknownField', true),
    );
  });
  hooks.on('/b', ({ object }) => {
    const spec = object?.['spec'] as { containers: readonly Record<string, unknown>[]; unknownField?: unknown };
    assert.equal(spec.unknownField, undefined);
    assert.equal(spec.containers[1]?.['terminationMessagePath'], '/dev/termination-log');
    assert.deepEqual(spec.containers[1]?.['ports'], [{ containerPort: 80, protocol: 'TCP' }]);
    return { allowed: true };
  });
  const { status, body, text } = await server.post(pods, {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  assert.equal(status, 201, text);
  const spec = body['spec'] as { containers: readonly { resources: object }[] };
  assert.deepEqual(spec.containers[0]?.resources, { limits: { cpu: '500m' }, requests: { cpu: '500m' } });
  assert.equal(spec.containers.length, 2);
  await server.delete(`${pods}/p?gracePeriodSeconds=0`);
});

test('what a webhook adds goes through validation', async () => {
  await configure(server, 'mutating', 'c', { name: 'a.example.com' });
  hooks.on('/a', () => patching(add('/data/bad key', 'x')));
  const { status, body } = await server.post(maps, map('one'));
  assert.equal(status, 422);
  assert.match(body.message ?? '', /^ConfigMap "one" is invalid: data\[bad key\]: Invalid value/);
});

test('a webhook that asks for it sees once what changed after it', async () => {
  const rules = [rule(['configmaps'])];
  await configure(
    server,
    'mutating',
    'c',
    { name: 'early.example.com', reinvocationPolicy: 'IfNeeded', rules },
    { name: 'never.example.com', rules },
    { name: 'late.example.com', reinvocationPolicy: 'IfNeeded', rules },
    { name: 'idle.example.com', reinvocationPolicy: 'IfNeeded', rules },
  );
  hooks.on('/early', ({ object }) =>
    // Counts its calls; would go on for ever if it were asked for ever.
    patching(add('/data/early', `${(object?.['data'] as { early?: string }).early ?? ''}x`)),
  );
  hooks.on('/never', () => ({ allowed: true }));
  hooks.on('/late', ({ object }) =>
    (object?.['data'] as { late?: string }).late === undefined ? patching(add('/data/late', 'y')) : { allowed: true },
  );
  hooks.on('/idle', () => ({ allowed: true }));
  const { body } = await server.post(maps, map('one'));
  assert.deepEqual(
    hooks.calls.map(({ path }) => path),
    // `early` runs again for the change of `late`; what it changes then, `late` and `idle` see in the same round.
    ['/early', '/never', '/late', '/idle', '/early', '/late', '/idle'],
  );
  assert.deepEqual(body['data'], { a: '1', early: 'xx', late: 'y' });
});

test('a webhook skipped in the first round is not called in the second', async () => {
  await configure(
    server,
    'mutating',
    'c',
    { name: 'picky.example.com', reinvocationPolicy: 'IfNeeded', objectSelector: { matchLabels: { a: 'b' } } },
    { name: 'label.example.com' },
  );
  hooks.on('/picky', () => patching(add('/data/picky', 'yes')));
  hooks.on('/label', () => patching(add('/metadata/labels', { a: 'b' })));
  const { body } = await server.post(maps, map('one'));
  assert.deepEqual(body['data'], { a: '1' });
  assert.deepEqual(body.metadata['labels'], { a: 'b' });
});

test('built-in plugins see what webhooks changed', async () => {
  const { createAdmissionPlugins } = await import('../plugin-table.ts');
  const { FixtureServer: Fixture } = await import('../../server/api-server-fixture.ts');
  const all = await Fixture.start({
    parts: (host) => ({
      admission: createAdmissionPlugins(host, { disable: ['ServiceAccount'] }, { caller: hooks }),
    }),
  });
  try {
    await configure(all, 'mutating', 'c', { name: 'a.example.com', rules: [rule(['pods'])] });
    await all.post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 7 });
    hooks.on('/a', () => patching(add('/spec/priorityClassName', 'high'), { op: 'remove', path: '/spec/priority' }));
    const { status, body, text } = await all.post(pods, {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    assert.equal(status, 201, text);
    assert.equal((body['spec'] as { priority: number }).priority, 7);
    assert.equal(hooks.calls.length, 1);
  } finally {
    await all.stop();
  }
});

test('bad patches are this request’s failure, even under Ignore', async () => {
  await configure(server, 'mutating', 'c', { name: 'a.example.com', failurePolicy: 'Ignore' });
  const message = async (answer: Record<string, unknown>): Promise<string | undefined> => {
    hooks.on('/a', () => answer);
    const { status, body } = await server.post(maps, map('one'));
    assert.equal(status, 500);
    return body.message;
  };
  assert.equal(
    await message(patching({ op: 'replace', path: '/data/x/y', value: 1 })),
    'Internal error occurred: replace operation does not apply: doc is missing path: /data/x/y: missing value',
  );
  assert.equal(
    await message(patching(add('/data/a', 5))),
    'Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  );
  // A patch without its type is the webhook's failure, which Ignore passes over.
  hooks.on('/a', () => ({ allowed: true, patch: 'W10=' }));
  assert.equal((await server.post(maps, map('one'))).status, 201);
});

test('a patch cannot move an object to another namespace', async () => {
  await configure(server, 'mutating', 'c', { name: 'a.example.com' });
  hooks.on('/a', () => ({ allowed: true }));
  await server.post(maps, map('there'));
  const text = 'the namespace of the provided object does not match the namespace sent on the request';
  hooks.on('/a', () => patching({ op: 'replace', path: '/metadata/namespace', value: 'other' }));
  const made = await server.post(maps, map('one'));
  assert.deepEqual([made.status, made.body.message], [400, text]);
  const patched = await server.patch(`${maps}/there`, 'merge', { data: { a: 'b' } });
  assert.deepEqual([patched.status, patched.body.message], [400, text]);
  hooks.on('/a', () => patching({ op: 'remove', path: '/metadata/namespace' }));
  assert.equal((await server.post(maps, map('two'))).body.metadata['namespace'], 'default');
});

test('failures name what is missing or unknown; a patch of a deletion is refused', async () => {
  await configure(server, 'mutating', 'c', { name: 'a.example.com' });
  const prefix = 'Internal error occurred: failed calling webhook "a.example.com": ';
  const patch = Buffer.from(JSON.stringify([add('/data/x', '1')])).toString('base64');
  for (const [answer, text] of [
    [
      { allowed: true, patch },
      'received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      { allowed: true, patchType: 'JSONPatch' },
      'received invalid webhook response: webhook returned response.patchType but not response.patch',
    ],
    [{ allowed: true, patch, patchType: 'MergePatch' }, 'unsupported patch type "MergePatch"'],
  ] as const) {
    hooks.on('/a', () => answer);
    assert.equal((await server.post(maps, map('one'))).body.message, prefix + text);
  }
  hooks.on('/a', ({ operation }) => (operation === 'DELETE' ? patching(add('/data/x', '1')) : { allowed: true }));
  await server.post(maps, map('one'));
  assert.equal(
    (await server.delete(`${maps}/one`)).body.message,
    'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
  );
});

test('dry runs reach only webhooks without side effects', async () => {
  await configure(server, 'mutating', 'c', { name: 'a.example.com', sideEffects: 'NoneOnDryRun' });
  hooks.on('/a', ({ dryRun }) => patching(add('/data/dry', String(dryRun))));
  const { body } = await server.post(`${maps}?dryRun=All`, map('one'));
  assert.deepEqual(body['data'], { a: '1', dry: 'true' });
  assert.equal((await server.get(`${maps}/one`)).status, 404);
});

test('an object shown in another version comes back in the request’s', async () => {
  const scalers = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
  await configure(server, 'mutating', 'c', {
    name: 'a.example.com',
    rules: [rule(['horizontalpodautoscalers'], { apiGroups: ['autoscaling'], apiVersions: ['v2'] })],
  });
  hooks.on('/a', () =>
    patching({ op: 'replace', path: '/spec/metrics/0/resource/target/averageUtilization', value: 55 }),
  );
  const { status, body, text } = await server.post(scalers, {
    metadata: { name: 'h' },
    spec: {
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
      scaleTargetRef: { kind: 'D', name: 'd', apiVersion: 'apps/v1' },
    },
  });
  assert.equal(status, 201, text);
  assert.equal(body['apiVersion'], 'autoscaling/v1');
  assert.equal((body['spec'] as { targetCPUUtilizationPercentage: number }).targetCPUUtilizationPercentage, 55);
});

test('managedFields that a webhook broke are put back, with a warning', async () => {
  await configure(server, 'mutating', 'c', { name: 'a.example.com' });
  hooks.on('/a', () => patching({ op: 'replace', path: '/metadata/managedFields/0/operation', value: 'Nonsense' }));
  const { body, headers } = await server.post(maps, map('one'));
  const [entry] = body.metadata['managedFields'] as readonly { operation: string }[];
  assert.equal(entry?.operation, 'Update');
  assert.match(String(headers['warning']), /managedFields was in an invalid state after admission/);
});

test('scale, status and server-side apply are mutated where they are written', async () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  await server.post(deployments, {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  await configure(
    server,
    'mutating',
    'c',
    { name: 'scale.example.com', rules: [rule(['deployments/scale'])] },
    { name: 'status.example.com', rules: [rule(['deployments/status'])] },
    { name: 'main.example.com', rules: [rule(['configmaps'])] },
  );
  hooks.on('/scale', () => patching({ op: 'replace', path: '/spec/replicas', value: 4 }));
  hooks.on('/status', () => patching(add('/status/observedGeneration', 9)));
  hooks.on('/main', () => patching(add('/data/by', 'hook')));
  const scaled = await server.patch(`${deployments}/d/scale`, 'merge', { spec: { replicas: 2 } });
  assert.equal((scaled.body['spec'] as { replicas: number }).replicas, 4);
  const reported = await server.patch(`${deployments}/d/status`, 'merge', { status: { replicas: 1 } });
  assert.deepEqual(reported.body['status'], { observedGeneration: 9, replicas: 1 });
  const applied = await server.patch(`${maps}/one?fieldManager=me`, 'apply', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one' },
    data: { a: '1' },
  });
  assert.equal(applied.status, 201, applied.text);
  assert.deepEqual(applied.body['data'], { a: '1', by: 'hook' });
  assert.deepEqual(hooks.calls.at(-1)?.request.options?.['kind'], 'PatchOptions');
});

test('calls and refusals are counted under upstream’s names', async () => {
  await configure(server, 'mutating', 'c', { name: 'counted.example.com' });
  hooks.on('/counted', () => ({ allowed: false, status: { code: 403 } }));
  await server.post(maps, map('one'));
  hooks.hooks.clear();
  await server.post(maps, map('one'));
  const text = await server.env.metrics.expose();
  const labels = 'name="counted.example.com",type="admit",operation="CREATE"';
  for (const line of [
    `apiserver_admission_webhook_rejection_count{${labels},error_type="no_error",rejection_code="403"} 1`,
    `apiserver_admission_webhook_rejection_count{${labels},error_type="calling_webhook_error",rejection_code="503"} 1`,
    `apiserver_admission_webhook_request_total{${labels},rejected="true",code="403"} 1`,
    `apiserver_admission_webhook_admission_duration_seconds_count{${labels},rejected="true"} 2`,
    'apiserver_admission_controller_admission_duration_seconds_count{name="MutatingAdmissionWebhook",type="admit",operation="CREATE",rejected="true"}',
    'apiserver_admission_step_admission_duration_seconds_count{type="validate",operation="CREATE",rejected="false"}',
  ]) {
    assert.ok(
      text.includes(line),
      `${line} is not in\n${text
        .split('\n')
        .filter((l) => l.includes('webhook'))
        .join('\n')}`,
    );
  }
});
