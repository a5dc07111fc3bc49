import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FixtureServer } from '../server/api-server-fixture.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
let server: FixtureServer;
before(async () => (server = await FixtureServer.start()));
after(() => server.stop());

const make = async (name: string, more: object = {}) =>
  (await server.post(configMaps, { metadata: { name }, data: { a: '1' }, ...more })).body;

test('an update that changes nothing keeps the revision and tells no watcher', async () => {
  const made = await make('same');
  const watch = await server.watch(`${configMaps}?watch=1&fieldSelector=metadata.name=same`);
  assert.equal((await watch.next()).type, 'ADDED');
  const again = await server.put(`${configMaps}/same`, made);
  assert.deepEqual([again.status, again.body.metadata.resourceVersion], [200, made.metadata.resourceVersion]);
  const entries = made.metadata['managedFields'] as readonly object[];
  const managedFields = entries.map((entry) => ({ ...entry, time: '2001-01-01T00:00:00Z' }));
  const timeOnly = await server.put(`${configMaps}/same`, { ...made, metadata: { ...made.metadata, managedFields } });
  assert.equal(timeOnly.body.metadata.resourceVersion, made.metadata.resourceVersion);
  const changed = await server.put(`${configMaps}/same`, { ...made, data: { a: '2' } });
  const seen = await watch.next();
  assert.deepEqual(
    [seen.type, seen.object.metadata.resourceVersion],
    ['MODIFIED', changed.body.metadata.resourceVersion],
  );
  await watch.close();
});

test('a stale revision conflicts, none is taken as whatever is there', async () => {
  const made = await make('stale');
  await server.put(`${configMaps}/stale`, { ...made, data: { a: '2' } });
  const stale = await server.put(`${configMaps}/stale`, { ...made, data: { a: '3' } });
  assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
  assert.match(stale.body.message ?? '', /please apply your changes to the latest version and try again$/);
  const blind = await server.put(`${configMaps}/stale`, { metadata: { name: 'stale' }, data: { a: '4' } });
  assert.deepEqual([blind.status, blind.body['data']], [200, { a: '4' }]);
});

test('the uid of an earlier namesake, another name, another namespace are refused', async () => {
  const first = await make('again');
  await server.delete(`${configMaps}/again`);
  await make('again');
  const { resourceVersion: _, ...metadata } = first.metadata;
  const uid = await server.put(`${configMaps}/again`, { metadata, data: {} });
  assert.equal(uid.status, 409);
  assert.match(uid.body.message ?? '', /Precondition failed: UID in precondition: .*, UID in object meta: /);
  assert.equal((await server.put(`${configMaps}/again`, { metadata: { name: 'other' } })).status, 400);
  const namespaced = await server.put(`${configMaps}/again`, { metadata: { name: 'again', namespace: 'kube-system' } });
  assert.equal(namespaced.status, 400);
});

test('an update creates where the kind allows it', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const made = await server.put(`${leases}/new`, { metadata: { name: 'new' }, spec: { leaseDurationSeconds: 5 } });
  assert.deepEqual([made.status, made.body.metadata.name], [201, 'new']);
  assert.equal((await server.put(`${configMaps}/absent`, { metadata: { name: 'absent' } })).status, 404);
});

test('more than ten updaters share the oldest entries', async () => {
  await make('crowd');
  for (let index = 0; index < 12; index++) {
    const url = `${configMaps}/crowd?fieldManager=manager-${index}`;
    await server.patch(url, 'merge', { data: { [`key-${index}`]: 'x' } });
  }
  const { body } = await server.get(`${configMaps}/crowd`);
  const managers = (body.metadata['managedFields'] as readonly { manager: string }[]).map((entry) => entry.manager);
  assert.equal(managers.length, 10);
  assert.ok(managers.includes('ancient-changes'));
  const reset = await server.put(`${configMaps}/crowd`, {
    ...body,
    metadata: { ...body.metadata, managedFields: [{}] },
  });
  assert.equal(reset.body.metadata['managedFields'], undefined);
});

test('status is written through its own endpoint alone', async () => {
  const url = '/api/v1/namespaces/default/replicationcontrollers';
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const made = await server.post(url, { metadata: { name: 'rc' }, spec: { selector: { a: 'b' }, template } });
  assert.deepEqual([made.status, made.body.metadata['generation']], [201, 1]);
  const both = { ...made.body, spec: { ...(made.body['spec'] as object), replicas: 4 }, status: { replicas: 3 } };
  const status = await server.put(`${url}/rc/status`, both);
  const replicas = (body: unknown) => {
    const { spec, status } = body as { spec: { replicas: number }; status: { replicas: number } };
    return [spec.replicas, status.replicas];
  };
  assert.deepEqual([replicas(status.body), status.body.metadata['generation']], [[1, 3], 1]);
  const rest = { ...both, metadata: status.body.metadata, status: { replicas: 9 } };
  const spec = await server.put(`${url}/rc`, rest);
  assert.deepEqual([replicas(spec.body), spec.body.metadata['generation']], [[4, 3], 2]);
});
