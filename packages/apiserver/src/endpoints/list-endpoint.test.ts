import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeContinue } from './continue-token.ts';
import { FixtureServer } from '../server/api-server-fixture.ts';

const configMaps = '/api/v1/namespaces/lists/configmaps';
let server: FixtureServer;
before(async () => {
  server = await FixtureServer.start();
  await server.post('/api/v1/namespaces', { metadata: { name: 'lists' } });
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await server.post(configMaps, { metadata: { name, labels: { last: String(name === 'e') } } });
  }
});
after(() => server.stop());

const list = async (query: string) => {
  const { status, body } = await server.get(`${configMaps}?${query}`);
  const metadata = body.metadata as { resourceVersion: string; continue?: string; remainingItemCount?: number };
  return { status, body, ...metadata, names: (body.items ?? []).map((item) => item.metadata.name) };
};
const touch = (name: string) => server.patch(`${configMaps}/${name}`, 'merge', { data: { at: String(Math.PI) } });

test('pages show one revision, whatever happens between them', async () => {
  const first = await list('limit=2');
  assert.deepEqual([first.names, first.remainingItemCount], [['a', 'b'], 3]);
  await server.post(configMaps, { metadata: { name: 'bb' } });
  const second = await list(`limit=2&continue=${first.continue}`);
  assert.deepEqual([second.names, second.remainingItemCount], [['c', 'd'], 1]);
  const third = await list(`limit=2&continue=${second.continue}`);
  assert.deepEqual([third.names, third.remainingItemCount, third.continue], [['e'], undefined, undefined]);
  assert.deepEqual([second.resourceVersion, third.resourceVersion], [first.resourceVersion, first.resourceVersion]);
  await server.delete(`${configMaps}/bb`);
});

test('a selector that only the last object matches fills its page', async () => {
  const found = await list('limit=1&labelSelector=last=true');
  assert.deepEqual([found.names, found.continue, found.remainingItemCount], [['e'], undefined, undefined]);
});

test('a selector of nothing and an empty namespace are empty lists with a revision', async () => {
  const nothing = await list('fieldSelector=metadata.name=a&labelSelector=last=true');
  assert.deepEqual([nothing.status, nothing.body.items], [200, []]);
  const empty = await server.get('/api/v1/namespaces/nowhere/configmaps');
  assert.deepEqual([empty.status, empty.body.items], [200, []]);
  assert.ok(Number(empty.body.metadata.resourceVersion) > 0);
});

test('a page of compacted history is gone, with a token that goes on', async () => {
  const first = await list('limit=2');
  await touch('e');
  await server.store.compact(server.store.revision);
  const gone = await list(`limit=2&continue=${first.continue}`);
  assert.deepEqual([gone.status, gone.body.reason], [410, 'Expired']);
  assert.match(gone.body.message ?? '', /^The provided continue parameter is too old/);
  const rest = await list(`limit=9&continue=${gone.continue}`);
  assert.deepEqual([rest.status, rest.names], [200, ['c', 'd', 'e']]);
  assert.equal(rest.resourceVersion, String(server.store.revision));
});

test('tokens that make no sense are refused', async () => {
  assert.equal((await list('continue=nonsense')).status, 400);
  const outside = encodeContinue({ revision: server.store.revision, start: '../kube-system/x' });
  assert.equal((await list(`continue=${outside}`)).status, 400);
  const { continue: token } = await list('limit=2');
  assert.equal((await list(`continue=${token}&resourceVersion=5`)).status, 400);
  assert.equal((await list(`continue=${token}&resourceVersion=0`)).status, 200);
  const matched = await list(`continue=${token}&resourceVersionMatch=Exact&resourceVersion=1`);
  assert.equal(matched.status, 422);
});

test('a revision is at least, or exactly, what is shown', async () => {
  const before = await list('');
  await server.post(configMaps, { metadata: { name: 'f' } });
  const rv = before.resourceVersion;
  assert.equal((await list('resourceVersion=0&limit=2')).names.length, 6);
  assert.equal((await list(`resourceVersion=${rv}`)).names.length, 6);
  const exact = await list(`resourceVersion=${rv}&resourceVersionMatch=Exact`);
  assert.deepEqual([exact.names.length, exact.resourceVersion], [5, rv]);
  const paged = await list(`resourceVersion=${rv}&limit=2`);
  assert.deepEqual([paged.names, paged.resourceVersion], [['a', 'b'], rv]);
  const notOlder = await list(`resourceVersion=${rv}&resourceVersionMatch=NotOlderThan`);
  assert.equal(notOlder.names.length, 6);
});

test('partial metadata and tables are forms of the same list', async () => {
  const as = (form: string) =>
    server.get(configMaps, { headers: { accept: `application/json;as=${form};g=meta.k8s.io;v=v1` } });
  const partial = await as('PartialObjectMetadataList');
  assert.equal(partial.body.kind, 'PartialObjectMetadataList');
  assert.deepEqual(
    partial.body.items.map((item) => Object.keys(item).filter((key) => key === 'metadata' || key === 'data')),
    partial.body.items.map(() => ['metadata']),
  );
  const table = await as('Table');
  assert.equal(table.body.kind, 'Table');
  const columns = table.body['columnDefinitions'] as readonly { name: string }[];
  assert.deepEqual(
    columns.map((column) => column.name),
    ['Name', 'Data', 'Age'],
  );
});

test('media types: none acceptable is 406, anything is JSON, unknown forms are passed over', async () => {
  const accept = (value: string) => server.get(configMaps, { headers: { accept: value } });
  assert.equal((await accept('application/xml')).status, 406);
  assert.equal((await accept('application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1')).status, 406);
  assert.equal((await accept('*/*')).body.kind, 'ConfigMapList');
  assert.equal((await accept('application/json;as=Song;g=x;v=v1, application/json')).body.kind, 'ConfigMapList');
});
