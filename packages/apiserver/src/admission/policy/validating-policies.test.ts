// Policies in force: what they refuse and how, warnings, parameters, conditions, variables, failures. The texts are upstream's.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { FixtureServer } from '../../server/api-server-fixture.ts';
import { createAdmissionPlugins } from '../plugin-table.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const policies = `${group}/validatingadmissionpolicies`;
const bindings = `${group}/validatingadmissionpolicybindings`;
const maps = '/api/v1/namespaces/default/configmaps';

let server: FixtureServer;

before(async () => {
  server = await FixtureServer.start({
    parts: (host) => ({
      admission: createAdmissionPlugins(host).filter(({ name }) => name === 'ValidatingAdmissionPolicy'),
    }),
  });
});
after(() => server.stop());
beforeEach(async () => {
  for (const path of [bindings, policies, maps]) await server.delete(path);
});

const resourceRules = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
];

async function enforce(spec: object, binding: object = {}): Promise<void> {
  const metadata = { name: 'p' };
  const policy = await server.post(policies, { metadata, spec: { matchConstraints: { resourceRules }, ...spec } });
  assert.equal(policy.status, 201, policy.text);
  const bound = await server.post(bindings, {
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...binding },
  });
  assert.equal(bound.status, 201, bound.text);
}

const map = (name: string, data: Record<string, string> = {}, labels?: Record<string, string>): object => ({
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  data,
});

interface Refusal {
  readonly message: string;
  readonly reason: string;
}

async function refusal(body: object): Promise<string> {
  const answer = await server.post(maps, body);
  if (answer.status === 201) return '';
  const { message, reason } = JSON.parse(answer.text) as Refusal;
  return `${answer.status} ${reason} ${message}`;
}

const denied = (name: string, text: string): string =>
  `configmaps "${name}" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${text}`;

test('a violation is refused with its message and reason', async () => {
  await enforce({
    variables: [{ name: 'count', expression: 'has(object.data) ? size(object.data) : 0' }],
    validations: [
      { expression: 'variables.count <= 1', messageExpression: '"too many: " + string(variables.count)' },
      { expression: 'object.metadata.name != "secret"', message: 'not this', reason: 'Forbidden' },
      { expression: 'object.metadata.name != "odd"' },
    ],
  });
  assert.equal(await refusal(map('fine')), '');
  assert.equal(await refusal(map('many', { a: '1', b: '2' })), `422 Invalid ${denied('many', 'too many: 2')}`);
  assert.equal(await refusal(map('secret')), `403 Forbidden ${denied('secret', 'not this')}`);
  assert.equal(
    await refusal(map('odd')),
    `422 Invalid ${denied('odd', 'failed expression: object.metadata.name != "odd"')}`,
  );
});

test('an expression that fails is a violation unless failures are ignored', async () => {
  const validations = [{ expression: 'object.data.missing == "x"' }];
  await enforce({ validations });
  const text = `expression 'object.data.missing == "x"' resulted in error: no such key: missing`;
  assert.equal(await refusal(map('a', { k: 'v' })), `422 Invalid ${denied('a', text)}`);
  for (const path of [bindings, policies]) await server.delete(path);
  await enforce({ validations, failurePolicy: 'Ignore' });
  assert.equal(await refusal(map('a', { k: 'v' })), '');
});

test('warnings are told, conditions leave requests out', async () => {
  await enforce(
    {
      matchConditions: [{ name: 'labelled', expression: 'has(object.metadata.labels)' }],
      validations: [{ expression: 'false', message: 'mind this' }],
    },
    { validationActions: ['Warn', 'Audit'] },
  );
  const warned = await server.post(maps, map('a', {}, { l: '1' }));
  assert.equal(warned.status, 201);
  assert.deepEqual(warned.headers['warning'], [
    `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': mind this"`,
  ]);
  assert.equal((await server.post(maps, map('b'))).headers['warning'], undefined);
});

test('parameters come from the object the binding names', async () => {
  const expression = 'size(object.data) <= int(params.data.max)';
  const paramRef = { name: 'limits', namespace: 'kube-system', parameterNotFoundAction: 'Deny' };
  await enforce({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression }] }, { paramRef });
  const absent = 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
  assert.equal(await refusal(map('a', { k: 'v' })), `422 Invalid ${denied('a', absent)}`);
});

test('a binding holds where its selectors and rules match', async () => {
  await enforce(
    { validations: [{ expression: 'false' }] },
    {
      matchResources: {
        objectSelector: { matchLabels: { strict: 'yes' } },
        excludeResourceRules: [{ ...resourceRules[0], resourceNames: ['free'] }],
      },
    },
  );
  assert.equal(await refusal(map('a')), '');
  assert.notEqual(await refusal(map('a2', {}, { strict: 'yes' })), '');
  assert.equal(await refusal(map('free', {}, { strict: 'yes' })), '');
});

test('a policy is never subject to policies', async () => {
  const everything = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
  await enforce({ matchConstraints: { resourceRules: everything }, validations: [{ expression: 'false' }] });
  assert.notEqual(await refusal(map('a')), '');
  assert.equal((await server.delete(`${policies}/p`)).status, 200);
  assert.equal(await refusal(map('a')), '');
});
