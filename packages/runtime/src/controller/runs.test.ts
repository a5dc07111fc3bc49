// One run of a key: its signal, what it throws, what it reads after it has written, and which wake-ups its own writes cause.
// Case ids: C1, G8, O5, K6.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { createPrometheusMetrics } from '@homeostat/base/node';
import { ApiError, createVirtualEnv, type Env } from '@homeostat/base';
import type { Client } from '@homeostat/client';
import type { Change } from '../informer/change.ts';
import { InformerFactory } from '../informer/informer-factory.ts';
import { byController } from '../store/indexes.ts';
import { startController } from '../testing/controller-fixture.ts';
import { FakeServer, newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import {
  type ReconcileContext,
  type ReconcileController,
  ReconcileTimeoutError,
  SupersededError,
  TerminalError,
} from './controller-definition.ts';
import type { RunRecord } from './controller-dependencies.ts';
import { createController } from './controller.ts';
import { OwnWrites } from './own-writes.ts';
import type { Action } from './plan.ts';
import { Run } from './run.ts';
import { wakeController } from './wakes.ts';

const widgetParts = (reconcile: ReconcileController['reconcile'], more: object = {}): ReconcileController => ({
  name: 'runs',
  for: { resource: widgets },
  watches: [{ resource: parts, indexes: [byController], wakes: wakeController(widgets) }],
  ...more,
  reconcile,
});

const widgetOf = ({ caches, key }: ReconcileContext): Widget => {
  const widget = caches.lister(widgets).getByKey(key);
  assert.ok(widget !== undefined);
  return widget;
};

const newPart = (name: string, owner: Widget): Widget => ({ ...newWidget(name, { owner }) });

describe('a run', () => {
  it('is told to stop when it is over its time, and is retried; calls of its client end too', async () => {
    const errors: unknown[] = [];
    const records: RunRecord[] = [];
    const metrics = createPrometheusMetrics();
    const { env, server, reconciles, stop } = await startController(
      widgetParts(
        async ({ client, signal }) => {
          server.fault = () => new Promise<void>(() => {});
          try {
            await client.get(widgets, { namespace: 'default', name: 'w' });
          } catch (error) {
            errors.push(error);
            assert.equal(signal.reason, error);
            throw error;
          } finally {
            server.fault = () => {};
          }
        },
        { timeoutMs: 2_000, retriesMax: 1 },
      ),
      { onRun: (record) => records.push(record), metrics },
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(10_000);
    assert.equal(reconciles.length, 2);
    assert.ok(errors.every((error) => error instanceof ReconcileTimeoutError));
    assert.deepEqual(
      records.map(({ outcome, attempt, endedMs, startedMs }) => [outcome, attempt, endedMs - startedMs]),
      [
        ['error', 1, 2_000],
        ['error', 2, 2_000],
      ],
    );
    assert.match(await metrics.expose(), /controller_runtime_reconcile_timeouts_total\{controller="runs"\} 2/);
    await stop();
  });

  it('K6 contains whatever is thrown: rejections, non-errors, thrown before the first await', async () => {
    const thrown: readonly unknown[] = [undefined, 'text', { odd: 1 }, new TypeError('defect'), null];
    let next = 0;
    const records: RunRecord[] = [];
    const metrics = createPrometheusMetrics();
    const { env, server, stop } = await startController(
      widgetParts((): Promise<void> => {
        if (next < thrown.length) throw thrown[next++];
        return Promise.resolve();
      }),
      { onRun: (record) => records.push(record), metrics },
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(60_000);
    assert.equal(records.length, thrown.length + 1);
    assert.ok(records.slice(0, -1).every(({ error }) => error instanceof Error));
    assert.match(records[2]?.error?.message ?? '', /no error: \{"odd":1\}/);
    assert.equal(records.at(-1)?.outcome, 'success');
    assert.match(await metrics.expose(), /controller_runtime_reconcile_panics_total\{controller="runs"\} 5/);
    await stop();
  });

  it('is not retried on a TerminalError, also as the cause of another error', async () => {
    const { env, reconciles, stop } = await startController(
      widgetParts(async () => {
        throw new Error('wrapped', { cause: new TerminalError('no use') });
      }),
      { prepare: (fake) => fake.put('widgets', newWidget('w')) },
    );
    await env.clock.advance(3_600_000);
    assert.equal(reconciles.length, 1);
    await stop();
  });

  it('C16 keeps the priority its key was taken with: when it failed, asks for more, or waits for its writes', async () => {
    let next: 'fail' | 'more' | 'write' = 'fail';
    const { env, server, controller, stop } = await startController(
      widgetParts(
        async ({ client }) => {
          if (next === 'fail') throw new Error('once more');
          if (next === 'more') return { requeueAfterMs: 3_600_000 };
          await client.create(parts, { object: newWidget('late') });
          return undefined;
        },
        { rateLimiter: () => ({ when: () => 60_000, forget: () => {}, failures: () => 1 }) },
      ),
    );
    const waiting = () => controller.status().queue.waiting.map(({ priority }) => priority);
    const wake = async (key: string): Promise<void> => {
      controller.wake({ key, priority: 7 });
      await env.clock.settle();
    };
    await wake('default/a');
    assert.deepEqual(waiting(), [7]);
    next = 'more';
    await wake('default/b');
    assert.deepEqual(waiting(), [7, 7]);
    next = 'write';
    server.swallow = () => true;
    await wake('default/c');
    await wake('default/c');
    assert.deepEqual(waiting(), [7, 7, 7]);
    await stop();
  });

  it('that was cut short has failed, though all it tried was done', async () => {
    const records: RunRecord[] = [];
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const informers = new InformerFactory({ client: server.client(), env });
    // It does not heed signals.
    const client = {
      ...server.client(),
      create: async (_resource: unknown, { object }: { readonly object: Widget }) => {
        await env.clock.sleep(2_000);
        return object;
      },
    } as unknown as Client;
    const create = (name: string): Action => ({
      verb: 'create',
      resource: parts,
      namespace: 'default',
      object: newWidget(name),
      reason: 'Missing',
      facts: {},
    });
    const controller = createController(
      {
        name: 'cut',
        for: { resource: widgets },
        timeoutMs: 1_000,
        observe: (key) => key,
        diff: () => ({ steps: [{ actions: [create('a'), create('b')] }] }),
      },
      { client, reader: server.client(), env, informers, onRun: (record) => records.push(record) },
    );
    const stopping = new AbortController();
    const running = Promise.all([informers.run(stopping), controller.run(stopping)]);
    server.put('widgets', newWidget('w'));
    await env.clock.advance(2_001);
    assert.equal(records[0]?.outcome, 'error');
    assert.ok(records[0].error instanceof ReconcileTimeoutError);
    stopping.abort();
    await env.clock.run(running);
  });

  it('comes again by the rate limiter when it asks for no time at all, and that is no failure', async () => {
    const metrics = createPrometheusMetrics();
    const runs: [atMs: number, attempt: number, outcome: string][] = [];
    const { env, controller, stop } = await startController(
      widgetParts(
        async ({ env: inner }) => {
          if (runs.length === 4) throw new Error('this is one');
          if (runs.length === 5) return;
          return { requeueAfterMs: inner.random.float() < 0.5 ? 0 : -1 };
        },
        { retriesMax: 2 },
      ),
      { metrics, onRun: ({ attempt, startedMs, outcome }) => runs.push([startedMs, attempt, outcome]) },
    );
    const startMs = env.clock.nowMs();
    controller.wake('default/w');
    await env.clock.advance(1_000);
    assert.deepEqual(
      runs.map(([atMs, attempt, outcome]) => `${atMs - startMs} ms: attempt ${attempt}, ${outcome}`),
      [
        '0 ms: attempt 1, requeue',
        '5 ms: attempt 1, requeue',
        '15 ms: attempt 1, requeue',
        '35 ms: attempt 1, requeue',
        '75 ms: attempt 1, error',
        '80 ms: attempt 2, success',
      ],
    );
    assert.match(await metrics.expose(), /controller_runtime_reconcile_total\{controller="runs",result="requeue"\} 4/);
    await stop();
  });

  it('starts counting anew after a TerminalError', async () => {
    const attempts: number[] = [];
    const { env, controller, stop } = await startController(
      widgetParts(async () => {
        throw attempts.length === 2 ? new TerminalError('no use') : new Error('again');
      }),
      { onRun: ({ attempt }) => attempts.push(attempt) },
    );
    controller.wake('default/w');
    await env.clock.advance(1_000);
    assert.deepEqual(attempts, [1, 2, 3]);
    controller.wake('default/w');
    await env.clock.settle();
    assert.equal(attempts[3], 1);
    await stop();
  });

  it('starts counting anew after its key was cancelled', async () => {
    const attempts: number[] = [];
    const { env, controller, stop } = await startController(
      widgetParts(() => Promise.reject(new Error('again'))),
      { onRun: ({ attempt }) => attempts.push(attempt) },
    );
    controller.wake('default/w');
    await env.clock.settle();
    assert.equal(controller.cancel('default/w'), true);
    await env.clock.advance(60_000);
    controller.wake('default/w');
    await env.clock.settle();
    assert.deepEqual(attempts, [1, 1]);
    await stop();
  });

  it('is not set off by the end of its object that it brought about itself', async () => {
    const aborted: boolean[] = [];
    const { env, server, stop } = await startController(
      widgetParts(
        async ({ key, caches, client, signal, env: inner }) => {
          if (caches.lister(widgets).getByKey(key) === undefined) return;
          await client.delete(widgets, { namespace: 'default', name: 'w' });
          await inner.clock.sleep(1_000);
          aborted.push(signal.aborted);
        },
        { supersede: 'resourceVersion' },
      ),
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(5_000);
    assert.deepEqual(aborted, [false]);
    await stop();
  });

  it('leaves no listener behind on the signal of the stop, and holds back a bounded number of wake-ups', () => {
    const { clock } = createVirtualEnv();
    const kill = new AbortController().signal;
    const run = new Run({
      key: 'default/w',
      resource: 'widgets.example.com',
      clock,
      kill,
      timeoutMs: 1_000,
      supersede: undefined,
      ownWrites: new OwnWrites(),
      known: () => undefined,
      isCached: () => false,
      asCached: (_, object) => object,
    });
    assert.equal(getEventListeners(kill, 'abort').length, 1);
    const wake = { resource: '', change: { type: 'deleted', object: {} } as Change, priority: 0 } as const;
    const held = Array.from({ length: 66 }, () => run.hold({ ...wake, reason: { type: 'wake' } }));
    assert.deepEqual([held.indexOf(false), held.at(-1)], [64, false]);
    run.end();
    assert.equal(getEventListeners(kill, 'abort').length, 0);
  });

  it('tells what led to it, bounded, and hands nothing of that to the reconcile', async () => {
    const records: RunRecord[] = [];
    let fail = true;
    const { env, server, controller, stop } = await startController(
      widgetParts(async ({ env: inner, ...rest }) => {
        assert.equal('reasons' in rest, false);
        await inner.clock.sleep(1_000);
        if (fail) throw new Error('once');
        return { requeueAfterMs: 60_000 };
      }),
      { onRun: (record) => records.push(record) },
    );
    server.put('widgets', newWidget('w'));
    await env.clock.settle();
    for (let size = 2; size < 14; size++) server.put('widgets', newWidget('w', { size }));
    await env.clock.settle();
    const [running] = controller.status().running;
    assert.equal(running?.key, 'default/w');
    await env.clock.advance(1_000);
    fail = false;
    await env.clock.advance(1_500);
    controller.wake('default/w');
    await env.clock.advance(2_500);
    const [first, second, third, fourth] = records.map(({ reasons }) => reasons);
    assert.deepEqual(first?.reasons, [
      {
        type: 'change',
        resource: 'widgets',
        change: 'added',
        object: 'default/w',
        group: 'example.com',
        version: '11',
        uid: 'uid-1',
      },
    ]);
    assert.equal(second?.reasons.length, 8);
    assert.equal(second?.dropped, 12 + 1 - 8);
    assert.ok(second?.reasons.some(({ type }) => type === 'retry'));
    assert.deepEqual(third?.reasons, [{ type: 'requeue', afterMs: 60_000 }]);
    assert.deepEqual(fourth?.reasons, [{ type: 'wake' }, { type: 'requeue', afterMs: 60_000 }]);
    await stop();
  });
});

describe('supersede', () => {
  const slow = (signals: AbortSignal[], more: object = {}): ReconcileController =>
    widgetParts(
      async (context) => {
        signals.push(context.signal);
        await context.env.clock.sleep(10_000, context.signal);
      },
      { supersede: 'generation', ...more },
    );
  const generation = (number: number): Widget => {
    const widget = newWidget('w');
    return { ...widget, metadata: { ...widget.metadata, generation: number } };
  };

  it('ends a run whose object moves on, and runs the key again at once, without back-off', async () => {
    const signals: AbortSignal[] = [];
    const records: RunRecord[] = [];
    const { env, server, stop } = await startController(slow(signals), { onRun: (record) => records.push(record) });
    server.put('widgets', generation(1));
    await env.clock.advance(1_000);
    const ready: Widget = { ...generation(1), status: { ready: 1 } };
    server.put('widgets', ready);
    await env.clock.advance(1_000);
    assert.equal(signals[0]?.aborted, false, 'a status write does not move the generation');
    server.put('widgets', generation(2));
    await env.clock.settle();
    assert.ok(signals[0]?.reason instanceof SupersededError);
    assert.equal(signals.length, 2);
    assert.deepEqual(
      records.map(({ outcome, attempt }) => [outcome, attempt]),
      [['superseded', 1]],
    );
    server.remove('widgets', 'default', 'w');
    await env.clock.settle();
    assert.ok(signals[1]?.reason instanceof SupersededError, 'deletion counts');
    await stop();
  });

  it('G8 counts an object that was recreated as moved on', async () => {
    const signals: AbortSignal[] = [];
    const { env, server, stop } = await startController(slow(signals));
    server.put('widgets', generation(1));
    await env.clock.settle();
    server.remove('widgets', 'default', 'w');
    server.put('widgets', generation(1));
    await env.clock.settle();
    assert.ok(signals[0]?.reason instanceof SupersededError);
    await stop();
  });

  it('is not set off by own writes, seen before or after their answer', async () => {
    const signals: AbortSignal[] = [];
    const { env, server, reconciles, stop } = await startController(
      widgetParts(
        async ({ client, key, signal, env: inner }) => {
          signals.push(signal);
          const name = key.split('/')[1] ?? '';
          for (let size = 2; size < 5; size++) {
            await client.patch(widgets, { namespace: 'default', name, type: 'merge', patch: { spec: { size } } });
            await inner.clock.sleep(100, signal);
          }
        },
        { supersede: 'resourceVersion' },
      ),
    );
    server.fault = async ({ method }) => {
      if (method === 'PATCH') await env.clock.sleep(50);
    };
    server.put('widgets', newWidget('w'));
    await env.clock.advance(5_000);
    assert.equal(
      signals.some(({ aborted }) => aborted),
      false,
    );
    assert.deepEqual(reconciles, ['default/w']);
    await stop();
  });

  it('leaves a run to finish after five in a row: a busy object gets somewhere', async () => {
    const signals: AbortSignal[] = [];
    const { env, server, stop } = await startController(slow(signals));
    for (let number = 1; number < 30; number++) {
      server.put('widgets', generation(number));
      await env.clock.advance(1_000);
    }
    assert.deepEqual(
      signals.slice(0, 6).map(({ aborted }) => aborted),
      [true, true, true, true, true, false],
    );
    await stop();
  });
});

describe('own writes', () => {
  it('C1 O5 shows a run what it has made, changed and deleted: by name, in lists and in indexes', async () => {
    const seen: unknown[] = [];
    const look = ({ caches }: ReconcileContext, owner: Widget): void => {
      const lister = caches.lister(parts);
      const names = (found: readonly Widget[]): unknown =>
        found.map(({ metadata, spec }) => `${metadata?.name}:${spec?.size}`).toSorted();
      seen.push([
        names(lister.list('default')),
        names(lister.byIndex('controller', owner.metadata?.uid ?? '')),
        lister.get('default', 'a')?.spec?.size,
        lister.size,
      ]);
    };
    const { env, server, stop } = await startController(
      widgetParts(async (context) => {
        const { client } = context;
        const owner = widgetOf(context);
        if (seen.length > 0) return;
        look(context, owner);
        await client.create(parts, { namespace: 'default', object: newPart('b', owner) });
        look(context, owner);
        await client.patch(parts, { namespace: 'default', name: 'a', type: 'merge', patch: { spec: { size: 7 } } });
        look(context, owner);
        await client.delete(parts, { namespace: 'default', name: 'a' });
        look(context, owner);
      }),
      {
        prepare: (fake) => {
          const owner = fake.put('widgets', newWidget('w'));
          fake.put('parts', newPart('a', owner));
          // The cache hears of nothing.
          fake.swallow = () => true;
        },
      },
    );
    await env.clock.settle();
    assert.deepEqual(seen, [
      [['a:1'], ['a:1'], 1, 1],
      [['a:1', 'b:1'], ['a:1', 'b:1'], 1, 2],
      [['a:7', 'b:1'], ['a:7', 'b:1'], 7, 2],
      [['b:1'], ['b:1'], undefined, 1],
    ]);
    assert.equal(server.list('parts').length, 1);
    await stop();
  });

  it('C1 do not wake the key again: creations, updates with a version, patches', async () => {
    const { env, server, reconciles, stop } = await startController(
      widgetParts(async (context) => {
        const { client } = context;
        const owner = widgetOf(context);
        await client.create(parts, { namespace: 'default', object: newPart('a', owner) });
        const updated = await client.update(widgets, { object: { ...owner, spec: { size: 5 } } });
        await client.updateStatus(widgets, { object: { ...updated, status: { ready: 1 } } });
        const patch = { status: { ready: 2 } };
        await client.patch(widgets, { namespace: 'default', name: 'w', type: 'merge', patch, subresource: 'status' });
      }),
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(60_000);
    assert.deepEqual(reconciles, ['default/w']);
    assert.equal((server.get('widgets', 'default', 'w') as Widget).status?.ready, 2);
    await stop();
  });

  it('wake the key when somebody else wrote in between, or deletes what it made', async () => {
    let runs = 0;
    const { env, server, reconciles, stop } = await startController(
      widgetParts(async (context) => {
        const { client } = context;
        if (runs++ > 0) return;
        await client.create(parts, { namespace: 'default', object: newPart('a', widgetOf(context)) });
        // Not seen before the patch, and its event is lost: the patch's event shows both.
        server.swallow = () => true;
        server.put('widgets', newWidget('w', { size: 9 }));
        server.swallow = () => false;
        const patch = { status: { ready: 1 } };
        await client.patch(widgets, { namespace: 'default', name: 'w', type: 'merge', patch });
      }),
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(60_000);
    assert.equal(reconciles.length, 2);
    server.remove('parts', 'default', 'a');
    await env.clock.advance(60_000);
    assert.equal(reconciles.length, 3);
    await stop();
  });

  it('wake the key when the controller asks for that', async () => {
    let writes = 0;
    const { env, server, reconciles, stop } = await startController(
      widgetParts(
        async ({ client }) => {
          if (writes++ > 0) return;
          await client.patch(widgets, { namespace: 'default', name: 'w', type: 'merge', patch: { spec: { size: 3 } } });
        },
        { ownWrites: 'wake' },
      ),
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(60_000);
    assert.equal(reconciles.length, 2);
    await stop();
  });

  it('reads live after a collection was deleted, and not after a refusal', async () => {
    let runs = 0;
    const lists = (fake: FakeServer): number =>
      fake.requests.filter(
        ({ method, name, watch, resource }) => method === 'GET' && name === undefined && !watch && resource === 'parts',
      ).length;
    const { env, server, controller, stop } = await startController(
      widgetParts(async ({ client }) => {
        if (runs++ > 0) return;
        await client.deleteCollection(parts, { namespace: 'default' });
      }),
    );
    server.fault = ({ method }) => {
      if (method === 'DELETE') throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no' });
    };
    const before = lists(server);
    server.put('widgets', newWidget('w'));
    await env.clock.advance(10);
    assert.equal(controller.fencedKeys, 0);
    assert.equal(lists(server), before);
    await stop();
  });
});

describe('consistent caches', () => {
  const setUp = async (more: object = {}) =>
    startController(
      widgetParts(async () => {}, { consistent: [widgets, parts], ...more }),
      {},
    );

  it('are waited for until all have reached the version of the newest', async () => {
    const { env, server, reconciles, stop } = await setUp();
    server.swallow = ({ object }) => object.kind === 'Part';
    server.put('widgets', newWidget('w'));
    await env.clock.advance(500);
    assert.deepEqual(reconciles, [], 'the cache of parts is behind');
    server.bookmark();
    await env.clock.settle();
    assert.deepEqual(reconciles, ['default/w']);
    await stop();
  });

  it('are read live where they lag for longer than a second', async () => {
    const records: RunRecord[] = [];
    const { env, server, stop } = await startController(
      widgetParts(async () => {}, { consistent: [widgets, parts] }),
      { onRun: (record) => records.push(record) },
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(999);
    assert.equal(records.length, 0);
    await env.clock.advance(1);
    assert.equal(records[0]?.live, true);
    await stop();
  });
});

it('createController() refuses to keep consistent what it does not watch', async () => {
  await assert.rejects(
    startController({
      name: 'odd',
      for: { resource: widgets },
      consistent: [widgets, parts],
      reconcile: async () => {},
    }),
    /wants parts.v1.example.com consistent but does not declare it/,
  );
});

it('createController() fails when its caches do not fill in time, and names them', async () => {
  const env: Env & { readonly clock: ReturnType<typeof createVirtualEnv>['clock'] } = createVirtualEnv();
  const server = new FakeServer(env);
  const client = server.client();
  server.fault = ({ resource }) => {
    if (resource === 'parts') throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no rights' });
  };
  const informers = new InformerFactory({ client, env, resyncPeriodMs: 0, repairPeriodMs: 0 });
  const controller = createController(
    widgetParts(async () => {}, { syncTimeoutMs: 120_000 }),
    { client, env, informers },
  );
  const stopping = new AbortController();
  const running = informers.run({ signal: stopping.signal });
  const failed = assert.rejects(
    controller.run({ signal: stopping.signal }),
    /failed to wait for runs caches to sync: parts.v1.example.com \(no rights\): timed out/,
  );
  await env.clock.advance(60_000);
  assert.match(controller.check() ?? '', /waits for parts.v1.example.com \(no rights\)/);
  await env.clock.advance(60_000);
  await failed;
  stopping.abort();
  await env.clock.run(running);
});
