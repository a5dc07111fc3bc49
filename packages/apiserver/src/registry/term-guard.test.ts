// Writes that carry a leader's term, through the whole server. Case id: B30.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { formatLeaderTerm, leaderTermEnded, leaderTermHeader } from '@homeostat/client';
import { type Answer, FixtureServer } from '../server/api-server-fixture.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
let server: FixtureServer;
let uid = '';
before(async () => {
  server = await FixtureServer.start();
});
after(() => server.stop());

const put = (holder: string, transitions: number): Promise<Answer> =>
  server.ask('PATCH', `${leases}/lock`, {
    headers: { 'content-type': 'application/merge-patch+json' },
    text: JSON.stringify({ spec: { holderIdentity: holder, leaseTransitions: transitions } }),
  });
let renewals = 0;
const renew = (): Promise<Answer> =>
  server.ask('PATCH', `${leases}/lock`, {
    headers: { 'content-type': 'application/merge-patch+json' },
    text: JSON.stringify({ metadata: { annotations: { at: String(renewals++) } } }),
  });
const headers = (transitions: number, holder = 'a', id = uid): Record<string, string> => ({
  [leaderTermHeader]: formatLeaderTerm({ namespace: 'default', name: 'lock', uid: id, holder, transitions }),
});
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

/** Runs `meanwhile` right before the next transaction that touches a key with this in it. */
function inBetween(key: string, meanwhile: () => Promise<unknown>): void {
  const { store } = server;
  const txn = store.txn.bind(store);
  store.txn = async (transaction) => {
    if (transaction.operations.some((operation) => operation.key.includes(key))) {
      store.txn = txn;
      await meanwhile();
    }
    return txn(transaction);
  };
}

describe('B30 a write that carries a term', () => {
  beforeEach(async () => {
    await server.ask('DELETE', `${leases}/lock`);
    const lease = await server.ask('POST', leases, {
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'lock' },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 3 },
      },
    });
    uid = lease.body.metadata.uid;
  });

  it('goes through while the Lease is of that term, renewals or not, and is refused by a clear 409 after', async () => {
    const create = (name: string): Promise<Answer> =>
      server.ask('POST', maps, { body: configMap(name), headers: headers(3) });
    assert.equal((await create('one')).status, 201);
    await renew();
    assert.equal((await create('two')).status, 201);
    await put('b', 4);
    const refused = await create('three');
    assert.equal(refused.status, 409);
    assert.equal(refused.body.reason, 'Conflict');
    assert.equal(
      refused.body.message,
      'Operation cannot be fulfilled on leases.coordination.k8s.io "lock": the write was made in term 3 of "a" on lease default/lock, which is over',
    );
    const { causes } = refused.body['details'] as { causes: readonly { reason: string }[] };
    assert.deepEqual(
      causes.map(({ reason }) => reason),
      [leaderTermEnded],
    );
    assert.equal((await server.get(`${maps}/three`)).status, 404);
    assert.doesNotMatch(refused.text, /"b"/, 'it does not tell who leads now');
  });

  it('is refused by every verb, in dry runs too, and not for reads', async () => {
    await server.ask('POST', maps, { body: configMap('kept') });
    await server.ask('POST', pods, { body: pod('kept') });
    await put('b', 4);
    const old = headers(3);
    const merge = { ...old, 'content-type': 'application/merge-patch+json' };
    const asked: readonly [string, string, object | undefined, Record<string, string>][] = [
      ['PUT', `${maps}/kept`, { ...configMap('kept'), data: { a: 'b' } }, old],
      ['PATCH', `${maps}/kept`, { data: { a: 'b' } }, merge],
      ['PATCH', `${maps}/kept?dryRun=All`, { data: { a: 'b' } }, merge],
      ['PATCH', `${pods}/kept/status`, { status: { phase: 'Failed' } }, merge],
      [
        'PATCH',
        `${maps}/applied?fieldManager=m`,
        configMap('applied'),
        { ...old, 'content-type': 'application/apply-patch+yaml' },
      ],
      ['POST', `${pods}/kept/binding`, { apiVersion: 'v1', kind: 'Binding', target: { kind: 'Node', name: 'n' } }, old],
      [
        'POST',
        `${pods}/kept/eviction`,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'kept', namespace: 'default' } },
        old,
      ],
      ['DELETE', `${maps}/kept`, undefined, old],
      ['DELETE', maps, undefined, old],
    ];
    for (const [method, path, body, sent] of asked) {
      const answer = await server.ask(method, path, { ...(body === undefined ? {} : { body }), headers: sent });
      assert.equal(answer.status, 409, `${method} ${path}: ${answer.text}`);
    }
    const kept = await server.get(`${maps}/kept`, { headers: old });
    assert.equal(kept.status, 200);
    assert.equal(kept.body['data'], undefined);
    assert.equal((await server.ask('DELETE', `${maps}/kept`, { headers: headers(4, 'b') })).status, 200);
    assert.equal((await server.ask('DELETE', `${pods}/kept?gracePeriodSeconds=0`)).status, 200);
  });

  it('is compared with the Lease of the very moment: a takeover between check and write is seen, a renewal is harmless', async () => {
    for (const [verb, attempt] of [
      [
        'create',
        (sent: Record<string, string>) => server.ask('POST', maps, { body: configMap('raced'), headers: sent }),
      ],
      ['delete', (sent: Record<string, string>) => server.ask('DELETE', `${maps}/raced`, { headers: sent })],
    ] as const) {
      await put('a', 3);
      inBetween('raced', () => put('b', 4));
      assert.equal((await attempt(headers(3))).status, 409, verb);
      await put('a', 5);
      inBetween('raced', renew);
      const answer = await attempt(headers(5));
      assert.ok(answer.status < 300, `${verb}: ${answer.text}`);
    }
  });

  it('is refused when the Lease is gone, made anew, held by nobody, or of a later term of the same holder', async () => {
    const attempt = async (sent: Record<string, string>): Promise<number> =>
      (await server.ask('POST', `${maps}?dryRun=All`, { body: configMap('x'), headers: sent })).status;
    assert.equal(await attempt(headers(3)), 201);
    assert.equal(await attempt(headers(2)), 409);
    assert.equal(await attempt(headers(3, 'a', 'other-uid')), 409);
    await put('', 3);
    assert.equal(await attempt(headers(3)), 409);
    await put('a', 4);
    assert.equal(await attempt(headers(3)), 409);
    await server.ask('DELETE', `${leases}/lock`);
    assert.equal(await attempt(headers(4)), 409);
    assert.equal(await attempt({ [leaderTermHeader]: 'nonsense' }), 400);
  });
});
