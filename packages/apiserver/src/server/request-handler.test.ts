import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiError, createVirtualEnv } from '@homeostat/base';
import { StorageError, type StorageErrorCode } from '@homeostat/storage';
import { createMemoryStore } from '@homeostat/storage/memory';
import { FixtureServer } from './api-server-fixture.ts';
import type { AuthorizationAttributes } from './authorizer.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

test('what the store can’t do has a code of its own', async () => {
  const env = createVirtualEnv();
  const store = createMemoryStore({ env });
  const server = await FixtureServer.start({ env, store });
  const { txn } = store;
  try {
    for (const [code, status] of [
      ['overloaded', 429],
      ['too-large', 413],
      ['no-space', 500],
      ['closed', 503],
    ] satisfies [StorageErrorCode, number][]) {
      store.txn = () => Promise.reject(new StorageError(code, `it is ${code}`));
      const answer = await server.post(configMaps, { metadata: { name: 'x' } });
      assert.deepEqual([answer.status, answer.body.kind, answer.body.code], [status, 'Status', status], code);
      assert.equal(answer.headers['retry-after'], code === 'overloaded' || code === 'closed' ? '1' : undefined);
    }
  } finally {
    store.txn = txn;
    await server.stop();
  }
});

test('every answer has an audit id: the client’s own, or a new one', async () => {
  const server = await FixtureServer.start({ env: createVirtualEnv() });
  try {
    const own = await server.get('/api/v1/pods', { headers: { 'audit-id': 'mine' } });
    assert.equal(own.headers['audit-id'], 'mine');
    const one = await server.get('/nowhere');
    assert.deepEqual([one.status, one.text], [404, '404 page not found\n']);
    assert.match(String(one.headers['audit-id']), /^[0-9a-f-]{36}$/);
  } finally {
    await server.stop();
  }
});

test('who is nobody’s friend is told what was denied', async () => {
  const seen: AuthorizationAttributes[] = [];
  const server = await FixtureServer.start({
    env: createVirtualEnv(),
    parts: () => ({
      authenticator: {
        // The server's own requests at its start carry their user.
        authenticate: ({ headers, peer }) =>
          headers['authorization'] === 'Bearer bad'
            ? undefined
            : { username: peer?.user === undefined ? 'eve' : 'server', uid: '', groups: [], extra: {} },
      },
      authorizer: {
        authorize: (attributes) => {
          if (attributes.user.username !== 'eve') return { decision: 'allow' };
          seen.push(attributes);
          return { decision: 'noOpinion', reason: 'no rule' };
        },
      },
    }),
  });
  try {
    const denied = await server.get(`${configMaps}/x`);
    assert.deepEqual(
      [denied.status, denied.body.message],
      [
        403,
        'configmaps "x" is forbidden: User "eve" cannot get resource "configmaps" in API group "" in the namespace "default": no rule',
      ],
    );
    assert.deepEqual(
      seen.map(({ verb, resource, namespace, name }) => [verb, resource, namespace, name]),
      [['get', 'configmaps', 'default', 'x']],
    );
    const unknown = await server.get('/api/v1/pods', { headers: { authorization: 'Bearer bad' } });
    assert.deepEqual([unknown.status, unknown.body.reason], [401, 'Unauthorized']);
  } finally {
    await server.stop();
  }
});

test('a request that takes too long is a 504', async () => {
  const env = createVirtualEnv();
  const server = await FixtureServer.start({
    env,
    parts: () => ({
      authorizer: {
        authorize: ({ verb }, signal) =>
          verb === 'list'
            ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as ApiError)))
            : { decision: 'allow' },
      },
    }),
  });
  try {
    const answer = server.get('/api/v1/pods?timeout=2s');
    await env.clock.advance(2_000);
    assert.deepEqual([(await answer).status, (await answer).body.reason], [504, 'Timeout']);
  } finally {
    await server.stop();
  }
});

test('the server refuses to start twice, and answers nothing wrong after its end', async () => {
  const server = await FixtureServer.start({ env: createVirtualEnv() });
  await assert.rejects(server.server.run({ signal: new AbortController().signal }), /started twice/);
  await server.stop();
  const late = await server.post(configMaps, { metadata: { name: 'late' } });
  assert.equal(late.status, 503);
});
