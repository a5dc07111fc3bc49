// Rules of custom resources through the API server: creates, updates, status, warnings of what is forgiven.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FixtureServer } from '../server/api-server-fixture.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = '/apis/rules.example.com/v1/namespaces/default/things';

let server: FixtureServer;

before(async () => {
  server = await FixtureServer.start();
});
after(() => server.stop());

function definition(rules: readonly object[]): object {
  const limit = {
    type: 'integer',
    'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'may only grow' }],
  };
  const spec = {
    type: 'object',
    properties: { limit, tags: { type: 'array', maxItems: 9, items: { type: 'string' } } },
  };
  const status = { type: 'object', properties: { used: { type: 'integer' } } };
  const root = [{ rule: '!has(self.status) || self.status.used <= self.spec.limit', message: 'used above limit' }];
  return {
    metadata: { name: 'things.rules.example.com' },
    spec: {
      group: 'rules.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { ...spec, 'x-kubernetes-validations': rules }, status },
              'x-kubernetes-validations': root,
            },
          },
        },
      ],
    },
  };
}

const thing = (spec: object, more: object = {}): object => ({
  apiVersion: 'rules.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a' },
  spec,
  ...more,
});

function messageOf(text: string): string {
  return (JSON.parse(text) as { readonly message: string }).message;
}

test('rules judge creates, updates and status writes', async () => {
  const made = await server.post(definitions, definition([]));
  assert.equal(made.status, 201, made.text);
  assert.equal((await server.post(things, thing({ limit: 5, tags: ['x', 'y'] }))).status, 201);
  const shrunk = await server.patch(`${things}/a`, 'merge', { spec: { limit: 4 } });
  assert.equal(shrunk.status, 422);
  assert.equal(
    messageOf(shrunk.text),
    'Thing.rules.example.com "a" is invalid: spec.limit: Invalid value: 4: may only grow',
  );
  const overused = await server.patch(`${things}/a/status`, 'merge', { status: { used: 6 } });
  assert.equal(overused.status, 422);
  assert.equal(
    messageOf(overused.text),
    'Thing.rules.example.com "a" is invalid: <nil>: Invalid value: used above limit',
  );
  assert.equal((await server.patch(`${things}/a/status`, 'merge', { status: { used: 5 } })).status, 200);
});

test('a rule that comes later is told as a warning while the value stays', async () => {
  const stricter = definition([{ rule: '!has(self.tags) || self.tags.size() < 2', message: 'at most one tag' }]);
  const changed = await server.patch(`${definitions}/things.rules.example.com`, 'merge', stricter);
  assert.equal(changed.status, 200, changed.text);
  const labelled = await server.patch(`${things}/a`, 'merge', { metadata: { labels: { l: '1' } } });
  assert.equal(labelled.status, 200);
  assert.deepEqual(labelled.headers['warning'], ['299 - "spec: Invalid value: at most one tag"']);
  assert.equal((await server.patch(`${things}/a`, 'merge', { spec: { limit: 6 } })).status, 422);
});

test('a definition whose rules do not compile is refused', async () => {
  const refused = await server.post(`${definitions}?dryRun=All`, definition([{ rule: 'self.nope' }]));
  assert.equal(refused.status, 422);
  assert.match(messageOf(refused.text), /compilation failed: ERROR: <input>:1:5: undefined field 'nope'/);
});
