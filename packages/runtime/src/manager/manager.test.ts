// Order of start and stop, leadership, health. Case id: C6.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { InformerFactory } from '../informer/informer-factory.ts';
import { createLeaderElector } from '../leader-election/leader-elector.ts';
import { LeadershipLostError } from '../leader-election/leadership.ts';
import { FakeServer, widgets } from '../testing/fake-server.ts';
import { formatHealth } from './health.ts';
import { createManager, type ManagerOptions, type Runnable } from './manager.ts';

function setUp(options: Partial<ManagerOptions> = {}) {
  const env = createVirtualEnv();
  const log: string[] = [];
  const manager = createManager({ env, ...options });
  const part = (name: string, more: { readonly endMs?: number; readonly fails?: Error } = {}): Runnable => ({
    name,
    run: async ({ signal, kill }) => {
      log.push(`+${name}`);
      if (more.fails !== undefined) throw more.fails;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await env.clock.sleep(more.endMs ?? 0, kill).catch(() => log.push(`!${name}`));
      log.push(`-${name}`);
    },
  });
  const stopping = new AbortController();
  return { env, log, manager, part, stop: () => stopping.abort(), run: () => manager.run({ signal: stopping.signal }) };
}

describe('createManager()', () => {
  it('starts services, then what all replicas do, then leaders; stops in the opposite order', async () => {
    const { env, log, manager, part, run, stop } = setUp();
    manager.add(part('controller', { endMs: 5_000 }));
    manager.add(part('metrics'), { group: 'services' });
    manager.add(part('cache warmer'), { group: 'always' });
    const running = run();
    await env.clock.settle();
    assert.deepEqual(log, ['+metrics', '+cache warmer', '+controller']);
    manager.add(part('late'));
    await env.clock.settle();
    assert.equal(log.at(-1), '+late');
    assert.equal(manager.elected, true);
    log.length = 0;
    stop();
    await env.clock.run(running);
    assert.deepEqual(log, ['-late', '-controller', '-cache warmer', '-metrics']);
    assert.throws(() => manager.add(part('too late')), /stop procedure is already engaged/);
    await assert.rejects(run(), /run twice/);
  });

  it('stops everything when a part fails, and throws what it threw', async () => {
    const { env, log, manager, part, run } = setUp();
    manager.add(part('good'));
    manager.add(part('bad', { fails: new Error('broken') }));
    await assert.rejects(env.clock.run(run()), /broken/);
    assert.ok(log.includes('-good'));
  });

  it('kills what does not end in the grace time, and says so', async () => {
    const { env, log, manager, part, run, stop } = setUp({ graceMs: 5_000 });
    manager.add(part('slow', { endMs: 60_000 }));
    const running = run();
    await env.clock.settle();
    stop();
    await assert.rejects(env.clock.run(running), /failed waiting for all runnables to end within grace period of 5s/);
    assert.deepEqual(log, ['+slow', '!slow', '-slow']);
    assert.ok(env.clock.monotonicMs() < 6_000);
  });

  const elected = (releaseOnStop = false) => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const election = createLeaderElector({
      client: server.client(),
      env,
      namespace: 'x',
      name: 'lock',
      identity: 'me',
      releaseOnStop,
    });
    const setup = setUp({ election, env });
    return { ...setup, env, server };
  };

  it('C6 never starts leader-only parts on a stop before the election', async () => {
    const { env, server, log, manager, run, stop } = elected();
    server.put('leases', {
      metadata: { name: 'lock', namespace: 'x' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 15 },
    } as never);
    manager.add({ name: 'writer', run: async () => void log.push('wrote') });
    manager.add({ name: 'probe', run: async () => void log.push('probe') }, { group: 'always' });
    const running = run();
    await env.clock.advance(5_000);
    assert.equal(manager.elected, false);
    stop();
    await env.clock.run(running);
    assert.deepEqual(log, ['probe']);
  });

  it('ends at once, with an error, when leadership is lost', async () => {
    const { env, server, manager, log, run } = elected();
    manager.add({
      name: 'writer',
      run: async ({ signal, kill }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        log.push(kill.aborted ? 'killed' : 'asked to stop');
      },
    });
    const running = run().catch((error: unknown) => error);
    await env.clock.settle();
    assert.equal(manager.elected, true);
    server.fault = () => {
      throw new Error('no server');
    };
    assert.ok((await env.clock.run(running)) instanceof LeadershipLostError);
    assert.deepEqual(log, ['killed']);
    assert.ok(env.clock.monotonicMs() <= 16_000);
  });

  it('reports health and readiness by name', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const informers = new InformerFactory({ client: server.client(), env });
    informers.informer(widgets);
    server.fault = () => {
      throw new Error('no server');
    };
    const { manager, run, stop } = setUp({ env, informers });
    manager.addHealthCheck('ping', () => undefined);
    const running = run();
    await env.clock.settle();
    assert.equal(manager.health().healthy, true);
    assert.equal(
      formatHealth('readyz', manager.ready()),
      '[-]informer-sync failed: reason withheld\nreadyz check failed\n',
    );
    server.fault = () => {};
    await env.clock.advance(60_000);
    assert.equal(formatHealth('readyz', manager.ready()), '[+]informer-sync ok\nreadyz check passed\n');
    stop();
    await env.clock.run(running);
  });
});
