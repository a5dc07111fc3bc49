import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, FixtureServer } from '../server/api-server-fixture.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
let server: FixtureServer;
before(async () => (server = await FixtureServer.start()));
after(() => server.stop());

const deployment = (name: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'one', image: 'i' }] } },
    ...spec,
  },
});
interface Spec {
  readonly replicas: number;
  readonly strategy: { readonly type: string; readonly rollingUpdate?: object };
  readonly template: { readonly spec: { readonly containers: readonly { readonly name: string }[] } };
}
const spec = (answer: Answer) => answer.body['spec'] as Spec;
const containers = (answer: Answer) => spec(answer).template.spec.containers.map((container) => container.name);
const entries = (answer: Answer) =>
  (answer.body.metadata['managedFields'] ?? []) as readonly {
    manager: string;
    operation: string;
    subresource?: string;
  }[];

test('patches of different fields do not get into each other’s way', async () => {
  await server.post(configMaps, { metadata: { name: 'shared' } });
  const keys = Array.from({ length: 10 }, (_, index) => `k${index}`);
  const answers = await Promise.all(
    keys.map((key) => server.patch(`${configMaps}/shared`, 'merge', { data: { [key]: key } })),
  );
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
  const { body } = await server.get(`${configMaps}/shared`);
  assert.deepEqual(Object.keys(body['data'] as object), keys);
});

test('strategic merge patches know the keys of lists', async () => {
  await server.post(deployments, deployment('smp'));
  const patch = (template: object) =>
    server.patch(`${deployments}/smp`, 'strategic', { spec: { template: { spec: template } } });
  const added = await patch({ containers: [{ name: 'two', image: 'j' }] });
  assert.deepEqual(containers(added).toSorted(), ['one', 'two']);
  const ordered = await patch({ '$setElementOrder/containers': [{ name: 'two' }, { name: 'one' }] });
  assert.deepEqual(containers(ordered), ['two', 'one']);
  const removed = await patch({ containers: [{ name: 'one', $patch: 'delete' }] });
  assert.deepEqual(containers(removed), ['two']);
  const strategy = { $retainKeys: ['type'], type: 'Recreate' };
  const recreate = await server.patch(`${deployments}/smp`, 'strategic', { spec: { strategy } });
  assert.deepEqual(spec(recreate).strategy, { type: 'Recreate' });
});

test('JSON patches: bounds, bad paths, bad texts', async () => {
  await server.post(configMaps, { metadata: { name: 'jp' }, data: { a: '1' } });
  const url = `${configMaps}/jp`;
  const many = Array.from({ length: 10_001 }, () => ({ op: 'add', path: '/data/a', value: '1' }));
  assert.equal((await server.patch(url, 'json', many)).status, 413);
  assert.equal((await server.patch(url, 'json', [{ op: 'remove', path: '/data/none' }])).status, 422);
  assert.equal((await server.patch(url, 'json', [{ op: 'test', path: '/data/a', value: '2' }])).status, 422);
  const broken = await server.ask('PATCH', url, {
    text: '[{',
    headers: { 'content-type': 'application/json-patch+json' },
  });
  assert.equal(broken.status, 400);
  const type = await server.ask('PATCH', url, { text: '{}', headers: { 'content-type': 'text/plain' } });
  assert.equal(type.status, 415);
});

test('apply: the first creates, the same again changes nothing', async () => {
  const url = `${deployments}/ssa?fieldManager=one`;
  const config = deployment('ssa', { replicas: 2 });
  const made = await server.patch(url, 'apply', config);
  assert.equal(made.status, 201);
  assert.deepEqual(
    entries(made).map(({ manager, operation }) => [manager, operation]),
    [['one', 'Apply']],
  );
  const again = await server.patch(url, 'apply', config);
  assert.deepEqual([again.status, again.body.metadata.resourceVersion], [200, made.body.metadata.resourceVersion]);
});

test('apply: others’ fields conflict, equal values are shared, what nobody holds goes', async () => {
  const url = (manager: string) => `${deployments}/own?fieldManager=${manager}`;
  const minimal = (more: object) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'own' }, ...more });
  await server.patch(url('one'), 'apply', deployment('own', { replicas: 2, minReadySeconds: 7 }));
  const conflict = await server.patch(url('two'), 'apply', minimal({ spec: { replicas: 3 } }));
  assert.deepEqual([conflict.status, conflict.body.reason], [409, 'Conflict']);
  assert.equal(conflict.body.message, 'Apply failed with 1 conflict: conflict with "one": .spec.replicas');
  const same = await server.patch(url('two'), 'apply', minimal({ spec: { replicas: 2 } }));
  assert.equal(same.status, 200);
  const dropped = await server.patch(url('one'), 'apply', deployment('own'));
  assert.deepEqual([spec(dropped).replicas, 'minReadySeconds' in spec(dropped)], [2, false]);
  const forced = await server.patch(`${url('three')}&force=true`, 'apply', minimal({ spec: { replicas: 5 } }));
  assert.deepEqual(
    [
      spec(forced).replicas,
      entries(forced)
        .map(({ manager }) => manager)
        .toSorted(),
    ],
    [5, ['one', 'three']],
  );
  const { body } = await server.get(`${deployments}/own`);
  await server.put(`${deployments}/own?fieldManager=four`, {
    ...body,
    spec: { ...(body['spec'] as object), replicas: 6 },
  });
  const taken = await server.get(`${deployments}/own`);
  assert.deepEqual(
    entries(taken)
      .map(({ manager }) => manager)
      .toSorted(),
    ['four', 'one'],
  );
});

test('apply: what it asks of a request', async () => {
  const config = deployment('ask');
  const nameless = await server.patch(`${deployments}/ask`, 'apply', config);
  assert.equal(nameless.status, 422);
  const url = `${deployments}/ask?fieldManager=one`;
  const managed = { ...config, metadata: { name: 'ask', managedFields: [{ manager: 'x' }] } };
  const refused = await server.patch(url, 'apply', managed);
  assert.deepEqual([refused.status, refused.body.message], [400, 'metadata.managedFields must be nil']);
  assert.equal((await server.patch(url, 'apply', { ...config, apiVersion: 'apps/v2' })).status, 400);
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata: {a: b}\n';
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const made = await server.ask('PATCH', `${configMaps}/yaml?fieldManager=one`, { text: yaml, headers });
  assert.deepEqual([made.status, made.body['data']], [201, { a: 'b' }]);
});

test('apply to status names the subresource', async () => {
  await server.post(deployments, deployment('sub'));
  const config = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'sub' }, status: { replicas: 2 } };
  const applied = await server.patch(`${deployments}/sub/status?fieldManager=one`, 'apply', config);
  assert.equal(applied.status, 200);
  assert.deepEqual(
    entries(applied).map(({ manager, subresource }) => [manager, subresource]),
    [
      ['one', 'status'],
      ['test', undefined],
    ],
  );
});
