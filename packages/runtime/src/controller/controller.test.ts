// The whole loop with a controller that is a ReplicaSet in small. Case ids: B2, B3, C1, C11, C13, O4, O5, O12, R1.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@homeostat/base';
import { newExpired } from '@homeostat/machinery';
import { type Client, TransportError } from '@homeostat/client';
import { byController } from '../store/indexes.ts';
import { startController } from '../testing/controller-fixture.ts';
import { type FakeServer, newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { type ControllerDefinition, type PlanController, TerminalError } from './controller-definition.ts';
import { emptyPlan, type EventAction, type Plan } from './plan.ts';
import { wakeController } from './wakes.ts';

interface Observed {
  readonly widget: Widget;
  readonly parts: readonly Widget[];
}

/** Keeps `spec.size` parts for every widget: a ReplicaSet in small. */
const widgetParts: PlanController<Observed> = {
  name: 'widget-parts',
  for: { resource: widgets },
  watches: [{ resource: parts, indexes: [byController], wakes: wakeController(widgets) }],
  observe(key, caches) {
    const widget = caches.lister(widgets).getByKey(key);
    if (widget === undefined) return undefined;
    return { widget, parts: caches.lister(parts).byIndex('controller', widget.metadata?.uid ?? '') };
  },
  diff({ widget, parts: owned }): Plan {
    const missing = (widget.spec?.size ?? 0) - owned.length;
    const namespace = widget.metadata?.namespace ?? '';
    const facts = { wanted: widget.spec?.size ?? 0, have: owned.length };
    if (missing === 0) return emptyPlan;
    if (missing < 0) {
      const actions = owned.slice(missing).map((part) => ({
        verb: 'delete' as const,
        resource: parts,
        namespace,
        name: part.metadata?.name ?? '',
        preconditions: { uid: part.metadata?.uid ?? '' },
        reason: 'TooMany',
        facts,
      }));
      return { steps: [{ mode: 'parallel', actions }] };
    }
    const { name: _name, ...metadata } = newWidget('', { owner: widget }).metadata ?? {};
    const object = { ...newWidget(''), metadata: { ...metadata, generateName: `${widget.metadata?.name}-` } };
    const actions = Array.from({ length: missing }, () => ({
      verb: 'create' as const,
      resource: parts,
      namespace,
      object,
      reason: 'TooFew',
      facts,
    }));
    return { steps: [{ mode: 'slow-start', actions }] };
  },
};

const writes = (server: FakeServer): number => server.requests.filter(({ method }) => method !== 'GET').length;

describe('createController()', () => {
  it('brings the state to what is desired, with one create each, and rests', async () => {
    const { env, server, controller, stop } = await startController(widgetParts, {
      prepare: (fake) => fake.put('widgets', newWidget('w', { size: 7 })),
    });
    await env.clock.advance(60_000);
    assert.equal(server.list('parts').length, 7);
    assert.equal(writes(server), 7);
    server.put('widgets', newWidget('w', { size: 3 }));
    await env.clock.advance(60_000);
    assert.equal(server.list('parts').length, 3);
    assert.equal(writes(server), 11);
    assert.equal(controller.fencedKeys, 0);
    await stop();
  });

  it('C1 O5 B2 never acts on a cache that lacks its own writes: waits, then reads live', async () => {
    const { env, server, stop, reconciles, controller } = await startController(widgetParts, {
      fenceLimitMs: 5_000,
      prepare: (fake) => {
        fake.put('widgets', newWidget('w', { size: 3 }));
        // The parts' watch has gone deaf.
        fake.swallow = ({ object }) => object.kind === 'Part';
      },
    });
    await env.clock.settle();
    assert.equal(server.list('parts').length, 3);
    // What wakes the key finds the fence.
    server.put('widgets', newWidget('w', { size: 5 }));
    await env.clock.advance(4_900);
    assert.equal(reconciles.length, 1);
    await env.clock.advance(200);
    assert.equal(reconciles.length, 2);
    assert.equal(server.list('parts').length, 5, 'the live read showed three');
    await env.clock.advance(600_000);
    assert.equal(server.list('parts').length, 5);
    assert.ok(controller.fencedKeys > 0, 'the cache is still behind');
    await stop();
  });

  it('takes up where the cache shows its writes', async () => {
    const { env, server, stop, reconciles } = await startController(widgetParts, { fenceLimitMs: 60_000 });
    const held: (() => void)[] = [];
    const deliver = server.swallow;
    server.swallow = (event) => {
      if (event.object.kind !== 'Part') return deliver(event);
      held.push(() => {
        for (const watch of server.watches) if (watch.resource === 'parts') watch.push(event);
      });
      return true;
    };
    server.put('widgets', newWidget('w', { size: 1 }));
    await env.clock.settle();
    server.put('widgets', newWidget('w', { size: 2 }));
    await env.clock.advance(20_000);
    assert.equal(reconciles.length, 1);
    for (const send of held) send();
    await env.clock.settle();
    assert.equal(reconciles.length, 2, 'woken by the cache, not by the clock');
    assert.equal(server.list('parts').length, 2);
    await stop();
  });

  it('counts a bookmark as progress of the cache', async () => {
    const { env, server, stop, reconciles } = await startController(widgetParts, { fenceLimitMs: 60_000 });
    server.swallow = ({ object }) => object.kind === 'Part';
    server.put('widgets', newWidget('w', { size: 1 }));
    await env.clock.settle();
    server.put('widgets', newWidget('w', { size: 1 }));
    await env.clock.settle();
    assert.equal(reconciles.length, 1);
    server.bookmark();
    await env.clock.settle();
    assert.equal(reconciles.length, 2);
    await stop();
  });

  it('O12 B3 holds nothing against a new object of the same name', async () => {
    const { env, server, stop } = await startController(widgetParts, {
      fenceLimitMs: 60_000,
      prepare: (fake) => fake.put('widgets', newWidget('w', { size: 2 })),
    });
    await env.clock.settle();
    server.swallow = ({ object }) => object.kind === 'Part';
    server.put('widgets', newWidget('w', { size: 4 }));
    await env.clock.settle();
    assert.equal(server.list('parts').length, 4);
    server.remove('widgets', 'default', 'w');
    server.put('widgets', newWidget('w', { size: 1 }));
    await env.clock.advance(100);
    const uid = server.get('widgets', 'default', 'w')?.metadata?.uid;
    const own = server.list('parts').filter(({ metadata }) => metadata?.ownerReferences?.[0]?.uid === uid);
    assert.equal(own.length, 1);
    await stop();
  });

  it('waits for deletes by their effect on the uid', async () => {
    const { env, server, stop, reconciles } = await startController(widgetParts, {
      fenceLimitMs: 60_000,
      prepare: (fake) => fake.put('widgets', newWidget('w', { size: 2 })),
    });
    await env.clock.advance(1_000);
    let deaf = true;
    const missed: (() => void)[] = [];
    server.swallow = (event) => {
      if (!deaf || event.type !== 'DELETED') return false;
      missed.push(() => server.watches.forEach((watch) => watch.resource === 'parts' && watch.push(event)));
      return true;
    };
    const before = reconciles.length;
    server.put('widgets', newWidget('w', { size: 1 }));
    await env.clock.settle();
    server.put('widgets', newWidget('w', { size: 1 }));
    await env.clock.advance(10_000);
    assert.equal(reconciles.length, before + 1);
    deaf = false;
    for (const send of missed) send();
    await env.clock.settle();
    assert.ok(reconciles.length > before + 1);
    assert.equal(server.list('parts').length, 1);
    await stop();
  });

  for (const [how, error] of [
    ['was never answered', new TransportError('reset', 'socket hang up')],
    ['timed out on the server', new ApiError({ code: 504, reason: 'Timeout', message: 'the request took too long' })],
  ] as const) {
    it(`reads live after a write that ${how}`, async () => {
      let dropped = 0;
      const { env, server, stop } = await startController(widgetParts, {
        prepare: (fake) => {
          fake.put('widgets', newWidget('w', { size: 1 }));
          fake.fault = ({ method, object }) => {
            if (method !== 'POST' || dropped > 0) return;
            dropped++;
            // It was carried out, its event is slow, and the answer was lost.
            fake.swallow = () => true;
            fake.put('parts', { ...object, metadata: { ...object?.metadata, name: 'w-lost', namespace: 'default' } });
            fake.swallow = () => false;
            throw error;
          };
        },
      });
      await env.clock.advance(60_000);
      assert.equal(server.list('parts').length, 1);
      await stop();
    });
  }

  it('reads live with the reader’s rights, which its own client may lack', async () => {
    let server: FakeServer | undefined;
    const used: (string | symbol)[] = [];
    const reader = new Proxy({} as Client, {
      get: (_target, name) => {
        used.push(name);
        return server === undefined ? undefined : Reflect.get(server.client(), name);
      },
    });
    let dropped = 0;
    const { env, stop } = await startController(widgetParts, {
      reader,
      prepare: (fake) => {
        server = fake;
        fake.put('widgets', newWidget('w', { size: 1 }));
        fake.fault = ({ method }) => {
          if (method === 'POST' && dropped++ === 0) throw new TransportError('reset', 'socket hang up');
        };
      },
    });
    await env.clock.advance(60_000);
    assert.equal(server?.list('parts').length, 1);
    assert.ok(used.length > 0);
    await stop();
  });

  it('says what it would do for a key, and does nothing', async () => {
    const { env, server, controller, stop } = await startController(widgetParts, {
      prepare: (fake) => {
        fake.put('widgets', newWidget('w', { size: 2 }));
        fake.fault = ({ method }) => {
          if (method === 'POST') throw new ApiError({ code: 403, reason: 'Forbidden', message: 'quota' });
        };
      },
    });
    await env.clock.settle();
    assert.deepEqual(controller.keys(), ['default/w']);
    assert.equal(controller.plan('default/w')?.steps[0]?.actions.length, 2);
    assert.equal(controller.plan('default/other'), undefined);
    assert.equal(server.list('parts').length, 0);
    await stop();
  });

  it('retries a failure with growing pauses, and a conflict after looking again', async () => {
    let failures = 3;
    const { env, server, stop, reconciles } = await startController(widgetParts, {
      prepare: (fake) => {
        fake.put('widgets', newWidget('w', { size: 1 }));
        fake.fault = ({ method }) => {
          if (method === 'POST' && failures-- > 0)
            throw new ApiError({ code: 403, reason: 'Forbidden', message: 'quota' });
        };
      },
    });
    await env.clock.settle();
    assert.equal(reconciles.length, 1);
    await env.clock.advance(5);
    assert.equal(reconciles.length, 2);
    await env.clock.advance(10);
    assert.equal(reconciles.length, 3);
    await env.clock.advance(100);
    assert.equal(server.list('parts').length, 1);
    await stop();
  });

  it('drops a key after its last retry, and on a TerminalError at once', async () => {
    const failing = (error: Error, retriesMax?: number): ControllerDefinition => ({
      name: 'failing',
      for: { resource: widgets },
      ...(retriesMax === undefined ? {} : { retriesMax }),
      reconcile: () => Promise.reject(error),
    });
    const prepare = (fake: FakeServer): void => void fake.put('widgets', newWidget('w'));
    const bounded = await startController(failing(new Error('no'), 3), { prepare });
    await bounded.env.clock.advance(3_600_000);
    assert.equal(bounded.reconciles.length, 4);
    bounded.server.put('widgets', newWidget('w', { size: 2 }));
    await bounded.env.clock.settle();
    assert.equal(bounded.reconciles.length, 5, 'a change brings it back');
    await bounded.stop();
    const terminal = await startController(failing(new TerminalError('never')), { prepare });
    await terminal.env.clock.advance(3_600_000);
    assert.equal(terminal.reconciles.length, 1);
    await terminal.stop();
  });

  it('looks again when a plan asks for it', async () => {
    const { env, reconciles, stop } = await startController<unknown>(
      {
        name: 'periodic',
        for: { resource: widgets, wakes: () => [] },
        startKeys: ['pass'],
        observe: () => ({}),
        diff: () => ({ steps: [], requeueAfterMs: 20_000 }),
      },
      {},
    );
    await env.clock.advance(100_000);
    assert.deepEqual(reconciles, ['pass', 'pass', 'pass', 'pass', 'pass', 'pass']);
    await stop();
  });

  it('C11 O4 wakes both owners when an object moves from one to the other', async () => {
    const { env, server, reconciles, stop } = await startController({
      name: 'owners',
      for: { resource: widgets },
      watches: [{ resource: parts, wakes: wakeController(widgets) }],
      observe: () => undefined,
      diff: () => emptyPlan,
    });
    const a = server.put('widgets', newWidget('a'));
    const b = server.put('widgets', newWidget('b'));
    server.put('parts', newWidget('p', { owner: a }));
    await env.clock.settle();
    reconciles.length = 0;
    server.put('parts', newWidget('p', { owner: b }));
    await env.clock.settle();
    assert.deepEqual(reconciles.toSorted(), ['default/a', 'default/b']);
    await stop();
  });

  it('R1 asks the predicate about updates only', async () => {
    const { env, server, reconciles, stop } = await startController({
      name: 'filtered',
      for: { resource: widgets, predicate: (old, next) => old.metadata?.labels !== next.metadata?.labels && false },
      observe: () => undefined,
      diff: () => emptyPlan,
    });
    server.put('widgets', newWidget('a'));
    await env.clock.settle();
    server.put('widgets', newWidget('a', { size: 2 }));
    await env.clock.settle();
    server.remove('widgets', 'default', 'a');
    await env.clock.settle();
    assert.deepEqual(reconciles, ['default/a', 'default/a']);
    await stop();
  });

  it('lets live changes go before the first list', async () => {
    const { env, server, reconciles, stop } = await startController(
      {
        name: 'priorities',
        for: { resource: widgets },
        reconcile: async ({ env: inner }) => {
          await inner.clock.sleep(1_000);
        },
      },
      {
        prepare: (fake) => {
          for (let i = 0; i < 20; i++) fake.put('widgets', newWidget(`w${i}`));
        },
      },
    );
    await env.clock.advance(1_500);
    server.put('widgets', newWidget('urgent'));
    await env.clock.advance(1_000);
    assert.equal(reconciles[2], 'default/urgent');
    await stop();
  });

  it('C13 lets a reconcile under way finish after a stop, and takes no more keys', async () => {
    let finished = 0;
    let cut = false;
    const { env, reconciles, stop } = await startController(
      {
        name: 'slow',
        for: { resource: widgets },
        reconcile: async ({ env: inner, signal }) => {
          await inner.clock.sleep(5_000);
          cut = signal.aborted;
          finished++;
        },
      },
      {
        prepare: (fake) => {
          fake.put('widgets', newWidget('a'));
          fake.put('widgets', newWidget('b'));
        },
      },
    );
    await env.clock.advance(1_000);
    await stop();
    assert.equal(finished, 1);
    assert.equal(cut, false);
    assert.equal(reconciles.length, 1);
  });

  it('tells of every action: why, on what facts, what it came to, and what woke the key', async () => {
    const records: unknown[] = [];
    const { env, server, stop } = await startController(widgetParts, {
      onAction: ({ controller, key, stage, outcome, wokenBy }) =>
        records.push([controller, key, stage, outcome.action.reason, outcome.action.facts, outcome.status, wokenBy]),
    });
    server.put('widgets', newWidget('w', { size: 1 }));
    await env.clock.settle();
    assert.deepEqual(records, [
      [
        'widget-parts',
        'default/w',
        0,
        'TooFew',
        { wanted: 1, have: 0 },
        'done',
        {
          resource: 'widgets',
          change: 'added',
          object: 'default/w',
          group: 'example.com',
          version: '11',
          uid: 'uid-1',
        },
      ],
    ]);
    await stop();
  });

  it('records the events that actions announce', async () => {
    const events: string[] = [];
    const announcing: PlanController<Observed> = {
      ...widgetParts,
      diff: (observed, now) => {
        const plan = widgetParts.diff(observed, now);
        return {
          ...plan,
          steps: plan.steps.map((step) => ({
            ...step,
            actions: step.actions.map((action) => ({
              ...action,
              announce: (outcome: { readonly status: string }): readonly EventAction[] => [
                {
                  verb: 'event',
                  regarding: observed.widget,
                  event: {
                    type: 'Normal',
                    reason: outcome.status === 'done' ? 'Created' : 'FailedCreate',
                    message: 'x',
                  },
                  reason: 'x',
                  facts: {},
                },
              ],
            })),
          })),
        };
      },
    };
    const { env, server, stop } = await startController(announcing, {
      recordEvent: ({ event }, source) => events.push(`${source} ${event.reason}`),
    });
    let failures = 1;
    server.fault = ({ method }) => {
      if (method === 'POST' && failures-- > 0) throw new ApiError({ code: 403, reason: 'Forbidden', message: 'quota' });
    };
    server.put('widgets', newWidget('w', { size: 2 }));
    await env.clock.advance(1_000);
    assert.deepEqual(events, ['widget-parts FailedCreate', 'widget-parts Created', 'widget-parts Created']);
    await stop();
  });

  it('survives a broken watch without a second thought', async () => {
    const { env, server, stop } = await startController(widgetParts, {
      prepare: (fake) => fake.put('widgets', newWidget('w', { size: 3 })),
    });
    await env.clock.advance(60_000);
    server.compact();
    server.endWatches(newExpired('too old'));
    server.remove('parts', 'default', server.list('parts')[0]?.metadata?.name ?? '');
    await env.clock.advance(60_000);
    assert.equal(server.list('parts').length, 3);
    await stop();
  });

  it('dry run: sends writes that change nothing, and is not fenced by them', async () => {
    const { env, server, controller, stop } = await startController(widgetParts, {
      dryRun: true,
      prepare: (fake) => {
        fake.put('widgets', newWidget('w', { size: 1 }));
        fake.fault = ({ method, query }) => {
          if (method === 'GET') return;
          assert.equal(query.get('dryRun'), 'All');
          throw new ApiError({ code: 400, reason: 'BadRequest', message: 'the fake has no dry run' });
        };
      },
    });
    await env.clock.settle();
    assert.equal(writes(server), 1);
    assert.equal(controller.fencedKeys, 0);
    await stop();
  });

  it('refuses to read what was not declared', async () => {
    const errors: unknown[] = [];
    const { env, stop } = await startController(
      {
        name: 'undeclared',
        for: { resource: widgets },
        reconcile: async ({ caches }) => {
          try {
            caches.lister(parts);
          } catch (error) {
            errors.push((error as Error).message);
          }
        },
      },
      { prepare: (fake) => fake.put('widgets', newWidget('w')) },
    );
    await env.clock.settle();
    assert.deepEqual(errors, ['controller undeclared reads parts.v1.example.com but does not declare it']);
    await stop();
  });
});
