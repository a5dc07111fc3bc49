// Candidates on one virtual clock. Case ids: C7, G11, G12, O2, O3, O8, O11; scenario 70 of the client specification.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { createPrometheusMetrics } from '@homeostat/base/node';
import type { Lease, LeaseSpec } from '@homeostat/api/types/coordination-v1';
import type { KubeObject } from '@homeostat/machinery';
import { type Client, TransportError } from '@homeostat/client';
import { FakeServer } from '../testing/fake-server.ts';
import type { LeaderElectionOptions } from './leader-election-options.ts';
import { createLeaderElector } from './leader-elector.ts';
import { LeadershipLostError } from './leadership.ts';

type VirtualEnv = ReturnType<typeof createVirtualEnv>;

interface Candidate {
  readonly elector: ReturnType<typeof createLeaderElector>;
  readonly log: string[];
  readonly done: Promise<unknown>;
  /** Becomes true between the moment it is told to act and the moment it has stopped. */
  acting: boolean;
  stop(): void;
}

function setUp() {
  const env = createVirtualEnv();
  const server = new FakeServer(env);
  const lease = (): LeaseSpec => (server.get('leases', 'kube-system', 'lock') as Lease | undefined)?.spec ?? {};
  const putLease = (spec: LeaseSpec): KubeObject =>
    server.put('leases', { metadata: { name: 'lock', namespace: 'kube-system' }, spec } as KubeObject);
  return { env, server, lease, putLease };
}

function candidate(
  env: VirtualEnv,
  server: FakeServer,
  identity: string,
  options: Partial<LeaderElectionOptions> & { readonly stopMs?: number } = {},
): Candidate {
  const { stopMs = 0, ...rest } = options;
  const log: string[] = [];
  const stopping = new AbortController();
  const elector = createLeaderElector({
    client: server.client(),
    env,
    namespace: 'kube-system',
    name: 'lock',
    identity,
    recordEvent: (_lease, message) => log.push(message),
    onNewLeader: (holder) => log.push(`leader ${holder}`),
    ...rest,
  });
  const state = { acting: false };
  const done = elector
    .run({
      signal: stopping.signal,
      lead: async (signal) => {
        state.acting = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        if (stopMs > 0) await env.clock.sleep(stopMs);
        state.acting = false;
      },
    })
    .catch((error: unknown) => error);
  return {
    elector,
    log,
    done,
    get acting() {
      return state.acting;
    },
    stop: () => stopping.abort(new Error('stop')),
  };
}

/** A client of the server that meets faults of its own. */
function withFault(server: FakeServer, fault: () => void): Client {
  const client = server.client();
  const through =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      fault();
      return call(...args);
    };
  return {
    ...client,
    get: through(client.get) as Client['get'],
    create: through(client.create) as Client['create'],
    update: through(client.update) as Client['update'],
  };
}

describe('createLeaderElector()', () => {
  it('creates the lease, renews it with one write each, and keeps its history', async () => {
    const { env, server, lease } = setUp();
    const a = candidate(env, server, 'a');
    await env.clock.settle();
    assert.equal(a.acting, true);
    assert.deepEqual(lease(), {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await env.clock.advance(10_000);
    assert.equal(lease().renewTime, '2026-01-01T00:00:10.000000Z');
    assert.equal(lease().acquireTime, '2026-01-01T00:00:00.000000Z');
    assert.deepEqual(
      server.requests.map(({ method }) => method),
      ['GET', 'POST', 'PUT', 'PUT', 'PUT', 'PUT', 'PUT'],
    );
    a.stop();
    await env.clock.run(a.done);
    assert.deepEqual(a.log, ['leader a', 'a became leader', 'a stopped leading']);
    assert.equal(lease().holderIdentity, 'a', 'not released unless asked');
  });

  it('G12 70 waits a whole lease from when it first saw the record, whatever the times in it say', async () => {
    const { env, server, lease, putLease } = setUp();
    putLease({
      holderIdentity: 'gone',
      leaseDurationSeconds: 15,
      acquireTime: '2020-01-01T00:00:00.000000Z',
      renewTime: '2020-01-01T00:00:00.000000Z',
      leaseTransitions: 3,
    });
    const b = candidate(env, server, 'b');
    await env.clock.advance(14_900);
    assert.equal(b.acting, false);
    assert.equal(lease().holderIdentity, 'gone');
    await env.clock.advance(5_000);
    assert.equal(b.acting, true);
    assert.equal(lease().leaseTransitions, 4);
    b.stop();
    await env.clock.run(b.done);
  });

  it("O8 honours the record's duration, not its own", async () => {
    const { env, server, lease, putLease } = setUp();
    putLease({ holderIdentity: 'gone', leaseDurationSeconds: 60, leaseTransitions: 0 });
    const b = candidate(env, server, 'b');
    await env.clock.advance(59_900);
    assert.equal(lease().holderIdentity, 'gone');
    await env.clock.advance(5_000);
    assert.equal(lease().holderIdentity, 'b');
    b.stop();
    await env.clock.run(b.done);
  });

  it('never lets two act where the lease is no whole number of seconds', async () => {
    const { env, server, lease } = setUp();
    const short = { leaseDurationMs: 1_900, renewDeadlineMs: 1_850, retryPeriodMs: 500 };
    let cut = false;
    const refused = new TransportError('refused', 'cut off');
    const a = candidate(env, server, 'a', {
      ...short,
      client: withFault(server, () => {
        if (cut) throw refused;
      }),
    });
    await env.clock.advance(1_000);
    assert.equal(a.acting, true);
    assert.equal(lease().leaseDurationSeconds, 2);
    const b = candidate(env, server, 'b', { ...short, retryPeriodMs: 50 });
    await env.clock.advance(300);
    cut = true;
    for (let step = 0; step < 400; step++) {
      await env.clock.advance(10);
      assert.ok(!(a.acting && b.acting), `both act at ${env.clock.monotonicMs()} ms`);
    }
    assert.equal(b.acting, true);
    b.stop();
    await env.clock.run(Promise.all([a.done, b.done]));
  });

  it('waits its own lease for a record without a duration: somebody edited it, and its holder may act', async () => {
    const { env, server, lease, putLease } = setUp();
    putLease({ holderIdentity: 'edited', leaseTransitions: 3 });
    const b = candidate(env, server, 'b');
    await env.clock.advance(14_900);
    assert.equal(lease().holderIdentity, 'edited');
    await env.clock.advance(5_000);
    assert.equal(b.acting, true);
    b.stop();
    await env.clock.run(b.done);
  });

  it('ends in order when the work throws at once, and is not run twice at a time', async () => {
    const { env, server } = setUp();
    const metrics = createPrometheusMetrics();
    const log: string[] = [];
    const elector = createLeaderElector({
      client: server.client(),
      env: { ...env, metrics },
      namespace: 'kube-system',
      name: 'lock',
      identity: 'a',
      recordEvent: (_lease, message) => log.push(message),
    });
    const running = elector.run({
      signal: new AbortController().signal,
      lead: () => {
        throw new Error('broken');
      },
    });
    const rejected = assert.rejects(running, /broken/);
    await assert.rejects(
      elector.run({ signal: new AbortController().signal, lead: () => Promise.resolve() }),
      /an elector was run twice at once: lock/,
    );
    await env.clock.run(rejected);
    assert.deepEqual(log, ['a became leader', 'a stopped leading']);
    assert.match(await metrics.expose(), /leader_election_master_status\{name="lock"\} 0/);
    // One after the other is fine.
    await env.clock.run(elector.run({ signal: new AbortController().signal, lead: () => Promise.resolve() }));
  });

  it('70 takes a released or empty lease at once', async () => {
    const { env, server, lease, putLease } = setUp();
    putLease({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 2 });
    const b = candidate(env, server, 'b');
    await env.clock.settle();
    assert.equal(lease().holderIdentity, 'b');
    assert.equal(lease().leaseTransitions, 3);
    b.stop();
    await env.clock.run(b.done);
  });

  it('G11 O3 O11 70 has stopped acting before another may begin', async () => {
    const { env, server } = setUp();
    const a = candidate(env, server, 'a');
    await env.clock.settle();
    const b = candidate(env, server, 'b');
    await env.clock.advance(20_000);
    // From now on nothing of a's gets through, and time-outs hang.
    const lost: Promise<unknown> = a.done.then((error) => error);
    const cut = env.clock.monotonicMs();
    server.fault = async ({ object }) => {
      if ((object as Lease | undefined)?.spec?.holderIdentity !== 'a') return;
      await env.clock.sleep(60_000);
    };
    let stoppedMs = 0;
    let begunMs = 0;
    while (begunMs === 0) {
      await env.clock.advance(50);
      assert.ok(!(a.acting && b.acting), 'two leaders');
      if (!a.acting && stoppedMs === 0) stoppedMs = env.clock.monotonicMs();
      if (b.acting) begunMs = env.clock.monotonicMs();
      assert.ok(env.clock.monotonicMs() < cut + 60_000);
    }
    assert.ok(stoppedMs - cut <= 10_100, `stopped after ${stoppedMs - cut} ms`);
    assert.ok(begunMs - stoppedMs >= 3_000, `margin ${begunMs - stoppedMs} ms`);
    assert.ok((await env.clock.run(lost)) instanceof LeadershipLostError);
    assert.equal(a.log.filter((line) => line === 'a stopped leading').length, 1);
    b.stop();
    await env.clock.run(b.done);
  });

  it('O11 does not wait for work that ignores the loss beyond the end of the lease', async () => {
    const { env, server } = setUp();
    const a = candidate(env, server, 'a', { stopMs: 3_600_000 });
    await env.clock.settle();
    server.fault = () => {
      throw new TransportError('refused', 'no server');
    };
    const before = env.clock.monotonicMs();
    assert.ok((await env.clock.run(a.done)) instanceof LeadershipLostError);
    assert.ok(env.clock.monotonicMs() - before <= 15_000);
  });

  it('survives failures shorter than its deadline, reading before it writes again', async () => {
    const { env, server } = setUp();
    const a = candidate(env, server, 'a');
    await env.clock.settle();
    server.requests.length = 0;
    server.fault = () => {
      throw new TransportError('reset', 'broken');
    };
    await env.clock.advance(6_000);
    server.fault = () => {};
    await env.clock.advance(10_000);
    assert.equal(a.acting, true);
    assert.deepEqual(
      server.requests.slice(0, 2).map(({ method }) => method),
      ['PUT', 'GET'],
    );
    assert.equal(a.elector.check(), undefined);
    a.stop();
    await env.clock.run(a.done);
  });

  it('O2 a candidate goes on trying after time-outs', async () => {
    const { env, server } = setUp();
    server.fault = () => env.clock.sleep(1e9);
    const a = candidate(env, server, 'a');
    await env.clock.advance(60_000);
    assert.equal(a.acting, false);
    server.fault = () => {};
    await env.clock.advance(10_000);
    assert.equal(a.acting, true);
    a.stop();
    await env.clock.run(a.done);
  });

  it('C7 70 keeps the lease while the work of a stop is not done, and releases it after', async () => {
    const { env, server, lease } = setUp();
    const a = candidate(env, server, 'a', { releaseOnStop: true, stopMs: 40_000 });
    await env.clock.settle();
    a.stop();
    await env.clock.advance(39_000);
    assert.equal(a.acting, true);
    assert.equal(lease().holderIdentity, 'a');
    assert.equal(lease().renewTime, '2026-01-01T00:00:38.000000Z');
    await env.clock.run(a.done);
    assert.equal(lease().holderIdentity, '');
    assert.equal(lease().leaseDurationSeconds, 1);
    assert.equal(lease().leaseTransitions, 0);
  });

  it('releases with a fresh read after a conflict, and releases nothing that is not its own', async () => {
    const { env, server, lease, putLease } = setUp();
    const a = candidate(env, server, 'a', { releaseOnStop: true });
    await env.clock.settle();
    let conflicts = 1;
    server.fault = ({ method, object }) => {
      const releasing = method === 'PUT' && (object as Lease).spec?.holderIdentity === '';
      // Somebody else writes between the read and the write.
      if (releasing && conflicts-- > 0) putLease({ ...lease(), strategy: 'x' });
    };
    a.stop();
    await env.clock.run(a.done);
    assert.equal(lease().holderIdentity, '');
    const b = candidate(env, server, 'b', { releaseOnStop: true });
    await env.clock.settle();
    putLease({ ...lease(), holderIdentity: 'c' });
    b.stop();
    await env.clock.run(b.done);
    assert.equal(lease().holderIdentity, 'c');
  });

  it('loses at once when another holds the lease', async () => {
    const { env, server, lease, putLease } = setUp();
    const a = candidate(env, server, 'a');
    await env.clock.settle();
    putLease({ ...lease(), holderIdentity: 'b', renewTime: '2026-01-01T00:00:01.000000Z' });
    const error = await env.clock.run(a.done);
    assert.ok(error instanceof LeadershipLostError);
    assert.ok(env.clock.monotonicMs() <= 4_000);
  });

  it('starts a new term where it finds its own name but has not led in this run', async () => {
    const { env, server, lease, putLease } = setUp();
    putLease({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 7 });
    const a = candidate(env, server, 'a');
    await env.clock.settle();
    assert.equal(a.acting, true);
    assert.equal(lease().leaseTransitions, 8);
    // A second process of the same name, by mistake: one of the two stops within a retry period.
    const twin = candidate(env, server, 'a');
    await env.clock.advance(2_100);
    assert.deepEqual([a.acting, twin.acting], [false, true]);
    assert.equal(lease().leaseTransitions, 9);
    assert.ok((await env.clock.run(a.done)) instanceof LeadershipLostError);
    await env.clock.advance(60_000);
    assert.equal(twin.acting, true);
    twin.stop();
    await env.clock.run(twin.done);
  });

  it('G11 is over in time though a request does not heed that, and takes in nothing of its late answer', async () => {
    const { env, server } = setUp();
    const real = server.client();
    let lateMs = 0;
    const a = candidate(env, server, 'a', {
      client: {
        ...real,
        update: (async (resource, { signal: _signal, timeoutMs: _timeout, ...call }) => {
          if (lateMs > 0) await env.clock.sleep(lateMs);
          return real.update(resource, call);
        }) as Client['update'],
      },
    });
    await env.clock.advance(1_000);
    assert.equal(a.acting, true);
    lateMs = 30_000;
    await env.clock.advance(9_000);
    assert.equal(a.acting, false, 'ten seconds after the last renewal was begun');
    assert.ok((await env.clock.run(a.done)) instanceof LeadershipLostError);
    await env.clock.advance(60_000);
    assert.equal(a.elector.isLeader, false);
    assert.throws(() => a.elector.term(), LeadershipLostError);
  });

  it('does not give up the Lease of another process of its name', async () => {
    const { env, server, lease } = setUp();
    const a = candidate(env, server, 'a', { releaseOnStop: true });
    await env.clock.settle();
    const twin = candidate(env, server, 'a');
    await env.clock.advance(5_000);
    assert.deepEqual([a.acting, twin.acting], [false, true]);
    assert.ok((await env.clock.run(a.done)) instanceof LeadershipLostError);
    assert.deepEqual([lease().holderIdentity, lease().leaseTransitions], ['a', 1], 'the twin holds it, all the time');
    // Nor one that it never had in this run.
    const late = candidate(env, server, 'b', { releaseOnStop: true });
    await env.clock.advance(1_000);
    late.stop();
    await env.clock.run(late.done);
    assert.equal(lease().holderIdentity, 'a');
    twin.stop();
    await env.clock.run(twin.done);
  });

  it('waits for a holder whose Lease was deleted under it', async () => {
    const { env, server, putLease } = setUp();
    putLease({ holderIdentity: 'gone', leaseDurationSeconds: 15, leaseTransitions: 3 });
    const b = candidate(env, server, 'b');
    await env.clock.advance(5_000);
    server.remove('leases', 'kube-system', 'lock');
    await env.clock.advance(9_000);
    assert.equal(b.acting, false);
    await env.clock.advance(6_000);
    assert.equal(b.acting, true);
    b.stop();
    await env.clock.run(b.done);
  });

  it('O2 campaigns again after a loss when asked to, once its work has ended', async () => {
    const { env, server } = setUp();
    const stop = new AbortController();
    const log: string[] = [];
    const elector = createLeaderElector({
      client: server.client(),
      env,
      namespace: 'kube-system',
      name: 'lock',
      identity: 'a',
      onStartedLeading: ({ transitions }) => log.push(`term ${transitions}`),
      onStoppedLeading: () => log.push('stopped'),
    });
    let running = 0;
    const done = elector.run({
      signal: stop.signal,
      onLoss: 'campaign',
      lead: async (signal) => {
        assert.equal(++running, 1);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        await env.clock.sleep(30_000); // slower than the lease lasts
        running--;
      },
    });
    await env.clock.settle();
    server.fault = () => {
      throw new TransportError('refused', 'no server');
    };
    await env.clock.advance(20_000);
    server.fault = () => {};
    await env.clock.advance(10_000);
    assert.equal(elector.isLeader, false, 'the work of the first term goes on');
    await env.clock.advance(20_000);
    assert.equal(elector.isLeader, true);
    stop.abort();
    await env.clock.run(done);
    assert.deepEqual(log, ['term 0', 'stopped', 'term 1', 'stopped']);
  });

  it('C7 does not release after a loss while the work goes on', async () => {
    const { env, server, lease } = setUp();
    const a = candidate(env, server, 'a', { releaseOnStop: true, stopMs: 60_000 });
    await env.clock.settle();
    server.fault = () => {
      throw new TransportError('refused', 'no server');
    };
    await env.clock.advance(11_000);
    server.fault = () => {};
    assert.ok((await env.clock.run(a.done)) instanceof LeadershipLostError);
    assert.equal(a.acting, true);
    assert.equal(lease().holderIdentity, 'a');
  });

  it('goes on when those who listen throw', async () => {
    const { env, server } = setUp();
    const fail = (): never => {
      throw new Error('listener');
    };
    const listeners = { onNewLeader: fail, onStartedLeading: fail, onStoppedLeading: fail, recordEvent: fail };
    const a = candidate(env, server, 'a', listeners);
    await env.clock.advance(20_000);
    assert.equal(a.acting, true);
    a.stop();
    assert.equal(await env.clock.run(a.done), undefined);
  });

  it('tells whether it leads, by the metric of client-go', async () => {
    const { env, server } = setUp();
    const metrics = createPrometheusMetrics();
    const a = candidate({ ...env, metrics }, server, 'a');
    assert.match(await metrics.expose(), /leader_election_master_status\{name="lock"\} 0/);
    await env.clock.settle();
    assert.match(await metrics.expose(), /leader_election_master_status\{name="lock"\} 1/);
    assert.equal(a.elector.diagnose().actingLeftMs, 10_000);
    a.stop();
    await env.clock.run(a.done);
    assert.match(await metrics.expose(), /leader_election_master_status\{name="lock"\} 0/);
  });

  it('refuses durations that leave no margin', () => {
    const { env, server } = setUp();
    const create = (options: Partial<LeaderElectionOptions>) => () =>
      createLeaderElector({ client: server.client(), env, namespace: 'x', name: 'y', identity: 'a', ...options });
    assert.throws(create({ leaseDurationMs: 10_000, renewDeadlineMs: 10_000 }), RangeError);
    assert.throws(create({ renewDeadlineMs: 2_000, retryPeriodMs: 2_000 }), RangeError);
    assert.throws(create({ identity: '' }), RangeError);
  });
});
