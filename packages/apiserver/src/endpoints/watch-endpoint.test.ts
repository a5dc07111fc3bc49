import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { createMemoryStore } from '@homeostat/storage/memory';
import { FixtureServer, type WatchedEvent } from '../server/api-server-fixture.ts';
import { StoredObject } from '../watch-cache/stored-object.ts';

const configMaps = '/api/v1/namespaces/watches/configmaps';
let server: FixtureServer;
before(async () => {
  server = await FixtureServer.start();
  await server.post('/api/v1/namespaces', { metadata: { name: 'watches' } });
});
after(() => server.stop());

const make = async (name: string, labels: object = {}, url = configMaps) =>
  (await server.post(url, { metadata: { name, labels } })).body.metadata;
const label = async (name: string, labels: object) =>
  (await server.patch(`${configMaps}/${name}`, 'merge', { metadata: { labels } })).body.metadata;
const seen = ({ type, object }: WatchedEvent) => [type, object.metadata.name, object.metadata.resourceVersion];
const revision = () => String(server.store.revision);

test('without a revision what is there comes first, with one only what is later', async () => {
  const one = await make('first-one');
  const watch = await server.watch(`${configMaps}?watch=true&labelSelector=!x`);
  assert.deepEqual(seen(await watch.next()), ['ADDED', 'first-one', one.resourceVersion]);
  const two = await make('first-two');
  assert.deepEqual(seen(await watch.next()), ['ADDED', 'first-two', two.resourceVersion]);
  await watch.close();
  const later = await server.watch(`${configMaps}?watch=true&resourceVersion=${one.resourceVersion}`);
  assert.deepEqual(seen(await later.next()), ['ADDED', 'first-two', two.resourceVersion]);
  await later.close();
});

test('objects enter and leave a selector', async () => {
  await make('flip');
  const watch = await server.watch(`${configMaps}?watch=true&resourceVersion=${revision()}&labelSelector=in=yes`);
  await label('flip', { other: 'x' });
  const entered = await label('flip', { in: 'yes' });
  const changed = await label('flip', { other: 'y' });
  const left = await label('flip', { in: 'no' });
  await label('flip', { other: 'z' });
  const again = await label('flip', { in: 'yes' });
  assert.deepEqual(seen(await watch.next()), ['ADDED', 'flip', entered.resourceVersion]);
  assert.deepEqual(seen(await watch.next()), ['MODIFIED', 'flip', changed.resourceVersion]);
  const gone = await watch.next();
  assert.deepEqual(seen(gone), ['DELETED', 'flip', left.resourceVersion]);
  assert.deepEqual(gone.object.metadata['labels'], { other: 'y', in: 'yes' });
  assert.deepEqual(seen(await watch.next()), ['ADDED', 'flip', again.resourceVersion]);
  await watch.close();
});

test('a deletion is seen at a revision of its own', async () => {
  const made = await make('short');
  const watch = await server.watch(`${configMaps}?watch=true&resourceVersion=${made.resourceVersion}`);
  await server.delete(`${configMaps}/short`);
  const gone = await watch.next();
  assert.deepEqual([gone.type, gone.object.metadata.uid], ['DELETED', made.uid]);
  assert.equal(gone.object.metadata.resourceVersion, revision());
  await watch.close();
});

test('a namespaced watch sees its namespace, the other all', async () => {
  const at = revision();
  const narrow = await server.watch(`${configMaps}?watch=true&resourceVersion=${at}`);
  const old = await server.watch(`/api/v1/watch/namespaces/watches/configmaps?resourceVersion=${at}`);
  const wide = await server.watch(`/api/v1/configmaps?watch=true&resourceVersion=${at}`);
  await make('elsewhere', {}, '/api/v1/namespaces/default/configmaps');
  await make('here');
  assert.equal((await narrow.next()).object.metadata.name, 'here');
  assert.equal((await old.next()).object.metadata.name, 'here');
  assert.equal((await wide.next()).object.metadata.name, 'elsewhere');
  assert.equal((await wide.next()).object.metadata.name, 'here');
  await Promise.all([narrow.close(), old.close(), wide.close()]);
});

test('initial events end with a bookmark, when bookmarks are allowed', async () => {
  const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  assert.equal((await server.get(`${configMaps}?watch=true&sendInitialEvents=true`)).status, 422);
  const watch = await server.watch(`${configMaps}?${query}&allowWatchBookmarks=true&timeoutSeconds=1`);
  const names: string[] = [];
  let event = await watch.next();
  for (; event.type === 'ADDED'; event = await watch.next()) names.push(event.object.metadata.name);
  const { body } = await server.get(configMaps);
  assert.deepEqual(
    names,
    body.items.map((item) => item.metadata.name),
  );
  assert.equal(event.type, 'BOOKMARK');
  assert.deepEqual(event.object.metadata['annotations'], { 'k8s.io/initial-events-end': 'true' });
  assert.ok(Number(event.object.metadata.resourceVersion) >= Number(body.metadata.resourceVersion));
  await watch.close();
});

test('a watch ends in time; bookmarks come in between and shortly before the end, with rising revisions', async () => {
  const env = createVirtualEnv();
  const fixture = await FixtureServer.start({ env });
  try {
    const url = '/api/v1/configmaps?watch=1&resourceVersion=1&timeoutSeconds=150';
    const plain = (await fixture.watch(`${url}&labelSelector=never=there`)).rest();
    const marked = (await fixture.watch(`${url}&allowWatchBookmarks=1&labelSelector=never=there`)).rest();
    await env.clock.advance(70_000);
    await fixture.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'x' } });
    await env.clock.advance(80_000);
    assert.deepEqual(await plain, []);
    const events = await marked;
    assert.deepEqual(
      events.map((event) => event.type),
      ['BOOKMARK', 'BOOKMARK', 'BOOKMARK'],
    );
    const revisions = events.map((event) => Number(event.object.metadata.resourceVersion));
    assert.deepEqual(
      revisions,
      revisions.toSorted((a, b) => a - b),
    );
    assert.equal(revisions.at(-1), fixture.store.revision);
  } finally {
    await fixture.stop();
  }
});

test('a revision that is no longer known is an ERROR in the stream, then its end', async () => {
  const env = createVirtualEnv();
  const store = createMemoryStore({ env });
  await store.txn({ compare: [], operations: [{ type: 'put', key: '/other', value: new StoredObject({}) }] });
  const fixture = await FixtureServer.start({ env, store });
  try {
    const watch = await fixture.watch('/api/v1/pods?watch=1&resourceVersion=1');
    assert.equal(watch.status, 200);
    const [event, ...more] = await watch.rest();
    assert.deepEqual([event?.type, event?.object.code, event?.object.reason, more], ['ERROR', 410, 'Expired', []]);
    assert.match(event?.object.message ?? '', /^too old resource version: 1 \(\d+\)$/);
  } finally {
    await fixture.stop();
  }
});

test('tables, partial metadata and single objects can be watched', async () => {
  await make('formed');
  const one = 'fieldSelector=metadata.name=formed&watch=1';
  const as = (form: string) => ({ accept: `application/json;as=${form};v=v1;g=meta.k8s.io` });
  const table = await server.watch(`${configMaps}?${one}`, as('Table'));
  const first = await table.next();
  await label('formed', { a: 'b' });
  const second = await table.next();
  assert.deepEqual([first.object.kind, second.object.kind], ['Table', 'Table']);
  assert.equal((first.object['columnDefinitions'] as readonly object[]).length, 3);
  assert.equal(second.object['columnDefinitions'], null);
  await table.close();
  const partial = await server.watch(`${configMaps}?${one}`, as('PartialObjectMetadata'));
  const { object } = await partial.next();
  assert.deepEqual([object.kind, Object.keys(object)], ['PartialObjectMetadata', ['kind', 'apiVersion', 'metadata']]);
  await partial.close();
  const single = await server.watch('/api/v1/watch/namespaces/watches/configmaps/formed');
  assert.equal((await single.next()).object.metadata.name, 'formed');
  await single.close();
});
