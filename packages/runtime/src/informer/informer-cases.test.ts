// Reported cases and the scenarios of spec/client.md §9 that concern FIFO, store and informer, by their ids and numbers. Client-go's
// queue has ways in which ours can't go (one ordered list, a relist is one entry): what is tested is what handlers hear.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createVirtualEnv, InvariantError } from '@homeostat/base';
import { newExpired } from '@homeostat/machinery';
import { TransportError } from '@homeostat/client';
import { EventContract } from '../testing/event-contract.ts';
import { FakeServer, newWidget, type Widget, widgets } from '../testing/fake-server.ts';
import type { Change } from './change.ts';
import { InformerFactory } from './informer-factory.ts';
import { createInformerSource } from './informer-source.ts';
import { SharedInformer, type SharedInformerOptions } from './shared-informer.ts';

function setUp(options: Partial<SharedInformerOptions<Widget>> = {}) {
  const env = createVirtualEnv();
  const server = new FakeServer(env);
  const informer = new SharedInformer<Widget>({
    resource: widgets,
    env,
    source: createInformerSource({ client: server.client(), resource: widgets }),
    freeze: true,
    repairPeriodMs: 0,
    ...options,
  });
  const heard: string[] = [];
  const hear = (change: Change<Widget>): void => {
    const initial = change.type === 'added' && change.initial ? ' initial' : '';
    const unknown = change.type === 'deleted' && change.lastStateUnknown ? ' unknown' : '';
    heard.push(`${change.type} ${change.object.metadata?.name}${initial}${unknown}`);
  };
  const run = async (test: () => Promise<void>): Promise<void> => {
    const stop = new AbortController();
    const running = informer.run({ signal: stop.signal });
    try {
      await env.clock.settle();
      await test();
    } finally {
      stop.abort();
      await env.clock.run(running);
      assert.equal(server.watches.size, 0);
    }
  };
  /** History is lost: what happens in `gap` is seen by a new list only. */
  const relist = async (gap: () => void = () => {}): Promise<void> => {
    server.endWatches(newExpired('too old'));
    gap();
    server.compact();
    await env.clock.advance(5_000);
  };
  return { env, server, informer, heard, hear, run, relist };
}

describe('what handlers hear', () => {
  it('25 35 each change of a key, in order, and no key overtakes another', async () => {
    const { env, server, informer, heard, hear, run } = setUp();
    informer.addHandler(hear);
    await run(async () => {
      server.put('widgets', newWidget('k'));
      server.put('widgets', newWidget('other'));
      server.put('widgets', newWidget('k', { size: 2 }));
      server.remove('widgets', 'default', 'k');
      server.put('widgets', newWidget('other', { size: 2 }));
      await env.clock.settle();
      assert.deepEqual(heard, ['added k', 'added other', 'updated k', 'deleted k', 'updated other']);
    });
  });

  it('26 27 29 32 47 one deletion with the last known state for each object that a new list lacks', async () => {
    const { env, server, informer, heard, hear, run, relist } = setUp();
    for (const name of ['a', 'b', 'c']) server.put('widgets', newWidget(name, { size: 7 }));
    const states: (number | undefined)[] = [];
    informer.addHandler(hear);
    informer.addHandler((change) =>
      change.type === 'deleted' ? void states.push(change.object.spec?.size) : undefined,
    );
    await run(async () => {
      heard.length = 0;
      server.remove('widgets', 'default', 'a');
      await env.clock.settle();
      await relist(() => {
        server.remove('widgets', 'default', 'c');
        server.put('widgets', newWidget('d'));
      });
      assert.deepEqual(heard, ['deleted a', 'deleted c unknown', 'added d']);
      assert.deepEqual(states, [7, 7]);
    });
  });

  it('28 G1 B29 an object that came and went around a new list is told as both', async () => {
    const { env, server, informer, heard, hear, run, relist } = setUp();
    informer.addHandler(hear);
    await run(async () => {
      // In the queue when the watch breaks, gone when the list comes.
      server.put('widgets', newWidget('x'));
      await relist(() => server.remove('widgets', 'default', 'x'));
      assert.deepEqual(heard, ['added x', 'deleted x unknown']);
      await env.clock.settle();
      assert.equal(informer.lister.size, 0);
    });
  });

  it('30 38 a resync names each object once, as it is', async () => {
    const { env, server, informer, heard, hear, run } = setUp();
    for (const name of ['a', 'b']) server.put('widgets', newWidget(name));
    informer.addHandler(hear, { resyncPeriodMs: 10_000 });
    await run(async () => {
      heard.length = 0;
      server.put('widgets', newWidget('a', { size: 2 }));
      await env.clock.advance(10_500);
      assert.deepEqual(heard, ['updated a', 'resync a', 'resync b']);
    });
  });

  it('31 33 44 only additions of the first list are initial; an empty list is one too', async () => {
    const { env, server, informer, heard, hear, run, relist } = setUp();
    informer.addHandler(hear);
    assert.equal(informer.hasSynced, false);
    await run(async () => {
      assert.equal(informer.hasSynced, true);
      await relist(() => server.put('widgets', newWidget('a')));
      await env.clock.settle();
      assert.deepEqual(heard, ['added a']);
    });
    assert.throws(() => informer.addHandler(hear), /has stopped/);
    await assert.rejects(informer.run({ signal: new AbortController().signal }), /run twice/);
  });

  it('36 37 the store holds the whole new list before any handler hears of it', async () => {
    const { server, informer, run, relist } = setUp();
    for (const name of ['a', 'b', 'c']) server.put('widgets', newWidget(name));
    const sizes = new Set<string>();
    informer.addHandler(
      () =>
        void sizes.add(
          informer.lister
            .list()
            .map(({ metadata }) => metadata?.name)
            .join(),
        ),
    );
    await run(async () => {
      sizes.clear();
      await relist(() => {
        server.remove('widgets', 'default', 'a');
        server.put('widgets', newWidget('b', { size: 2 }));
        server.put('widgets', newWidget('d'));
      });
      assert.deepEqual([...sizes], ['b,c,d']);
    });
  });

  it('23 39 49 objects are transformed once on their way in, tombstones never again', async () => {
    let transformed = 0;
    const { env, server, informer, run, relist } = setUp({
      transform: (object) => {
        transformed++;
        return { ...object, spec: { size: (object.spec?.size ?? 0) + 100 } };
      },
    });
    const sizes: (number | undefined)[] = [];
    informer.addHandler(({ object }) => void sizes.push(object.spec?.size));
    server.put('widgets', newWidget('a'));
    await run(async () => {
      server.put('widgets', newWidget('b', { size: 2 }));
      await env.clock.settle();
      assert.equal(transformed, 2);
      await relist(() => server.remove('widgets', 'default', 'a'));
      assert.deepEqual(sizes, [101, 102, 101]);
    });
  });

  it('49 an object whose transform begins to fail is not told as deleted', async () => {
    let fails = false;
    const { env, server, informer, heard, hear, run, relist } = setUp({
      transform: (object) => {
        if (fails) throw new Error('no');
        return { ...object };
      },
    });
    informer.addHandler(hear);
    server.put('widgets', newWidget('a'));
    await run(async () => {
      fails = true;
      server.put('widgets', newWidget('a', { size: 2 }));
      await relist(() => server.put('widgets', newWidget('a', { size: 3 })));
      assert.deepEqual(heard, ['added a initial']);
      assert.equal(informer.lister.get('default', 'a')?.spec?.size, 1);
      fails = false;
      server.put('widgets', newWidget('a', { size: 4 }));
      await env.clock.settle();
      assert.deepEqual(heard, ['added a initial', 'updated a']);
    });
  });

  it('40 41 resyncs come at each handler’s own period, at least a second, also for one that comes late', async () => {
    const { env, server, informer, run } = setUp({ resyncPeriodMs: 10_000 });
    server.put('widgets', newWidget('a'));
    const counts = { shortest: 0, late: 0, ordinary: 0 };
    const count = (name: keyof typeof counts) => (change: Change<Widget>) => {
      if (change.type === 'resync') counts[name]++;
    };
    informer.addHandler(count('shortest'), { resyncPeriodMs: 100 });
    informer.addHandler(count('ordinary'));
    await run(async () => {
      informer.addHandler(count('late'), { resyncPeriodMs: 5_000 });
      await env.clock.advance(20_500);
      assert.deepEqual(counts, { shortest: 20, late: 4, ordinary: 2 });
    });
  });

  it('43 a handler that is removed while it works hears nothing more; the others do', async () => {
    const { env, server, informer, heard, hear, run } = setUp();
    const slow: string[] = [];
    const registration = informer.addHandler(async ({ object }) => {
      await env.clock.sleep(1_000);
      slow.push(object.metadata?.name ?? '');
    });
    informer.addHandler(hear);
    await run(async () => {
      for (const name of ['a', 'b', 'c']) server.put('widgets', newWidget(name));
      await env.clock.advance(500);
      await env.clock.run(registration.remove());
      assert.deepEqual(slow, ['a'], 'removed when the call under way had ended');
      server.put('widgets', newWidget('d'));
      await env.clock.advance(5_000);
      assert.deepEqual(slow, ['a']);
      assert.equal(heard.length, 4);
    });
  });

  it('48 J8 a new list of what is known is told to nobody, due for a resync or not', async () => {
    const { server, informer, heard, hear, run, relist } = setUp();
    server.put('widgets', newWidget('a'));
    informer.addHandler(hear, { resyncPeriodMs: 3_600_000 });
    await run(async () => {
      heard.length = 0;
      for (let i = 0; i < 5; i++) await relist();
      assert.deepEqual(heard, []);
    });
  });
});

describe('reported cases', () => {
  it('O12 a pod created and deleted inside the gap of a relist leaves nobody waiting: the cache says that it is not there', async () => {
    const { server, informer, heard, hear, run, relist } = setUp();
    informer.addHandler(hear);
    await run(async () => {
      await relist(() => {
        server.put('widgets', newWidget('a'));
        server.remove('widgets', 'default', 'a');
      });
      assert.deepEqual(heard, []);
      // What waits for a write waits for a version, and that is reached.
      assert.ok(Number(informer.resourceVersion) >= server.revision);
    });
  });

  it('O13 B1 a restart on a stale server waits for the present state: no old object of that name is ever shown', async () => {
    const { env, server, informer, run } = setUp({ streaming: false });
    server.put('widgets', newWidget('claim'));
    let asked: string | null = 'never';
    server.fault = ({ query }) => {
      asked = query.get('resourceVersion');
    };
    await run(async () => {
      await env.clock.settle();
      assert.equal(server.requests[0]?.query.get('resourceVersion'), null, 'the first list takes no cached state');
      assert.notEqual(asked, '0');
      assert.equal(informer.lister.size, 1);
    });
  });

  it('R1 the deletion of a child is told whatever its last state, so that its owner is looked at', async () => {
    const { env, server, informer, heard, hear, run } = setUp();
    server.put('widgets', newWidget('child'));
    informer.addHandler(hear);
    await run(async () => {
      server.remove('widgets', 'default', 'child');
      server.put('widgets', newWidget('child'));
      await env.clock.settle();
      assert.deepEqual(heard, ['added child initial', 'deleted child', 'added child']);
    });
  });

  it('S27 an object that is deleted between the list and the watch is gone from the cache', async () => {
    const { env, server, informer, heard, hear, run } = setUp({ streaming: false });
    server.put('widgets', newWidget('a'));
    informer.addHandler(hear);
    server.fault = ({ watch }) => {
      // The list is answered, the watch is not open yet.
      if (watch && server.list('widgets').length > 0) server.remove('widgets', 'default', 'a');
    };
    await run(async () => {
      await env.clock.settle();
      assert.deepEqual(heard, ['added a initial', 'deleted a']);
      assert.equal(informer.lister.size, 0);
    });
  });

  it('S28 a server whose streams never end their list is listed plainly, and once only', async () => {
    const { env, server, informer, run } = setUp();
    server.put('widgets', newWidget('a'));
    server.fault = ({ query }) => query.delete('sendInitialEvents');
    await run(async () => {
      await env.clock.advance(31_000);
      assert.equal(informer.lister.size, 1);
      await env.clock.advance(600_000);
      assert.ok(server.requests.filter(({ watch }) => !watch).length === 1, 'no loop');
    });
  });

  it('J4 J5 an informer in trouble is not restarted by anybody: one watch, and a bounded number of tries', async () => {
    const { env, server, run } = setUp();
    await run(async () => {
      for (let outage = 0; outage < 5; outage++) {
        server.fault = () => {
          throw new TransportError('refused', 'connection refused');
        };
        server.endWatches(new TransportError('reset', 'premature close'));
        const before = server.requests.length;
        await env.clock.advance(120_000);
        assert.ok(server.requests.length - before < 15);
        server.fault = () => {};
        await env.clock.advance(31_000);
        assert.equal(server.watches.size, 1);
      }
    });
  });

  it('K6 a defect ends all informers with an error: no zombie', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const factory = new InformerFactory({ client: server.client(), env });
    factory.informer(widgets).addHandler(() => {
      throw new InvariantError('a defect');
    });
    server.put('widgets', newWidget('a'));
    const running = factory.run({ signal: new AbortController().signal });
    await assert.rejects(env.clock.run(running), /a defect/);
    assert.equal(server.watches.size, 0);
  });
});

describe('any history', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('recreate' as const), name }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom('end', 'reset', 'gone', 'compact', 'bookmark', 'swallow', 'tell') }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('handler', 'slow handler', 'failing handler', 'remove handler') }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 10, 1_000, 20_000, 90_000) }),
    },
  );

  it('keeps the event contract, and ends with what the server has', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, streaming) => {
        const { env, server, informer, run } = setUp({ streaming, repairPeriodMs: 60_000, resyncPeriodMs: 45_000 });
        const contracts: EventContract<Widget>[] = [];
        let removed = 0;
        const listen = (handler?: () => void | Promise<void>): (() => Promise<void>) => {
          const contract = new EventContract<Widget>();
          contracts.push(contract);
          const registration = informer.addHandler(contract.wrap(handler));
          return () => {
            contracts.splice(contracts.indexOf(contract), 1);
            return registration.remove();
          };
        };
        listen();
        let drop: () => Promise<void> = async () => {};
        await run(async () => {
          for (const next of steps) {
            switch (next.do) {
              case 'put':
                server.put('widgets', newWidget(next.name, { size: env.random.int(1_000) }));
                break;
              case 'remove':
                server.remove('widgets', 'default', next.name);
                break;
              case 'recreate':
                server.remove('widgets', 'default', next.name);
                server.put('widgets', newWidget(next.name));
                break;
              case 'end':
                server.endWatches();
                break;
              case 'reset':
                server.endWatches(new TransportError('reset', 'premature close'));
                break;
              case 'gone':
                server.endWatches(newExpired('too old'));
                break;
              case 'compact':
                server.compact();
                break;
              case 'bookmark':
                server.bookmark();
                break;
              case 'swallow':
                server.swallow = () => true;
                break;
              case 'tell':
                server.swallow = () => false;
                break;
              case 'handler':
                drop = listen();
                break;
              case 'slow handler':
                drop = listen(() => env.clock.sleep(env.random.int(3_000)));
                break;
              case 'failing handler': {
                let left = 5;
                drop = listen(() => {
                  if (env.random.int(2) === 0 && left-- > 0) throw new Error('no');
                });
                break;
              }
              case 'remove handler':
                if (removed++ < 3) await env.clock.run(drop());
                drop = async () => {};
                break;
              case 'wait':
                await env.clock.advance(next.ms);
                break;
            }
          }
          server.swallow = () => false;
          // One repair period, and time for handlers that failed.
          await env.clock.advance(130_000);
          for (const contract of contracts) {
            assert.deepEqual(contract.problems, []);
            assert.deepEqual(contract.differences(server.list('widgets')), []);
          }
          assert.deepEqual(
            informer.lister
              .list()
              .map(({ metadata }) => metadata?.resourceVersion)
              .toSorted(),
            server
              .list('widgets')
              .map(({ metadata }) => metadata?.resourceVersion)
              .toSorted(),
          );
        });
      }),
      { numRuns: 150 },
    );
  });
});
