// Coordinated election against a server that offers it, played by the test.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import type { Lease, LeaseSpec } from '@homeostat/api/types/coordination-v1';
import type { Client } from '@homeostat/client';
import { FakeServer } from '../testing/fake-server.ts';
import { createLeaderElector } from './leader-elector.ts';
import type { LeaseCandidate } from './lease-candidate.ts';
import { LeadershipLostError } from './leadership.ts';

function setUp(offered: boolean) {
  const env = createVirtualEnv();
  const server = new FakeServer(env);
  const plain = server.client();
  const client: Client = {
    ...plain,
    request: async () => ({
      resources: offered ? [{ name: 'leases' }, { name: 'leasecandidates' }] : [{ name: 'leases' }],
    }),
  };
  const stop = new AbortController();
  const elector = createLeaderElector({
    client,
    env,
    namespace: 'x',
    name: 'lock',
    identity: 'a',
    coordinated: { binaryVersion: '1.2.0', emulationVersion: '1.1.0' },
  });
  const state = { acting: false };
  const done = elector
    .run({
      signal: stop.signal,
      lead: async (signal) => {
        state.acting = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        state.acting = false;
      },
    })
    .catch((error: unknown) => error);
  const candidate = (): LeaseCandidate['spec'] =>
    (server.get('leasecandidates', 'x', 'a') as LeaseCandidate | undefined)?.spec;
  const lease = (): LeaseSpec | undefined =>
    (server.get('leases', 'x', 'lock') as Lease | undefined)?.spec ?? undefined;
  const elect = (spec: LeaseSpec): void =>
    void server.put('leases', { metadata: { name: 'lock', namespace: 'x' }, spec } as never);
  const end = async (): Promise<void> => {
    stop.abort();
    await env.clock.run(done);
  };
  return { env, server, state, done, candidate, lease, elect, end };
}

describe('coordinated leader election', () => {
  it('lists the candidate, leads when the server says so, and stops when it prefers another', async () => {
    const { env, state, done, candidate, lease, elect, end } = setUp(true);
    await env.clock.advance(30_000);
    assert.deepEqual(
      { ...candidate(), renewTime: '' },
      {
        leaseName: 'lock',
        binaryVersion: '1.2.0',
        emulationVersion: '1.1.0',
        strategy: 'OldestEmulationVersion',
        renewTime: '',
      },
    );
    assert.equal(state.acting, false);
    assert.equal(lease(), undefined, 'a candidate never makes the Lease');
    const given = {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 4,
      strategy: 'OldestEmulationVersion',
    };
    elect(given);
    await env.clock.advance(10_000);
    assert.equal(state.acting, true);
    assert.deepEqual([lease()?.leaseTransitions, lease()?.strategy], [4, 'OldestEmulationVersion']);
    elect({ ...lease(), preferredHolder: 'b' });
    await env.clock.advance(2_500);
    assert.equal(state.acting, false);
    assert.ok((await done) instanceof LeadershipLostError);
    assert.equal(lease()?.preferredHolder, 'b');
    await end();
  });

  it('answers a ping at once, and renews every five minutes without one', async () => {
    const { env, server, candidate, end } = setUp(true);
    await env.clock.advance(1_000);
    const first = candidate()?.renewTime;
    const pinged = server.get('leasecandidates', 'x', 'a') as LeaseCandidate;
    server.put('leasecandidates', {
      ...pinged,
      spec: { ...pinged.spec, pingTime: '2026-01-01T00:00:01.000000Z' },
    } as never);
    await env.clock.settle();
    const second = candidate()?.renewTime ?? '';
    assert.ok(second > (first ?? ''), `${second} is after ${first}`);
    await env.clock.advance(299_000);
    assert.equal(candidate()?.renewTime, second);
    await env.clock.advance(2_000);
    assert.ok((candidate()?.renewTime ?? '') > second);
    await end();
  });

  it('elects as usual where the server does not offer it', async () => {
    const { env, state, candidate, lease, end } = setUp(false);
    await env.clock.settle();
    assert.equal(state.acting, true);
    assert.equal(lease()?.holderIdentity, 'a');
    assert.equal(candidate(), undefined);
    await end();
  });
});
