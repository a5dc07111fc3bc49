// Custom resources through their endpoints: generation and status, versions, what a changed schema does to stored objects,
// selectors. Cases that others ran into with mocks and test servers carry their numbers.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { FixtureServer } from '../server/api-server-fixture.ts';
import { definition, definitionsUrl, versionNamed, widget, widgetsUrl } from './crd-fixture.ts';

let server: FixtureServer;
beforeEach(async () => (server = await FixtureServer.start()));
afterEach(() => server.stop());

const withStatus = { version: { subresources: { status: {} } } };

test('S30: an update of the main resource leaves status alone, where status is a subresource', async () => {
  await server.post(definitionsUrl, definition(withStatus));
  const made = await server.post(widgetsUrl, widget('a', { spec: { size: 1 }, status: { phase: 'sent' } }));
  assert.equal(made.body['status'], undefined);
  const put = await server.put(`${widgetsUrl}/a`, { ...made.body, status: { phase: 'sent' }, spec: { size: 2 } });
  assert.deepEqual([put.status, put.body['status'], put.body['spec']], [200, undefined, { size: 2 }]);
});

test('S30: without the subresource status is a field like any other, and its endpoint is not there', async () => {
  await server.post(definitionsUrl, definition());
  const made = await server.post(widgetsUrl, widget('a', { status: { phase: 'sent' } }));
  assert.deepEqual(made.body['status'], { phase: 'sent' });
  const status = await server.get(`${widgetsUrl}/a/status`);
  assert.deepEqual([status.status, status.body.message], [404, 'widgets.example.com "a" not found']);
});

test('S31: a status update from an older state is a conflict', async () => {
  await server.post(definitionsUrl, definition(withStatus));
  const made = await server.post(widgetsUrl, widget('a', { spec: { size: 1 } }));
  await server.patch(`${widgetsUrl}/a`, 'merge', { spec: { size: 2 } });
  const stale = await server.put(`${widgetsUrl}/a/status`, { ...made.body, status: { phase: 'late' } });
  assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
});

test('S32: the generation rises with the spec, not with metadata or status', async () => {
  await server.post(definitionsUrl, definition(withStatus));
  const generation = (body: { readonly metadata: Readonly<Record<string, unknown>> }): unknown =>
    body.metadata['generation'];
  assert.equal(generation((await server.post(widgetsUrl, widget('a', { spec: { size: 1 } }))).body), 1);
  const patch = async (url: string, body: object): Promise<unknown> =>
    generation((await server.patch(url, 'merge', body)).body);
  assert.equal(await patch(`${widgetsUrl}/a`, { metadata: { labels: { a: 'b' } } }), 1);
  assert.equal(await patch(`${widgetsUrl}/a/status`, { status: { phase: 'x' } }), 1);
  assert.equal(await patch(`${widgetsUrl}/a`, { spec: { size: 2 } }), 2);
  assert.equal(await patch(`${widgetsUrl}/a`, { spec: { size: 2 } }), 2);
});

test('S33: with finalizers a deletion waits, and nobody else sets or takes back its time', async () => {
  await server.post(definitionsUrl, definition());
  const time = '2020-01-01T00:00:00Z';
  const metadata = { name: 'a', finalizers: ['example.com/hold'], deletionTimestamp: time };
  const made = await server.post(widgetsUrl, widget('a', { metadata }));
  assert.equal(made.body.metadata['deletionTimestamp'], undefined, 'ignored at create');
  const set = await server.patch(`${widgetsUrl}/a`, 'merge', { metadata: { deletionTimestamp: time } });
  assert.deepEqual([set.status, set.body.reason], [422, 'Invalid']);
  const deleted = await server.delete(`${widgetsUrl}/a`);
  assert.equal(deleted.status, 200);
  assert.notEqual((await server.get(`${widgetsUrl}/a`)).body.metadata['deletionTimestamp'], undefined);
  await server.patch(`${widgetsUrl}/a`, 'merge', { metadata: { finalizers: [] } });
  assert.equal((await server.get(`${widgetsUrl}/a`)).status, 404);
});

test('S39: server-side apply of an absent object creates it', async () => {
  await server.post(definitionsUrl, definition());
  const applied = await server.patch(`${widgetsUrl}/a?fieldManager=me`, 'apply', widget('a', { spec: { size: 1 } }));
  assert.deepEqual([applied.status, applied.body['spec']], [201, { size: 1 }]);
  const strategic = await server.patch(`${widgetsUrl}/a`, 'strategic', { spec: { size: 2 } });
  assert.equal(strategic.status, 415);
});

test('S42: custom resources of a definition are watched like anything else', async () => {
  await server.post(definitionsUrl, definition());
  const watching = await server.watch(`${widgetsUrl}?watch=1`);
  await server.post(widgetsUrl, widget('a', { spec: { size: 1 } }));
  await server.patch(`${widgetsUrl}/a`, 'merge', { spec: { size: 2 } });
  await server.delete(`${widgetsUrl}/a`);
  const seen = [await watching.next(), await watching.next(), await watching.next()];
  assert.deepEqual(
    seen.map(({ type, object }) => [type, object['spec']]),
    [
      ['ADDED', { size: 1 }],
      ['MODIFIED', { size: 2 }],
      ['DELETED', { size: 2 }],
    ],
  );
  await watching.close();
});

test('an object that was written under another schema is shown as the present one has it', async () => {
  await server.post(definitionsUrl, definition());
  await server.post(widgetsUrl, widget('a', { spec: { size: 1 } }));
  const spec = { properties: { color: { type: 'string', default: 'red' } } };
  const versions = [{ ...versionNamed('v1', spec), storage: true }];
  await server.patch(`${definitionsUrl}/widgets.example.com`, 'merge', { spec: { versions } });
  const [read, listed] = [await server.get(`${widgetsUrl}/a`), await server.get(widgetsUrl)];
  assert.deepEqual(read.body['spec'], { color: 'red' });
  assert.deepEqual(listed.body.items[0], read.body);
});

test('a version shows what its schema knows; what is stored is what the storage version knows', async () => {
  const wide = versionNamed('v1', { properties: { size: { type: 'integer' }, color: { type: 'string' } } });
  const versions = [{ ...wide, storage: true }, versionNamed('v2')];
  await server.post(definitionsUrl, definition({ versions }));
  await server.post(widgetsUrl, widget('a', { spec: { size: 1, color: 'red' } }));
  const url = widgetsUrl.replace('v1', 'v2');
  const read = await server.get(`${url}/a`);
  assert.deepEqual([read.body['apiVersion'], read.body['spec']], ['example.com/v2', { size: 1 }]);
  const body = { ...widget('b', { spec: { size: 2, color: 'blue' } }), apiVersion: 'example.com/v2' };
  const made = await server.post(url, body);
  assert.deepEqual(
    [made.headers['warning'], made.body['spec']],
    [['299 - "unknown field \\"spec.color\\""'], { size: 2 }],
  );
  assert.equal((await server.get(`${widgetsUrl}/b`)).body['apiVersion'], 'example.com/v1');
});

test('field selectors follow the selectable fields of the definition, also when these change', async () => {
  const select = (jsonPath: string): object => ({ selectableFields: [{ jsonPath }] });
  const spec = { properties: { size: { type: 'integer' }, color: { type: 'string' } } };
  await server.post(definitionsUrl, definition({ spec, version: select('.spec.color') }));
  await server.post(widgetsUrl, widget('a', { spec: { size: 1, color: 'red' } }));
  await server.post(widgetsUrl, widget('b', { spec: { size: 2, color: 'blue' } }));
  const names = async (selector: string): Promise<unknown> => {
    const { status, body } = await server.get(`${widgetsUrl}?fieldSelector=${encodeURIComponent(selector)}`);
    return status === 200 ? body.items.map(({ metadata }) => metadata.name) : status;
  };
  assert.deepEqual([await names('spec.color=red'), await names('spec.size=2')], [['a'], 400]);
  const versions = [{ ...versionNamed('v1', spec), storage: true, ...select('.spec.size') }];
  await server.patch(`${definitionsUrl}/widgets.example.com`, 'merge', { spec: { versions } });
  assert.deepEqual([await names('spec.color=red'), await names('spec.size=2')], [400, ['b']]);
  const watching = await server.watch(`${widgetsUrl}?watch=1&fieldSelector=spec.size%3D2`);
  assert.equal((await watching.next()).object.metadata.name, 'b');
  await server.patch(`${widgetsUrl}/a`, 'merge', { spec: { size: 2 } });
  const { type, object } = await watching.next();
  assert.deepEqual([type, object.metadata.name], ['ADDED', 'a']);
  await watching.close();
});

test('keys come in byte order, and the same bytes from every endpoint', async () => {
  await server.post(definitionsUrl, definition());
  const metadata = {
    name: 'a',
    labels: { uid: 'x', b: '1', a: '2' },
    annotations: { text: '"uid":"no"' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'owner' }],
  };
  const made = await server.post(widgetsUrl, { ...widget('a', { spec: { size: 1 } }), metadata });
  const read = await server.get(`${widgetsUrl}/a`);
  assert.equal(read.text, made.text);
  const sorted = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([k, v]) => [k, sorted(v)]),
        );
  assert.equal(read.text, `${JSON.stringify(sorted(read.body))}\n`);
  const listed = await server.get(widgetsUrl);
  assert.ok(listed.text.includes(read.text.trimEnd()));
});

test('where a webhook would convert, objects are served in the version they are stored in, and refused in others', async () => {
  const versions = [{ ...versionNamed('v1'), storage: true }, versionNamed('v2')];
  const webhook = { clientConfig: { url: 'https://example.com/convert' }, conversionReviewVersions: ['v1'] };
  const plain = definition({ versions }) as { readonly spec: object };
  const conversion = { strategy: 'Webhook', webhook };
  await server.post(definitionsUrl, { ...plain, spec: { ...plain.spec, conversion } });
  assert.equal((await server.post(widgetsUrl, widget('a', { spec: { size: 1 } }))).status, 201);
  assert.equal((await server.get(`${widgetsUrl}/a`)).status, 200);
  const other = await server.get(`${widgetsUrl.replace('v1', 'v2')}/a`);
  assert.equal(other.status, 500);
  assert.match(other.body.message ?? '', /conversion webhook for example\.com\/v2, Kind=Widget failed/);
  const body = { ...widget('b'), apiVersion: 'example.com/v2' };
  assert.equal((await server.post(widgetsUrl.replace('v1', 'v2'), body)).status, 500);
  assert.deepEqual((await server.get(widgetsUrl)).body.items.length, 1, 'nothing of another version was stored');
});
