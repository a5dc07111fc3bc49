// What leaders write: held back once the term is over, and marked with it before. Case ids: B30, G11.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, type Clock, createVirtualEnv, type Env } from '@homeostat/base';
import {
  type Client,
  createClient,
  createInProcessTransport,
  leaderTermEnded,
  leaderTermHeader,
  parseLeaderTerm,
} from '@homeostat/client';
import { FakeServer, newWidget, widgets } from '../testing/fake-server.ts';
import { createLeaderClient } from './leader-client.ts';
import { createLeaderElector } from './leader-elector.ts';
import { LeadershipLostError, LeadershipUnsureError } from './leadership.ts';

/** A clock that can jump without a timer firing: an event loop that stood still, or a machine that was suspended. */
class JumpingClock implements Clock {
  stalledMs = 0;
  suspendedMs = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs = (): number => this.#clock.nowMs() + this.stalledMs + this.suspendedMs;
  monotonicMs = (): number => this.#clock.monotonicMs() + this.stalledMs;
  setTimer = (delayMs: number, callback: () => void) => this.#clock.setTimer(delayMs, callback);
  sleep = (delayMs: number, signal?: AbortSignal) => this.#clock.sleep(delayMs, signal);
  yield = () => this.#clock.yield();
}

async function setUp(use: (parts: Parts) => Promise<void>): Promise<void> {
  const virtual = createVirtualEnv();
  const clock = new JumpingClock(virtual.clock);
  const env = { ...virtual, clock };
  const server = new FakeServer(env);
  const sent: (string | undefined)[] = [];
  const plain = createClient({
    transport: createInProcessTransport({
      handle: (request) => {
        if (request.path.includes('/widgets')) sent.push(request.headers[leaderTermHeader]);
        if (request.path.includes('/namespaces/busy/'))
          return Promise.resolve({ status: 429, headers: { 'retry-after': '1' }, body: { kind: 'empty' } });
        return server.handle(request);
      },
      user: { username: 'test' },
    }),
    env,
    userAgent: 'test',
  });
  const elector = createLeaderElector({ client: plain, env, namespace: 'x', name: 'lock', identity: 'me' });
  const client = createLeaderClient({ client: plain, leadership: elector });
  const stop = new AbortController();
  const lost = elector
    .run({
      signal: stop.signal,
      lead: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    })
    .catch((error: unknown) => error);
  await virtual.clock.settle();
  await use({ env, advance: (ms) => virtual.clock.advance(ms), clock, server, client, sent, lost });
  stop.abort();
  await virtual.clock.run(lost);
}

interface Parts {
  readonly env: Env;
  readonly advance: (ms: number) => Promise<void>;
  readonly clock: JumpingClock;
  readonly server: FakeServer;
  readonly client: Client;
  readonly sent: (string | undefined)[];
  readonly lost: Promise<unknown>;
}

const create = (client: Client, name: string) => client.create(widgets, { object: newWidget(name) });

describe('createLeaderClient()', () => {
  it('marks every kind of write with the term, and no read', async () => {
    await setUp(async ({ client, sent, server }) => {
      const target = { namespace: 'default', name: 'w' };
      const object = await create(client, 'w');
      await client.update(widgets, { object });
      await client.updateStatus(widgets, { object: server.get('widgets', 'default', 'w') as typeof object });
      await client.patch(widgets, { ...target, type: 'merge', patch: {}, headers: { 'x-own': '1' } });
      await client.delete(widgets, target);
      await client.list(widgets);
      const uid = server.get('leases', 'x', 'lock')?.metadata?.uid ?? '';
      const term = { namespace: 'x', name: 'lock', uid, holder: 'me', transitions: 0 };
      assert.deepEqual(
        sent.map((value) => (value === undefined ? undefined : parseLeaderTerm(value))),
        [term, term, term, term, term, undefined],
      );
    });
  });

  it('G11 B30 sends nothing after the event loop stood still for longer than the renew deadline', async () => {
    await setUp(async ({ client, clock, sent, advance, lost }) => {
      clock.stalledMs = 10_001;
      // No timer of the elector has fired yet.
      await assert.rejects(create(client, 'w'), LeadershipLostError);
      assert.deepEqual(sent, []);
      await advance(2_000);
      assert.ok((await lost) instanceof LeadershipLostError);
    });
  });

  it('sends nothing after a suspension that the monotonic clock did not see, until the lease is renewed', async () => {
    await setUp(async ({ client, clock, sent, advance }) => {
      clock.suspendedMs = 60_000;
      await assert.rejects(create(client, 'w'), LeadershipUnsureError);
      assert.deepEqual(sent, []);
      await advance(0);
      await create(client, 'w');
      assert.equal(sent.length, 1);
    });
  });

  it('B30 looks again before each retry', async () => {
    await setUp(async ({ client, clock, sent, advance }) => {
      const write = client.delete(widgets, { namespace: 'busy', name: 'w' });
      const writing = assert.rejects(write, LeadershipLostError);
      await advance(100);
      clock.stalledMs = 20_000;
      await advance(1_000);
      await writing;
      assert.equal(sent.length, 1);
    });
  });

  it('looks at the lease at once when a server says that the term is over', async () => {
    await setUp(async ({ client, server, advance, lost, env }) => {
      server.put('leases', {
        metadata: { name: 'lock', namespace: 'x' },
        spec: { holderIdentity: 'other', leaseDurationSeconds: 15, leaseTransitions: 1 },
      } as never);
      server.fault = ({ resource }) => {
        if (resource !== 'widgets') return;
        const causes = [{ reason: leaderTermEnded, message: '' }];
        throw new ApiError({ code: 409, reason: 'Conflict', message: 'over', details: { causes } });
      };
      const beforeMs = env.clock.monotonicMs();
      await assert.rejects(create(client, 'w'), /over/);
      await advance(0);
      assert.ok((await lost) instanceof LeadershipLostError);
      assert.equal(env.clock.monotonicMs(), beforeMs);
    });
  });
});
