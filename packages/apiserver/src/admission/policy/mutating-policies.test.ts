// Mutating policies in force: configurations merged, JSON patches, parameters, conditions, failures, the second round.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { FixtureServer } from '../../server/api-server-fixture.ts';
import { createAdmissionPlugins } from '../plugin-table.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const policies = `${group}/mutatingadmissionpolicies`;
const bindings = `${group}/mutatingadmissionpolicybindings`;
const namespaced = '/api/v1/namespaces/default';
const maps = `${namespaced}/configmaps`;

let server: FixtureServer;

before(async () => {
  server = await FixtureServer.start({
    parts: (host) => ({
      admission: createAdmissionPlugins(host).filter(({ name }) => name === 'MutatingAdmissionPolicy'),
    }),
  });
});
after(() => server.stop());
beforeEach(async () => {
  for (const path of [bindings, policies, maps]) await server.delete(path);
});

const rulesFor = (...resources: readonly string[]): object[] => [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources },
];
const configuration = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

async function enforce(name: string, mutations: readonly object[], more: object = {}): Promise<void> {
  const metadata = { name };
  const matchConstraints = { resourceRules: rulesFor('configmaps', 'pods') };
  const policy = await server.post(policies, {
    metadata,
    spec: { matchConstraints, reinvocationPolicy: 'Never', mutations, ...more },
  });
  assert.equal(policy.status, 201, policy.text);
  const bound = await server.post(bindings, { metadata, spec: { policyName: name } });
  assert.equal(bound.status, 201, bound.text);
}

async function create(data: Record<string, string>, name = 'a'): Promise<Record<string, unknown>> {
  const answer = await server.post(maps, { metadata: { name }, data });
  assert.equal(answer.status, 201, answer.text);
  return (JSON.parse(answer.text) as { readonly data: Record<string, unknown> }).data;
}

test('mutations run one after another, each on what the one before it made', async () => {
  await enforce('p', [
    configuration('Object{metadata: Object.metadata{annotations: {"e.com/size": string(size(object.data))}}}'),
    patch(
      '[JSONPatch{op: "copy", from: "/metadata/annotations/" + jsonpatch.escapeKey("e.com/size"), path: "/data/size"}, JSONPatch{op: "add", path: "/data/seen", value: object.metadata.annotations["e.com/size"]}]',
    ),
  ]);
  assert.deepEqual(await create({ k: 'v' }), { k: 'v', size: '1', seen: '1' });
});

test('a configuration is merged into lists by their keys', async () => {
  await enforce('p', [
    configuration(
      'Object{spec: Object.spec{containers: [Object.spec.containers{name: "b", env: [Object.spec.containers.env{name: "E", value: "1"}]}]}}',
    ),
  ]);
  const containers = [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'i' },
  ];
  const answer = await server.post(`${namespaced}/pods`, { metadata: { name: 'pod' }, spec: { containers } });
  assert.equal(answer.status, 201, answer.text);
  const { spec } = JSON.parse(answer.text) as {
    readonly spec: { readonly containers: readonly { readonly env?: unknown }[] };
  };
  assert.deepEqual(
    spec.containers.map(({ env }) => env),
    [undefined, [{ name: 'E', value: '1' }]],
  );
});

test('conditions leave requests out; a failure refuses the request unless failures are ignored', async () => {
  const matchConditions = [{ name: 'c', expression: '"k" in object.data' }];
  const mutations = [patch('[JSONPatch{op: "remove", path: "/data/missing"}]')];
  await enforce('p', mutations, { matchConditions });
  assert.deepEqual(await create({ z: '1' }, 'other'), { z: '1' });
  const refused = await server.post(maps, { metadata: { name: 'a' }, data: { k: 'v' } });
  assert.equal(refused.status, 403);
  assert.match(refused.text, /policy 'p' with binding 'p' denied request: JSON Patch: /);
  for (const path of [bindings, policies]) await server.delete(path);
  await enforce('p', mutations, { matchConditions, failurePolicy: 'Ignore' });
  assert.deepEqual(await create({ k: 'v' }), { k: 'v' });
});

test('a policy that asks for it sees what later ones changed', async () => {
  const count = [configuration('Object{data: {"count": string(size(object.data.filter(k, k != "count")))}}')];
  await enforce('a', count, { reinvocationPolicy: 'IfNeeded' });
  await enforce('b', [configuration('Object{data: {"later": "x"}}')]);
  assert.deepEqual(await create({ k: 'v' }), { k: 'v', later: 'x', count: '2' });
});
