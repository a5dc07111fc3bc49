// Order of start and stop, leadership, health. Case ids: C6, C7, C13, K6, O3, O11; scenario 65 of the client specification.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, createVirtualEnv } from '@homeostat/base';
import { type Client, leaderTermHeader, TransportError } from '@homeostat/client';
import { createController } from '../controller/controller.ts';
import { InformerFactory } from '../informer/informer-factory.ts';
import { createLeaderElector } from '../leader-election/leader-elector.ts';
import { LeadershipLostError } from '../leader-election/leadership.ts';
import { FakeServer, newWidget, parts, widgets } from '../testing/fake-server.ts';
import { formatHealth } from './health.ts';
import { createManager, type ManagerOptions } from './manager.ts';
import type { Runnable } from './runnable.ts';
import { RunnableEndedError } from './runnable-group.ts';

type VirtualEnv = ReturnType<typeof createVirtualEnv>;

function setUp(options: Partial<ManagerOptions> & { readonly env?: VirtualEnv } = {}) {
  const env = options.env ?? createVirtualEnv();
  const log: string[] = [];
  const manager = createManager({ ...options, env });
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
  it('65 starts services, webhooks, what all replicas do, then leaders; stops in the opposite order', async () => {
    const { env, log, manager, part, run, stop } = setUp();
    manager.add(part('controller', { endMs: 5_000 }));
    manager.add(part('metrics'), { group: 'services' });
    manager.add(part('cache warmer'), { group: 'always' });
    manager.add(part('webhook'), { group: 'webhooks' });
    const running = run();
    await env.clock.settle();
    assert.deepEqual(log, ['+metrics', '+webhook', '+cache warmer', '+controller']);
    manager.add(part('late'));
    await env.clock.settle();
    assert.equal(log.at(-1), '+late');
    assert.equal(manager.elected, true);
    log.length = 0;
    stop();
    await env.clock.run(running);
    assert.deepEqual(log, ['-late', '-controller', '-cache warmer', '-webhook', '-metrics']);
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

  it('65 starts what every replica does once caches are full, and holds up nobody for a resource that is not served', async () => {
    const { env } = setUp();
    const server = new FakeServer(env);
    const informers = new InformerFactory({ client: server.client(), env });
    informers.informer(widgets);
    informers.informer(parts);
    const { log, manager, part, run, stop } = setUp({ env, informers });
    manager.add(part('reader'), { group: 'always' });
    manager.add(part('controller'));
    server.fault = ({ resource }) => {
      if (resource === 'parts') throw new ApiError({ code: 404, reason: 'NotFound', message: 'no such resource' });
      throw new TransportError('refused', 'no server');
    };
    const running = run();
    await env.clock.advance(5_000);
    assert.deepEqual(log, ['+controller'], 'controllers wait by themselves');
    server.fault = ({ resource }) => {
      if (resource === 'parts') throw new ApiError({ code: 404, reason: 'NotFound', message: 'no such resource' });
    };
    await env.clock.advance(60_000);
    assert.deepEqual(log, ['+controller', '+reader']);
    stop();
    await env.clock.run(running);
  });

  it('65 never starts what waits for caches after a stop', async () => {
    const { env } = setUp();
    const server = new FakeServer(env);
    server.fault = () => {
      throw new TransportError('refused', 'no server');
    };
    const informers = new InformerFactory({ client: server.client(), env });
    informers.informer(widgets);
    const { log, manager, part, run, stop } = setUp({ env, informers });
    manager.add(part('reader'), { group: 'always' });
    const running = run();
    await env.clock.advance(5_000);
    stop();
    await env.clock.run(running);
    assert.deepEqual(log, []);
  });

  it('K6 stops everything when a part ends though nobody asked it to, unless it may', async () => {
    const { env, log, manager, part, run, stop } = setUp();
    manager.add(part('good'));
    manager.add({ name: 'migration', mayEnd: true, run: () => env.clock.sleep(1_000) });
    manager.add({ name: 'watch task', run: () => env.clock.sleep(5_000) });
    const outcome = run().catch((error: unknown) => error);
    await env.clock.advance(4_000);
    assert.deepEqual(log, ['+good']);
    const error = await env.clock.run(outcome);
    assert.ok(error instanceof RunnableEndedError);
    assert.match(error.message, /^watch task ended though the manager runs$/);
    assert.deepEqual(log, ['+good', '-good']);
    stop();
  });

  it('K6 stops when the informers end by themselves', async () => {
    const { env } = setUp();
    const informers = new InformerFactory({ client: new FakeServer(env).client(), env });
    informers.run = () => env.clock.sleep(1_000);
    const { manager } = setUp({ env, informers });
    const running = manager.run({ signal: new AbortController().signal });
    await assert.rejects(env.clock.run(running), RunnableEndedError);
  });

  it('C13 lets a reconcile under way finish within the grace time', async () => {
    const { env, manager, run, stop } = setUp({ graceMs: 30_000 });
    let finished = false;
    manager.add({
      name: 'reconciling',
      run: async ({ kill }) => {
        await env.clock.sleep(20_000, kill);
        finished = true;
      },
    });
    const running = run();
    await env.clock.advance(1_000);
    stop();
    await env.clock.run(running);
    assert.equal(finished, true);
  });

  it('waits for ever, or not at all, when told to', async () => {
    for (const graceMs of [0, Infinity]) {
      const { env, log, manager, part, run, stop } = setUp({ graceMs });
      manager.add(part('slow', { endMs: 600_000 }));
      const running = run();
      await env.clock.settle();
      stop();
      await env.clock.run(running);
      assert.equal(log.includes('!slow'), graceMs === 0);
    }
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

  const elected = (releaseOnStop = false, options: Pick<ManagerOptions, 'graceMs'> = {}) => {
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
    const setup = setUp({ ...options, election, env });
    return { ...setup, env, server };
  };

  it('C6 never starts leader-only parts on a stop before the election', async () => {
    const { env, server, log, manager, run, stop } = elected();
    server.put('leases', {
      metadata: { name: 'lock', namespace: 'x' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 15 },
    } as never);
    manager.add({ name: 'writer', run: async () => void log.push('wrote') });
    manager.add({ name: 'probe', mayEnd: true, run: async () => void log.push('probe') }, { group: 'always' });
    const running = run();
    await env.clock.advance(5_000);
    assert.equal(manager.elected, false);
    stop();
    await env.clock.run(running);
    assert.deepEqual(log, ['probe']);
  });

  it('warms up while another leads, and no longer than until the stop', async () => {
    const { env, server, log, manager, run, stop } = elected();
    const taken = { holderIdentity: 'other', leaseDurationSeconds: 15 };
    server.put('leases', { metadata: { name: 'lock', namespace: 'x' }, spec: taken } as never);
    const runnable = (name: string): Runnable => ({
      name,
      warmUp: ({ signal }) => {
        log.push(`warm ${name}`);
        return env.clock.sleep(600_000, signal).catch(() => void log.push(`cold ${name}`));
      },
      run: ({ signal, leadership }) => {
        log.push(`run ${name} in term ${leadership?.term().transitions}`);
        return env.clock.sleep(1e9, signal);
      },
    });
    manager.add(runnable('a'));
    const running = run();
    await env.clock.advance(1_000);
    manager.add(runnable('b'));
    await env.clock.advance(1_000);
    assert.deepEqual(log, ['warm a', 'warm b']);
    await env.clock.advance(20_000);
    assert.deepEqual(log.slice(2), ['run a in term 1', 'run b in term 1']);
    stop();
    await env.clock.run(running);
    assert.deepEqual(log.slice(4), ['cold a', 'cold b']);
  });

  it('C7 keeps the lease after the grace time for as long as a leader-only part runs', async () => {
    const { env, server, manager, run, stop } = elected(true, { graceMs: 5_000 });
    const holder = (): unknown =>
      (server.get('leases', 'x', 'lock') as { spec?: { holderIdentity?: string } } | undefined)?.spec?.holderIdentity;
    // It heeds neither signal.
    manager.add({ name: 'deaf', run: () => env.clock.sleep(60_000) });
    const running = run();
    await env.clock.settle();
    stop();
    await assert.rejects(env.clock.run(running), /grace period of 5s/);
    await env.clock.advance(40_000);
    assert.equal(holder(), 'me');
    await env.clock.advance(20_000);
    assert.equal(holder(), '');
  });

  it('O11 kills leader-only parts when the lease is lost while a stop is under way', async () => {
    const { env, server, log, manager, run, stop } = elected(false, { graceMs: 600_000 });
    manager.add({
      name: 'blocking stop hook',
      run: async ({ kill }) => {
        await new Promise<void>((resolve) => kill.addEventListener('abort', () => resolve(), { once: true }));
        log.push(`killed at ${env.clock.monotonicMs()}`);
      },
    });
    const running = run();
    await env.clock.settle();
    stop();
    server.fault = () => {
      throw new Error('no server');
    };
    await assert.rejects(env.clock.run(running), LeadershipLostError);
    assert.deepEqual(log, ['killed at 10000'], 'five seconds before anybody else may begin');
  });

  it('O3 65 ends at once, with an error, when leadership is lost', async () => {
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

  it('O3 waits for no part at all once leadership is lost', async () => {
    const { env, server, manager, run } = elected();
    const heedless: Runnable = {
      name: 'slow reader',
      run: async ({ signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        await env.clock.sleep(20_000);
      },
    };
    manager.add(heedless, { group: 'always' });
    const running = run().catch((error: unknown) => error);
    await env.clock.settle();
    server.fault = () => {
      throw new Error('no server');
    };
    assert.ok((await env.clock.run(running)) instanceof LeadershipLostError);
    assert.ok(env.clock.monotonicMs() < 12_000, `ended after ${env.clock.monotonicMs()} ms`);
  });

  it('B30 lets controllers of the leader group write under their term, without a word of theirs', async () => {
    const { env, server, manager, run, stop } = elected();
    const marks: (string | undefined)[] = [];
    const handle = server.handle.bind(server);
    server.handle = (request) => {
      if (request.method === 'PATCH' || request.path.endsWith('/widgets'))
        marks.push(request.headers[leaderTermHeader]?.replace(/uid=[^;]+/, 'uid=…'));
      return handle(request);
    };
    server.put('widgets', newWidget('w'));
    const client = server.client();
    const informers = new InformerFactory({ client, env });
    manager.add({ name: 'informers', run: (context) => informers.run(context) }, { group: 'always' });
    const definition = {
      name: 'patcher',
      for: { resource: widgets },
      reconcile: async ({ client: own }: { readonly client: Client }) => {
        await own.patch(widgets, { namespace: 'default', name: 'w', type: 'merge', patch: { spec: { size: 2 } } });
      },
    };
    manager.addController(createController(definition, { client, env, informers }));
    const running = run();
    await env.clock.advance(1_000);
    assert.deepEqual(marks.slice(0, 2), [undefined, 'x/lock;uid=…;holder=me;transitions=0']);
    stop();
    await env.clock.run(running);
  });

  it('pictures what goes on', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const informers = new InformerFactory({ client: server.client(), env });
    informers.informer(widgets);
    server.put('widgets', newWidget('w'));
    const { manager, part, run, stop } = setUp({ env, informers });
    manager.add({ ...part('one'), status: () => ({ queued: 3 }), check: () => 'not yet' });
    manager.add({
      ...part('two'),
      status: () => {
        throw new Error('no picture');
      },
    });
    manager.addDiagnosis('open files', () => 7);
    assert.equal(manager.ready().healthy, true, 'what is not started is not asked');
    const running = run();
    await env.clock.settle();
    const { informers: seen, ...rest } = manager.diagnose();
    assert.deepEqual(rest, {
      state: 'running',
      elected: true,
      election: undefined,
      parts: [
        { name: 'one', group: 'leader', running: true, status: { queued: 3 } },
        { name: 'two', group: 'leader', running: true, status: { error: 'no picture' } },
      ],
      more: { 'open files': 7 },
    });
    const [widgetInformer] = seen;
    assert.deepEqual(
      [widgetInformer?.resource, widgetInformer?.synced, widgetInformer?.objects, widgetInformer?.resourceVersion],
      ['widgets.v1.example.com', true, 1, '11'],
    );
    assert.equal(manager.ready().checks.find(({ name }) => name === 'one')?.error, 'not yet');
    stop();
    await env.clock.run(running);
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
