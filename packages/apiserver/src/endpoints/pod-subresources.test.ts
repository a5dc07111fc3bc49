// The special subresources of Pods (binding, eviction, log) and scale, through the whole server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FixtureServer } from '../server/api-server-fixture.ts';

const pods = '/api/v1/namespaces/default/pods';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
let server: FixtureServer;
before(async () => (server = await FixtureServer.start()));
after(() => server.stop());

const make = (name: string, spec: object = {}, labels: object = {}) =>
  server.post(pods, { metadata: { name, labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
const running = (name: string) =>
  server.patch(`${pods}/${name}/status`, 'merge', {
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
const bind = (name: string, node: string) =>
  server.post(`${pods}/${name}/binding`, { metadata: { name }, target: { kind: 'Node', name: node } });
const evict = (name: string, more: object = {}) =>
  server.post(`${pods}/${name}/eviction`, { metadata: { name, namespace: 'default' }, ...more });
const exists = async (name: string) => (await server.get(`${pods}/${name}`)).status === 200;

test('a Pod is bound once', async () => {
  await make('bound');
  assert.equal((await bind('bound', 'one')).status, 201);
  const { body } = await server.get(`${pods}/bound`);
  assert.equal((body['spec'] as { nodeName: string }).nodeName, 'one');
  const again = await bind('bound', 'two');
  assert.deepEqual([again.status, again.body.reason], [409, 'Conflict']);
  assert.match(again.body.message ?? '', /pod bound is already assigned to node "one"/);
  await make('gated', { schedulingGates: [{ name: 'example.com/wait' }] });
  assert.match((await bind('gated', 'one')).body.message ?? '', /has non-empty \.spec\.schedulingGates/);
  assert.equal((await bind('absent', 'one')).status, 404);
});

test('an eviction spends a budget and is refused without one', async () => {
  const labels = { app: 'guarded' };
  await server.post(budgets, {
    metadata: { name: 'budget' },
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  });
  for (const name of ['g1', 'g2']) {
    await make(name, { nodeName: 'n' }, labels);
    await running(name);
  }
  const unobserved = await evict('g1');
  assert.equal(unobserved.status, 429);
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
  };
  await server.patch(`${budgets}/budget/status`, 'merge', { status });
  assert.equal((await evict('g1')).status, 201);
  const spent = (await server.get(`${budgets}/budget`)).body['status'] as {
    disruptionsAllowed: number;
    disruptedPods: object;
  };
  assert.deepEqual([spent.disruptionsAllowed, Object.keys(spent.disruptedPods)], [0, ['g1']]);
  const refused = await evict('g2');
  assert.deepEqual([refused.status, refused.body.reason], [429, 'TooManyRequests']);
  assert.equal((refused.body['details'] as { causes: { reason: string }[] }).causes[0]?.reason, 'DisruptionBudget');
  assert.ok(await exists('g2'));
  // Pods that do not run yet are no loss.
  await make('g3', {}, labels);
  assert.equal((await evict('g3')).status, 201);
  assert.equal(await exists('g3'), false);
});

test('two budgets for one Pod are an error', async () => {
  const labels = { app: 'twice' };
  for (const name of ['b1', 'b2'])
    await server.post(budgets, { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: labels } } });
  await make('twice', { nodeName: 'n' }, labels);
  await running('twice');
  assert.equal((await evict('twice')).status, 500);
});

test('a scale is a view of its parent', async () => {
  const url = '/apis/apps/v1/namespaces/default/deployments';
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await server.post(url, { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } });
  const scale = await server.get(`${url}/d/scale`);
  assert.deepEqual(
    [scale.body.kind, scale.body['spec'], scale.body['status']],
    ['Scale', { replicas: 1 }, { replicas: 0, selector: 'a=b' }],
  );
  const wider = await server.put(`${url}/d/scale`, { ...scale.body, spec: { replicas: 3 } });
  assert.deepEqual([wider.status, wider.body['spec']], [200, { replicas: 3 }]);
  assert.equal(((await server.get(`${url}/d`)).body['spec'] as { replicas: number }).replicas, 3);
  const stale = await server.put(`${url}/d/scale`, { ...scale.body, spec: { replicas: 4 } });
  assert.equal(stale.status, 409);
  const patched = await server.patch(`${url}/d/scale`, 'merge', { spec: { replicas: 0 } });
  assert.equal(patched.status, 200);
  const negative = await server.patch(`${url}/d/scale`, 'merge', { spec: { replicas: -1 } });
  assert.equal(negative.status, 422);
});

test('logs come from whoever runs Pods; a Pod on no node has none', async () => {
  await make('silent');
  const log = await server.get(`${pods}/silent/log`);
  assert.deepEqual([log.status, log.text], [204, '']);
  assert.equal((await server.get(`${pods}/silent/log?container=none`)).status, 400);
  assert.equal((await server.get(`${pods}/absent/log`)).status, 404);
});

test('connections are refused in the words of what is wrong, and as not implemented otherwise', async () => {
  const exec = (name: string, query = '') => server.post(`${pods}/${name}/exec?command=ls${query}`, {});
  await make('waiting');
  await make('placed', { nodeName: 'n' });
  const waiting = await exec('waiting');
  assert.deepEqual([waiting.status, waiting.body.message], [400, 'pod waiting does not have a host assigned']);
  const odd = await exec('placed', '&container=none');
  assert.deepEqual([odd.status, odd.body.message], [400, 'container none is not valid for pod placed']);
  assert.equal((await exec('absent')).status, 404);
  const placed = await exec('placed');
  assert.deepEqual([placed.status, placed.body.reason], [501, 'NotImplemented']);
});
