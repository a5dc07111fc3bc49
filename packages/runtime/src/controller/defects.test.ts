// What must not bring a controller down, or make it stand still or spin: listeners that throw, delays that are no numbers, settings that
// make no sense, watches that are dropped before they filled; and what must: a broken invariant, whatever the other workers do.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv, InvariantError } from '@homeostat/base';
import { configMaps } from '@homeostat/client/resources';
import { InformerFactory } from '../informer/informer-factory.ts';
import { startController } from '../testing/controller-fixture.ts';
import { FakeServer, newWidget, parts, widgets } from '../testing/fake-server.ts';
import type { ReconcileController } from './controller-definition.ts';
import type { RunRecord } from './controller-dependencies.ts';
import { createController } from './controller.ts';
import type { Plan } from './plan.ts';
import { isDefect } from './run-failure.ts';

const widgetController = (
  reconcile: ReconcileController['reconcile'],
  more: Partial<ReconcileController> = {},
): ReconcileController => ({ name: 'defects', for: { resource: widgets }, ...more, reconcile });

const listenerFails = (): never => {
  throw new Error('the listener is broken');
};

describe('a controller', () => {
  it('ends with the error of a broken invariant, though other workers have nothing to do', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const informers = new InformerFactory({ client: server.client(), env });
    const controller = createController(
      widgetController(
        () => {
          throw new InvariantError('the world is flat');
        },
        { concurrency: 4 },
      ),
      { client: server.client(), env, informers },
    );
    const stopping = new AbortController();
    const following = informers.run({ signal: stopping.signal });
    const running = controller.run({ signal: stopping.signal }).then(
      () => undefined,
      (error: unknown) => error,
    );
    server.put('widgets', newWidget('w'));
    const error = await env.clock.run(Promise.race([running, env.clock.sleep(60_000).then(() => 'still running')]));
    assert.match(String(error), /the world is flat/);
    assert.match(controller.check() ?? '', /stopped/);
    stopping.abort();
    await env.clock.run(following);
  });

  it('goes on when listeners throw: of runs, of actions, of events, and announcements', async () => {
    const plan: Plan = {
      steps: [
        {
          mode: 'parallel',
          actions: ['a', 'b', 'c'].map((name) => ({
            verb: 'create',
            resource: parts,
            namespace: 'default',
            object: newWidget(name),
            reason: 'Missing',
            facts: {},
            announce: name === 'a' ? listenerFails : () => [],
          })),
        },
        {
          actions: [
            {
              verb: 'event',
              regarding: newWidget('w'),
              event: { type: 'Normal', reason: 'Made', message: 'made' },
              reason: 'Told',
              facts: {},
            },
          ],
        },
      ],
    };
    let outcomes: readonly string[] = [];
    const { env, server, reconciles, stop } = await startController(
      widgetController(async ({ act }) => {
        outcomes = (await act(plan)).map(({ status }) => status);
      }),
      { onRun: listenerFails, onAction: listenerFails, recordEvent: listenerFails },
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(1_000);
    assert.deepEqual(outcomes, ['done', 'done', 'done', 'done']);
    server.put('widgets', newWidget('x'));
    await env.clock.advance(1_000);
    assert.ok(reconciles.includes('default/x') || reconciles.includes('x'));
    await stop();
  });

  it('backs off from a delay that is no number, and says so', async () => {
    const records: RunRecord[] = [];
    const { env, server, stop } = await startController(
      widgetController(() => Promise.resolve({ requeueAfterMs: Date.parse('never') })),
      { onRun: (record) => records.push(record) },
    );
    server.put('widgets', newWidget('w'));
    await env.clock.advance(1_000);
    assert.ok(records.length > 1 && records.length < 12, `${records.length} runs in a second`);
    assert.match(records[0]?.error?.message ?? '', /requeueAfterMs must be a number of milliseconds, got NaN/);
    await stop();
  });

  it('refuses settings with which it would stand still', () => {
    const env = createVirtualEnv();
    const client = new FakeServer(env).client();
    const create = (more: Partial<ReconcileController>, parallelMax = 64): unknown =>
      createController(
        widgetController(() => Promise.resolve(), more),
        {
          client,
          env,
          informers: new InformerFactory({ client, env }),
          parallelMax,
        },
      );
    assert.throws(() => create({ concurrency: 0 }), /concurrency must be a whole number above 0, got 0/);
    assert.throws(() => create({ concurrency: 1.5 }), RangeError);
    assert.throws(() => create({ timeoutMs: 0 }), /timeoutMs must be above 0/);
    assert.throws(() => create({}, 0), /parallelMax must be above 0/);
  });

  it('does not count a failed fetch as a panic', () => {
    assert.equal(isDefect(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })), false);
    assert.equal(isDefect(new TypeError('x is not a function')), true);
  });

  it('does not wait for a watch that was dropped before it had filled', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    server.put('widgets', newWidget('w'));
    const client = server.client();
    const informers = new InformerFactory({ client, env });
    const ran: string[] = [];
    const controller = createController(
      widgetController(({ key }) => Promise.resolve(void ran.push(key))),
      { client, env, informers },
    );
    const drop = controller.watch({ resource: configMaps });
    server.fault = ({ resource }) => (resource === 'configmaps' ? new Promise<void>(() => {}) : undefined);
    const stopping = new AbortController();
    const running = Promise.all([informers.run(stopping), controller.run(stopping)]);
    await env.clock.advance(30_000);
    assert.deepEqual(ran, []);
    await drop();
    await env.clock.advance(1_000);
    assert.equal(ran.length, 1);
    stopping.abort();
    await env.clock.run(running);
  });

  it('leaves no timer behind when it is stopped before its caches have filled', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    server.fault = () => new Promise<void>(() => {});
    const client = server.client();
    const informers = new InformerFactory({ client, env });
    const controller = createController(
      widgetController(() => Promise.resolve()),
      { client, env, informers },
    );
    const stopping = new AbortController();
    const running = Promise.all([informers.run(stopping), controller.run(stopping)]);
    controller.wake({ key: 'default/w', afterMs: 3_600_000 });
    await env.clock.settle();
    stopping.abort();
    await env.clock.run(running);
    assert.equal(controller.status().queue.waiting.length, 0);
    controller.wake({ key: 'default/w', afterMs: 3_600_000 });
    assert.equal(controller.status().queue.waiting.length, 0);
  });
});
