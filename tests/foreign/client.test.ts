import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRestMapper, isAlreadyExists, isConflict, isNotFound } from '@homeostat/client';
import { configMaps, serviceAccounts } from '@homeostat/client/resources';
import { connectForeign, type ForeignCluster } from './foreign-cluster.ts';

let cluster: ForeignCluster;

before(async () => {
  cluster = await connectForeign();
});
after(() => cluster?.close());

const object = (name: string, data: Record<string, string> = {}) => ({
  metadata: { name, namespace: cluster.namespace, labels: { test: 'client' } },
  data,
});

test('every way to write, and a stale write is refused', async () => {
  const { client, namespace } = cluster;
  const made = await client.create(configMaps, { object: object('writes', { a: '1' }) });
  await assert.rejects(client.create(configMaps, { object: object('writes') }), (error) => isAlreadyExists(error));
  const target = { namespace, name: 'writes' };
  const merged = await client.patch(configMaps, { ...target, type: 'merge', patch: { data: { b: '2' } } });
  assert.deepEqual(merged.data, { a: '1', b: '2' });
  const stale = client.update(configMaps, { object: { ...made, data: { a: '9' } } });
  await assert.rejects(stale, (error) => isConflict(error));
  const patched = await client.patch(configMaps, {
    ...target,
    type: 'json',
    patch: [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'remove', path: '/data/a' },
    ],
  });
  assert.deepEqual(patched.data, { b: '2' });
  const strategic = { ...target, type: 'strategic' as const, patch: { metadata: { labels: { more: 'yes' } } } };
  assert.equal((await client.patch(configMaps, strategic)).metadata?.labels?.['more'], 'yes');
  const rehearsed = await client.update(configMaps, {
    object: { ...patched, metadata: object('writes').metadata, data: {} },
    dryRun: true,
  });
  assert.deepEqual(rehearsed.data ?? {}, {});
  assert.deepEqual((await client.get(configMaps, target)).data, { b: '2' });
  await client.delete(configMaps, { ...target, preconditions: { uid: made.metadata?.uid ?? '' } });
  await assert.rejects(client.get(configMaps, target), (error) => isNotFound(error));
});

test('server-side apply owns fields, and says whose they are', async () => {
  const { client } = cluster;
  const apply = (fieldManager: string, data: Record<string, string>, force = false) =>
    client.apply(configMaps, { object: object('applied', data), fieldManager, force });
  await apply('one', { a: '1', b: '1' });
  await assert.rejects(
    apply('two', { b: '2' }),
    (error) => isConflict(error) && /"one"/.test((error as Error).message),
  );
  assert.deepEqual((await apply('two', { b: '2' }, true)).data, { a: '1', b: '2' });
  assert.deepEqual((await apply('one', {})).data, { b: '2' });
});

test('pages, lists by label, and collections', async () => {
  const { client, namespace } = cluster;
  for (let i = 0; i < 5; i++)
    await client.create(configMaps, {
      object: { ...object(`page-${i}`), metadata: { ...object(`page-${i}`).metadata, labels: { set: 'pages' } } },
    });
  const sizes: number[] = [];
  for await (const page of client.listPages(configMaps, { namespace, labelSelector: 'set=pages', limit: 2 }))
    sizes.push(page.items.length);
  assert.deepEqual(sizes, [2, 2, 1]);
  await client.deleteCollection(configMaps, { namespace, labelSelector: 'set=pages' });
  assert.deepEqual((await client.list(configMaps, { namespace, labelSelector: 'set=pages' })).items, []);
});

test('a watch tells what happens, in order', async () => {
  const { client, namespace } = cluster;
  const stop = new AbortController();
  const { metadata } = await client.list(configMaps, { namespace });
  const events = await client.watch(configMaps, {
    namespace,
    resourceVersion: metadata?.resourceVersion ?? '',
    fieldSelector: 'metadata.name=watched',
    signal: stop.signal,
  });
  await client.create(configMaps, { object: object('watched') });
  await client.patch(configMaps, { namespace, name: 'watched', type: 'merge', patch: { data: { a: '1' } } });
  await client.delete(configMaps, { namespace, name: 'watched' });
  const types: string[] = [];
  for await (const { type } of events) {
    if (type !== 'BOOKMARK') types.push(type);
    if (type === 'DELETED') break;
  }
  stop.abort();
  assert.deepEqual(types, ['ADDED', 'MODIFIED', 'DELETED']);
});

test('kinds are found by name, and identities are tokens', async () => {
  const { client, env, namespace } = cluster;
  const mapper = createRestMapper({ client, env });
  const found = await mapper.resourceFor({ group: 'apps', version: 'v1', kind: 'Deployment' });
  assert.deepEqual([found.resource, found.namespaced], ['deployments', true]);
  await client.create(serviceAccounts, { object: { metadata: { name: 'robot', namespace } } });
  const token = await client.createSubresource(serviceAccounts, {
    namespace,
    name: 'robot',
    subresource: 'token',
    object: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } } as never,
  });
  assert.match((token as unknown as { status: { token: string } }).status.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
});
