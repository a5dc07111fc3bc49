// The lifecycle of CustomResourceDefinitions: served at once, served again after a restart, names, changes, deletion.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createRealEnv } from '@homeostat/base/node';
import { createMemoryStore } from '@homeostat/storage/memory';
import { type AnswerBody, FixtureServer } from '../server/api-server-fixture.ts';
import { definition, definitionsUrl, versionNamed, widget, widgetsUrl } from './crd-fixture.ts';

const servers: FixtureServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start(options: Parameters<typeof FixtureServer.start>[0] = {}): Promise<FixtureServer> {
  const server = await FixtureServer.start(options);
  servers.push(server);
  return server;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

function conditions(body: AnswerBody): string[] {
  const { status } = body as unknown as { readonly status: { readonly conditions: readonly Condition[] | null } };
  return (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);
}

test('S12: the request after the create of a definition lists its resources, discovers and creates them', async () => {
  const server = await start();
  const made = await server.post(definitionsUrl, definition());
  assert.equal(made.status, 201);
  assert.deepEqual(conditions(made.body), [], 'the answer is the object as it was created');
  const listed = await server.get(widgetsUrl);
  assert.deepEqual([listed.status, listed.body.kind, listed.body.items], [200, 'WidgetList', []]);
  const read = await server.get(`${definitionsUrl}/widgets.example.com`);
  assert.deepEqual(conditions(read.body), ['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted']);
  assert.equal((await server.post(widgetsUrl, widget('a'))).status, 201);
});

test('S12: so do those of many definitions that are created at the same time', async () => {
  const server = await start();
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  await Promise.all(
    numbers.map(async (i) => {
      const made = await server.post(definitionsUrl, definition({ plural: `w${i}s`, kind: `W${i}` }));
      assert.equal(made.status, 201);
      assert.equal((await server.get(`/apis/example.com/v1/w${i}s`)).status, 200);
    }),
  );
});

test('a changed definition is served as it is now by the next request', async () => {
  const server = await start();
  await server.post(definitionsUrl, definition());
  const versions = [{ ...versionNamed('v1'), storage: true }, versionNamed('v2')];
  const patched = await server.patch(`${definitionsUrl}/widgets.example.com`, 'merge', { spec: { versions } });
  assert.equal(patched.status, 200);
  assert.equal((await server.get('/apis/example.com/v2/widgets')).status, 200);
  const unserved = [
    { ...versionNamed('v1'), storage: true },
    { ...versionNamed('v2'), served: false },
  ];
  await server.patch(`${definitionsUrl}/widgets.example.com`, 'merge', { spec: { versions: unserved } });
  const gone = await server.get('/apis/example.com/v2/widgets');
  assert.deepEqual([gone.status, gone.text], [404, '404 page not found\n']);
});

test('after a restart resources are served, with their objects, before anybody is told that the server is ready', async () => {
  const env = createRealEnv();
  const store = createMemoryStore({ env });
  const first = await FixtureServer.start({ store });
  await first.post(definitionsUrl, definition());
  await first.post(widgetsUrl, widget('kept', { spec: { size: 1 } }));
  const { body } = await first.get(`${widgetsUrl}/kept`);
  await first.halt();
  const second = await start({ store });
  const again = await second.get(`${widgetsUrl}/kept`);
  assert.equal(again.status, 200);
  assert.deepEqual(again.body, body);
});

test('a name belongs to one definition of a group, and goes to the next when that is deleted', async () => {
  const server = await start();
  await server.post(definitionsUrl, definition({ names: { shortNames: ['w'] } }));
  await server.post(definitionsUrl, definition({ plural: 'others', kind: 'Other', names: { shortNames: ['w'] } }));
  const refused = await server.get(`${definitionsUrl}/others.example.com`);
  assert.deepEqual(conditions(refused.body), [
    'NamesAccepted=False ShortNamesConflict',
    'Established=False NotAccepted',
  ]);
  assert.equal((await server.get('/apis/example.com/v1/others')).status, 404);
  await server.delete(`${definitionsUrl}/widgets.example.com`);
  await eventually(async () => (await server.get('/apis/example.com/v1/others')).status === 200);
});

test('a definition goes when its last instance has gone; until then nothing new is created', async () => {
  const server = await start();
  await server.post(definitionsUrl, definition());
  await server.post(widgetsUrl, widget('free'));
  await server.post(widgetsUrl, widget('held', { metadata: { name: 'held', finalizers: ['example.com/hold'] } }));
  const deleted = await server.delete(`${definitionsUrl}/widgets.example.com`);
  assert.equal(deleted.status, 200);
  assert.deepEqual(deleted.body.metadata['finalizers'], ['customresourcecleanup.apiextensions.k8s.io']);
  await eventually(async () => (await server.get(`${widgetsUrl}/free`)).status === 404);
  const refused = await server.post(widgetsUrl, widget('new'));
  assert.equal(refused.status, 403);
  assert.match(refused.body.message ?? '', /create not allowed while custom resource definition is terminating/);
  assert.equal((await server.get(`${widgetsUrl}/held`)).status, 200);
  await server.patch(`${widgetsUrl}/held`, 'merge', { metadata: { finalizers: null } });
  await eventually(async () => (await server.get(`${definitionsUrl}/widgets.example.com`)).status === 404);
  assert.equal((await server.get(widgetsUrl)).status, 404);
  assert.equal((await server.post(definitionsUrl, definition())).status, 201);
  assert.deepEqual((await server.get(widgetsUrl)).body.items, []);
});

test('watches end when the schema changes or the definition goes, and not when only its metadata changes', async () => {
  const server = await start();
  await server.post(definitionsUrl, definition());
  const first = await server.watch(`${widgetsUrl}?watch=1`);
  await server.patch(`${definitionsUrl}/widgets.example.com`, 'merge', { metadata: { labels: { a: 'b' } } });
  await server.post(widgetsUrl, widget('a'));
  assert.equal((await first.next()).object.metadata.name, 'a');
  const wider = [
    { ...versionNamed('v1', { properties: { size: { type: 'integer' }, more: { type: 'string' } } }), storage: true },
  ];
  await server.patch(`${definitionsUrl}/widgets.example.com`, 'merge', { spec: { versions: wider } });
  assert.deepEqual(await first.rest(), []);
  const second = await server.watch(`${widgetsUrl}?watch=1`);
  assert.equal((await second.next()).type, 'ADDED');
  await server.delete(`${definitionsUrl}/widgets.example.com`);
  assert.deepEqual(
    (await second.rest()).map(({ type }) => type),
    ['DELETED'],
  );
});

test('a watch from before the definition existed has expired', async () => {
  const server = await start();
  await server.post(definitionsUrl, definition());
  const watching = await server.watch(`${widgetsUrl}?watch=1&resourceVersion=1`);
  const { type, object } = await watching.next();
  assert.deepEqual([type, object.reason, object.code], ['ERROR', 'Expired', 410]);
});

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    if (await condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('it did not come to pass');
}
