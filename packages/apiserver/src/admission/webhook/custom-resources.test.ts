// Webhooks of custom resources: what operators have most of.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { FixtureServer } from '../../server/api-server-fixture.ts';
import { configure, type FixtureHooks, patching, rule, startHookedServer } from './webhook-fixture.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1';
const group = 'cache.example.com';
const caches = `/apis/${group}/v1/namespaces/default/caches`;

let server: FixtureServer;
let hooks: FixtureHooks;

const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer', maximum: 10 },
            ports: {
              type: 'array',
              items: {
                type: 'object',
                properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
              },
            },
          },
        },
        status: { type: 'object', properties: { size: { type: 'integer' } } },
      },
    },
  },
});

before(async () => {
  ({ server, hooks } = await startHookedServer());
  const { status, text } = await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `caches.${group}` },
    spec: {
      group,
      names: { plural: 'caches', singular: 'cache', kind: 'Cache', listKind: 'CacheList' },
      scope: 'Namespaced',
      versions: [version('v1beta1', false), version('v1', true)],
    },
  });
  assert.equal(status, 201, text);
});
after(() => server.stop());
beforeEach(async () => {
  await server.delete(`${configurations}/validatingwebhookconfigurations`);
  await server.delete(`${configurations}/mutatingwebhookconfigurations`);
  hooks.hooks.clear();
  hooks.calls.length = 0;
});

const own = (
  resources: readonly string[] = ['caches'],
  apiVersions: readonly string[] = ['v1'],
): Record<string, unknown> => rule(resources, { apiGroups: [group], apiVersions });
const cache = (name: string, spec: object, apiVersion = 'v1'): object => ({
  apiVersion: `${group}/${apiVersion}`,
  kind: 'Cache',
  metadata: { name },
  spec,
});

test('a patch is pruned, defaulted and validated by the schema', async () => {
  await configure(server, 'mutating', 'c', { name: 'a.example.com', rules: [own()] });
  hooks.on('/a', () =>
    patching(
      { op: 'add', path: '/spec/ports', value: [{ port: 80, unknown: true }] },
      { op: 'add', path: '/extra', value: 1 },
    ),
  );
  const made = await server.post(caches, cache('one', { size: 1 }));
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(made.body['spec'], { ports: [{ port: 80, protocol: 'TCP' }], size: 1 });
  assert.equal(made.body['extra'], undefined);
  hooks.on('/a', () => patching({ op: 'replace', path: '/spec/size', value: 11 }));
  const refused = await server.post(caches, cache('two', { size: 1 }));
  assert.equal(refused.status, 422);
  assert.match(
    refused.body.message ?? '',
    /spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10/,
  );
});

test('a webhook for one version sees objects written in another', async () => {
  await configure(server, 'mutating', 'c', { name: 'a.example.com', rules: [own()] });
  hooks.on('/a', ({ object }) => {
    assert.equal(object?.['apiVersion'], `${group}/v1`);
    return patching({ op: 'add', path: '/spec/size', value: 4 });
  });
  const made = await server.post(caches.replace('/v1/', '/v1beta1/'), cache('beta', { size: 1 }, 'v1beta1'));
  assert.equal(made.status, 201, made.text);
  assert.equal(made.body['apiVersion'], `${group}/v1beta1`);
  assert.deepEqual(made.body['spec'], { size: 4 });
  const { kind, requestKind } = hooks.calls[0]?.request ?? assert.fail('no call');
  assert.deepEqual(kind, { group, version: 'v1', kind: 'Cache' });
  assert.deepEqual(requestKind, { group, version: 'v1beta1', kind: 'Cache' });
});

test('status, scale, apply, updates and deletions are asked about', async () => {
  await server.post(caches, cache('all', { size: 1 }));
  await configure(server, 'validating', 'c', { name: 'a.example.com', rules: [own(['caches/*'])] });
  hooks.on('/a', () => ({ allowed: true }));
  const steps = [
    () => server.patch(`${caches}/all`, 'merge', { spec: { size: 2 } }),
    () => server.patch(`${caches}/all/status`, 'merge', { status: { size: 1 } }),
    () => server.patch(`${caches}/all/scale`, 'merge', { spec: { replicas: 3 } }),
    () => server.patch(`${caches}/applied?fieldManager=me`, 'apply', cache('applied', { size: 1 })),
    () => server.delete(`${caches}/all`),
  ];
  for (const step of steps) {
    const { status, text } = await step();
    assert.ok(status < 300, text);
  }
  const seen = hooks.calls.map(({ request }) => [
    request.operation,
    request.subResource ?? '',
    (request['kind'] as { kind: string }).kind,
    request.name,
  ]);
  assert.deepEqual(seen.toSorted(), [
    ['CREATE', '', 'Cache', 'applied'],
    ['DELETE', '', 'Cache', 'all'],
    ['UPDATE', '', 'Cache', 'all'],
    ['UPDATE', 'scale', 'Scale', 'all'],
    ['UPDATE', 'status', 'Cache', 'all'],
  ]);
});

test('match conditions read custom objects', async () => {
  const matchConditions = [{ name: 'big', expression: 'object.spec.size > 5' }];
  await configure(server, 'validating', 'c', { name: 'a.example.com', rules: [own()], matchConditions });
  hooks.on('/a', () => ({ allowed: false, status: { message: 'too big' } }));
  assert.equal((await server.post(caches, cache('small', { size: 5 }))).status, 201);
  const { body } = await server.post(caches, cache('big', { size: 6 }));
  assert.equal(body.message, 'admission webhook "a.example.com" denied the request: too big');
});
