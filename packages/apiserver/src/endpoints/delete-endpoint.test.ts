import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FixtureServer } from '../server/api-server-fixture.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
let server: FixtureServer;
before(async () => (server = await FixtureServer.start()));
after(() => server.stop());

const podSpec = { containers: [{ name: 'c', image: 'i' }] };
const make = (name: string, metadata: object = {}) => server.post(configMaps, { metadata: { name, ...metadata } });
const status = async (url: string) => (await server.get(url)).status;

test('a deletion without obstacles answers with what was deleted', async () => {
  const made = await make('plain');
  const gone = await server.delete(`${configMaps}/plain`);
  assert.deepEqual(
    [gone.status, gone.body.kind, gone.body['status'], gone.body['details']],
    [200, 'Status', 'Success', { name: 'plain', kind: 'configmaps', uid: made.body.metadata.uid }],
  );
  assert.equal((await server.delete(`${configMaps}/plain`)).status, 404);
});

test('finalizers hold an object back; none may be added any more; the last one lets it go', async () => {
  await make('held', { finalizers: ['example.com/a', 'example.com/b'] });
  const marked = await server.delete(`${configMaps}/held`);
  assert.equal(marked.status, 200);
  assert.equal(marked.body.metadata['deletionGracePeriodSeconds'], 0);
  assert.ok(typeof marked.body.metadata['deletionTimestamp'] === 'string');
  const again = await server.delete(`${configMaps}/held`);
  assert.equal(again.body.metadata.resourceVersion, marked.body.metadata.resourceVersion);
  const finalizers = (list: readonly string[]) =>
    server.patch(`${configMaps}/held`, 'merge', { metadata: { finalizers: list } });
  const more = await finalizers(['example.com/a', 'example.com/b', 'example.com/c']);
  assert.equal(more.status, 422);
  assert.match(more.body.message ?? '', /no new finalizers can be added if the object is being deleted/);
  assert.equal((await finalizers(['example.com/b'])).status, 200);
  assert.equal(await status(`${configMaps}/held`), 200);
  assert.equal((await finalizers([])).status, 200);
  assert.equal(await status(`${configMaps}/held`), 404);
});

test('propagation policies become finalizers of the garbage collector', async () => {
  const with_ = async (name: string, options: object) => {
    await make(name);
    return server.delete(`${configMaps}/${name}`, options);
  };
  const foreground = await with_('foreground', { propagationPolicy: 'Foreground' });
  assert.deepEqual(foreground.body.metadata['finalizers'], ['foregroundDeletion']);
  const orphan = await with_('orphan', { propagationPolicy: 'Orphan' });
  assert.deepEqual(orphan.body.metadata['finalizers'], ['orphan']);
  const both = await with_('both', { propagationPolicy: 'Orphan', orphanDependents: true });
  assert.equal(both.status, 422);
  assert.equal((await with_('background', { propagationPolicy: 'Background' })).body.kind, 'Status');
});

test('preconditions name what they wanted', async () => {
  await make('sure');
  const uid = await server.delete(`${configMaps}/sure`, { preconditions: { uid: 'other' } });
  assert.equal(uid.status, 409);
  assert.match(
    uid.body.message ?? '',
    /^Operation cannot be fulfilled on ConfigMap "sure": the UID in the precondition \(other\) does not match the UID in record/,
  );
  const rv = await server.delete(`${configMaps}/sure`, { preconditions: { resourceVersion: '1' } });
  assert.match(
    rv.body.message ?? '',
    /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record \(\d+\)/,
  );
  assert.equal(await status(`${configMaps}/sure`), 200);
});

test('a Pod on a node is given time; grace only ever shrinks', async () => {
  await server.post(pods, { metadata: { name: 'running' }, spec: { ...podSpec, nodeName: 'node' } });
  const grace = async (gracePeriodSeconds?: number) => {
    const { body } = await server.delete(
      `${pods}/running`,
      gracePeriodSeconds === undefined ? undefined : { gracePeriodSeconds },
    );
    return body.metadata['deletionGracePeriodSeconds'];
  };
  assert.equal(await grace(), 30);
  assert.equal(await grace(60), 30);
  assert.equal(await grace(10), 10);
  assert.equal(await status(`${pods}/running`), 200);
  await grace(0);
  assert.equal(await status(`${pods}/running`), 404);
});

test('a Pod on no node goes at once, in two steps', async () => {
  const made = await server.post(pods, { metadata: { name: 'pending' }, spec: podSpec });
  const watch = await server.watch(`${pods}?watch=1&resourceVersion=${made.body.metadata.resourceVersion}`);
  await server.delete(`${pods}/pending`);
  const events = [await watch.next(), await watch.next()];
  assert.deepEqual(
    events.map((event) => event.type),
    ['MODIFIED', 'DELETED'],
  );
  await watch.close();
});

test('a collection is deleted by its selector', async () => {
  for (const name of ['x1', 'x2']) await make(name, { labels: { set: 'x' } });
  await make('y1', { labels: { set: 'y' } });
  const dry = await server.ask('DELETE', `${configMaps}?labelSelector=set=x&dryRun=All`);
  assert.deepEqual([dry.status, dry.body.items.length, await status(`${configMaps}/x1`)], [200, 2, 200]);
  const gone = await server.ask('DELETE', `${configMaps}?labelSelector=set=x`);
  assert.deepEqual(
    gone.body.items.map((item) => item.metadata.name),
    ['x1', 'x2'],
  );
  assert.deepEqual([await status(`${configMaps}/x1`), await status(`${configMaps}/y1`)], [404, 200]);
});

test('a namespace terminates, and goes when it is finalized', async () => {
  await server.post('/api/v1/namespaces', { metadata: { name: 'ending' } });
  const deleted = await server.delete('/api/v1/namespaces/ending');
  assert.deepEqual(deleted.body['status'], { phase: 'Terminating' });
  const { body } = await server.get('/api/v1/namespaces/ending');
  const finalized = await server.put('/api/v1/namespaces/ending/finalize', { ...body, spec: {} });
  assert.equal(finalized.status, 200);
  assert.equal(await status('/api/v1/namespaces/ending'), 404);
});

test('a Job that is deleted without a word keeps its Pods, and the client is told', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const template = { spec: { ...podSpec, restartPolicy: 'Never' } };
  await server.post(jobs, { metadata: { name: 'job' }, spec: { template } });
  const deleted = await server.delete(`${jobs}/job`);
  assert.deepEqual(deleted.body.metadata['finalizers'], ['orphan']);
  assert.match(String(deleted.headers['warning']), /child pods are preserved by default when jobs are deleted/);
});
