import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createVirtualEnv, type Random } from '@homeostat/base';
import { FixtureServer } from '../server/api-server-fixture.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
let server: FixtureServer;
before(async () => (server = await FixtureServer.start()));
after(() => server.stop());

test('create sets the system fields and announces nothing twice', async () => {
  const made = await server.post(configMaps, {
    metadata: { name: 'one', uid: 'mine', selfLink: '/x' },
    data: { a: 'b' },
  });
  assert.equal(made.status, 201);
  const { metadata } = made.body;
  assert.match(metadata.uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  assert.equal(metadata['namespace'], 'default');
  assert.equal(metadata['selfLink'], undefined);
  assert.deepEqual(
    [made.body.kind, made.body['apiVersion'], Object.keys(made.body)],
    ['ConfigMap', 'v1', ['kind', 'apiVersion', 'metadata', 'data']],
  );
  const again = await server.post(configMaps, { metadata: { name: 'one' } });
  assert.deepEqual(
    [again.status, again.body.reason, again.body.message],
    [409, 'AlreadyExists', 'configmaps "one" already exists'],
  );
});

test('create refuses a resourceVersion and stores nothing', async () => {
  const refused = await server.post(configMaps, { metadata: { name: 'versioned', resourceVersion: '7' } });
  assert.equal(refused.status, 500);
  assert.equal(refused.body.message, 'resourceVersion should not be set on objects to be created');
  assert.equal((await server.get(`${configMaps}/versioned`)).status, 404);
});

test('create says that the namesake is being deleted', async () => {
  await server.post(configMaps, { metadata: { name: 'going', finalizers: ['example.com/wait'] } });
  assert.equal((await server.delete(`${configMaps}/going`)).status, 200);
  const again = await server.post(configMaps, { metadata: { name: 'going' } });
  assert.equal(again.status, 409);
  assert.equal(again.body.message, 'object is being deleted: configmaps "going" already exists');
});

test('create checks the body against the request', async () => {
  const other = await server.post(configMaps, { metadata: { name: 'x', namespace: 'kube-system' } });
  assert.deepEqual(
    [other.status, other.body.message],
    [400, 'the namespace of the provided object does not match the namespace sent on the request'],
  );
  const kind = await server.post(configMaps, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } });
  assert.equal(kind.status, 400);
  const nameless = await server.post(configMaps, { metadata: {} });
  assert.equal(nameless.status, 422);
  assert.match(nameless.body.message ?? '', /Required value: name or generateName is required/);
});

test('a dry run answers as a create would and stores nothing', async () => {
  const dry = await server.post(`${configMaps}?dryRun=All`, { metadata: { name: 'dry' } });
  assert.equal(dry.status, 201);
  assert.equal(dry.body.metadata['resourceVersion'], undefined);
  assert.equal((await server.get(`${configMaps}/dry`)).status, 404);
});

test('field validation lists unknown and duplicate fields, warns of them, or is silent', async () => {
  const text = '{"metadata":{"name":"fields"},"data":{},"data":{},"extra":1}';
  const ask = (how: string) => server.ask('POST', `${configMaps}?dryRun=All&fieldValidation=${how}`, { text });
  const strict = await ask('Strict');
  assert.equal(strict.status, 400);
  assert.match(strict.body.message ?? '', /strict decoding error: duplicate field "data", unknown field "extra"/);
  const warned = await ask('Warn');
  assert.deepEqual(
    [warned.status, warned.headers['warning']],
    [201, ['299 - "duplicate field \\"data\\""', '299 - "unknown field \\"extra\\""']],
  );
  const ignored = await ask('Ignore');
  assert.deepEqual([ignored.status, ignored.headers['warning']], [201, undefined]);
});

/** Random names that repeat the first one until `fresh` is set. */
function stuckRandom(random: Random, until: () => boolean): Random {
  return {
    ...random,
    uuid: () => random.uuid(),
    int: (bound) => (until() ? random.int(bound) : 0),
    float: () => random.float(),
  };
}

test('generateName tries eight names', async () => {
  const base = createVirtualEnv();
  let drawn = 0;
  let drawnMax = 0;
  const random = stuckRandom(base.random, () => ++drawn > drawnMax);
  const fixture = await FixtureServer.start({ env: { ...base, random } });
  try {
    await fixture.post(configMaps, { metadata: { name: 'n-bbbbb' } });
    const collide = (times: number): void => {
      drawn = 0;
      drawnMax = times * 5;
    };
    collide(8);
    const failed = await fixture.post(configMaps, { metadata: { generateName: 'n-' } });
    assert.equal(failed.status, 409);
    assert.match(failed.body.message ?? '', /, the server was not able to generate a unique name for the object$/);
    assert.deepEqual(failed.body['details'], { name: 'n-bbbbb', kind: 'configmaps', retryAfterSeconds: 1 });
    assert.equal(failed.headers['retry-after'], '1');
    collide(7);
    const made = await fixture.post(configMaps, { metadata: { generateName: 'n-' } });
    assert.equal(made.status, 201);
    assert.match(made.body.metadata.name, /^n-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  } finally {
    await fixture.stop();
  }
});
