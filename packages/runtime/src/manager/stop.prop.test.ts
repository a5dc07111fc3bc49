// A manager with controllers, an election and a recorder of events, over a server that is slow, fails and hangs: stopped at any moment it ends in
// time, with what kept it from ending said, and leaves nothing behind: no timer, no request, no watch, no rejection that nobody hears.

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { type Clock, createVirtualEnv, type Env, type Timer } from '@homeostat/base';
import { createController } from '../controller/controller.ts';
import { wakeController } from '../controller/wakes.ts';
import { createEventRecorder } from '../events/event-recorder.ts';
import { InformerFactory } from '../informer/informer-factory.ts';
import { createLeaderElector } from '../leader-election/leader-elector.ts';
import { LeadershipLostError } from '../leader-election/leadership.ts';
import { byController } from '../store/indexes.ts';
import { FakeServer, newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { createManager } from './manager.ts';

const unheard: unknown[] = [];
const hear = (error: unknown): void => void unheard.push(error);
before(() => void process.on('unhandledRejection', hear));
after(() => void process.off('unhandledRejection', hear));

/** The environment, and its timers that have neither fired nor been cancelled. */
function countingEnv() {
  const env = createVirtualEnv();
  const timers = new Set<object>();
  const { clock } = env;
  const counting: Clock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    yield: () => clock.yield(),
    setTimer(delayMs, callback): Timer {
      const mark = {};
      timers.add(mark);
      const timer = clock.setTimer(delayMs, () => {
        timers.delete(mark);
        callback();
      });
      return {
        cancel() {
          timers.delete(mark);
          timer.cancel();
        },
      };
    },
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason as Error);
        const onAbort = (): void => {
          timer.cancel();
          reject(signal?.reason as Error);
        };
        const timer = counting.setTimer(delayMs, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
  return { clock, timers, env: { ...env, clock: counting } as Env };
}

const world = fc.record({
  stopAtMs: fc.oneof(fc.nat(50), fc.nat(3_000), fc.nat(60_000)),
  graceMs: fc.constantFrom(0, 500, 30_000),
  concurrency: fc.integer({ min: 1, max: 3 }),
  fates: fc.array(fc.constantFrom('now', 'now', 'late', 'refused', 'hang'), { maxLength: 30 }),
  heedless: fc.boolean(),
  elects: fc.boolean(),
  warm: fc.boolean(),
});

it('a manager that is stopped at any moment ends in time and leaves nothing behind', async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ stopAtMs, graceMs, concurrency, fates, heedless, elects, warm }) => {
      const { clock, timers, env } = countingEnv();
      const server = new FakeServer(env);
      const left = [...fates];
      const hanging: (() => void)[] = [];
      let open = 0;
      const handle = server.handle.bind(server);
      server.handle = async (request) => {
        open++;
        try {
          const fate = left.shift() ?? 'now';
          if (fate === 'late') await env.clock.sleep(700, request.signal);
          if (fate === 'refused') throw new Error('refused');
          if (fate === 'hang')
            await new Promise<void>((resolve, reject) => {
              hanging.push(resolve);
              request.signal.addEventListener('abort', () => reject(request.signal.reason as Error), { once: true });
            });
          return await handle(request);
        } finally {
          open--;
        }
      };
      for (let at = 0; at < 4; at++) server.put('widgets', newWidget(`w${at}`));
      const client = server.client();
      const informers = new InformerFactory({ client, env, freeze: true });
      const election = createLeaderElector({
        client,
        env,
        namespace: 'kube-system',
        name: 'lock',
        identity: 'me',
        releaseOnStop: true,
      });
      const recorder = createEventRecorder({ client, env, component: 'test' });
      const manager = createManager({ env, informers, graceMs, ...(elects ? { election } : {}) });
      let running = 0;
      manager.add({ name: 'events', run: (run) => recorder.run(run) }, { group: 'services' });
      const controller = createController(
        {
          name: 'family',
          for: { resource: widgets },
          watches: [{ resource: parts, indexes: [byController], wakes: wakeController(widgets), optional: true }],
          concurrency,
          timeoutMs: 20_000,
          supersede: 'generation',
          async reconcile({ key, caches, client: own, signal }) {
            running++;
            try {
              const widget = caches.lister(widgets).getByKey(key) as Widget;
              await env.clock.sleep(300, heedless ? undefined : signal);
              const name = widget.metadata?.name ?? '';
              if (caches.lister(parts).get('default', name) === undefined)
                await own.create(parts, { object: newWidget(name, { owner: widget }) });
              recorder.record({ regarding: widget, type: 'Normal', reason: 'Made', message: 'made' });
              return { requeueAfterMs: 5_000 };
            } finally {
              running--;
            }
          },
        },
        { client, env, informers },
      );
      manager.addController(controller);
      if (warm)
        manager.add({ name: 'warm', run: ({ signal }) => untilAborted(signal), warmUp: () => env.clock.sleep(50) });

      const stop = new AbortController();
      let ended: { readonly error: unknown } | undefined;
      const run = manager.run({ signal: stop.signal }).then(
        () => (ended = { error: undefined }),
        (error: unknown) => (ended = { error }),
      );
      await clock.advance(stopAtMs);
      stop.abort(new Error('stop'));
      await clock.advance(graceMs + 200);
      assert.ok(ended !== undefined, 'it ends in the grace time');
      await run;
      const { error } = ended as { readonly error: unknown };
      if (error !== undefined)
        assert.ok(
          error instanceof LeadershipLostError || /failed waiting for all runnables/.test(String(error)),
          String(error),
        );
      const clean = error === undefined && graceMs > 0;
      if (clean) assert.deepEqual([running, open, server.watches.size, timers.size], [0, 0, 0, 0], 'at its end');
      // Those that do not heed the kill end by themselves.
      await clock.advance(40_000);
      assert.equal(running, 0, 'no run is left');
      assert.equal(open, 0, 'no request is left');
      assert.equal(server.watches.size, 0, 'no watch is left');
      assert.equal(timers.size, 0, `${timers.size} timers are left`);
      await new Promise(setImmediate);
      assert.deepEqual(unheard, []);
    }),
    { numRuns: 150 },
  );
});

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
