// Reflector, FIFO, store and handlers together, against the fake server, in virtual time. Case ids: G, J, P3, R3, S27.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, createVirtualEnv } from '@homeostat/base';
import { newExpired, type WatchEvent } from '@homeostat/machinery';
import { TransportError } from '@homeostat/client';
import { FakeServer, type Fault, newWidget, type Widget, widgets } from '../testing/fake-server.ts';
import type { Change } from './change.ts';
import { createInformerSource } from './informer-source.ts';
import { SharedInformer, type SharedInformerOptions } from './shared-informer.ts';

type Setup = ReturnType<typeof setUp>;

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
  const changes: string[] = [];
  const note = (change: Change<Widget>): void => void changes.push(describeChange(change));
  return { env, server, informer, changes, note };
}

function describeChange(change: Change<Widget>): string {
  const { name, uid } = change.object.metadata ?? {};
  const extra =
    change.type === 'added'
      ? change.initial
        ? ' initial'
        : ''
      : change.type === 'deleted' && change.lastStateUnknown
        ? ' unknown'
        : '';
  return `${change.type} ${name} ${uid}${extra}`;
}

async function running(setup: Setup, test: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const run = setup.informer.run({ signal: stop.signal });
  try {
    await test();
  } finally {
    stop.abort();
    await setup.env.clock.run(run);
    assert.equal(setup.server.watches.size, 0, 'a stopped informer leaves no watch open');
  }
}

const lists = (server: FakeServer): number =>
  server.requests.filter(({ method, watch }) => method === 'GET' && !watch).length;
const watchCount = (server: FakeServer): number => server.requests.filter(({ watch }) => watch).length;

describe('SharedInformer', () => {
  it('lists by streaming, then follows, with one request', async () => {
    const setup = setUp();
    const { env, server, informer, changes, note } = setup;
    server.put('widgets', newWidget('a'));
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.settle();
      server.put('widgets', newWidget('b'));
      server.put('widgets', newWidget('a', { size: 2 }));
      server.remove('widgets', 'default', 'b');
      await env.clock.settle();
      assert.deepEqual(changes, ['added a uid-1 initial', 'added b uid-2', 'updated a uid-1', 'deleted b uid-2']);
      assert.equal(informer.lister.get('default', 'a')?.spec?.size, 2);
      assert.equal(informer.lister.size, 1);
      assert.equal(server.requests.length, 1);
      assert.equal(server.requests[0]?.query.get('resourceVersionMatch'), 'NotOlderThan');
      assert.equal(server.requests[0]?.query.get('allowWatchBookmarks'), 'true');
      const seconds = Number(server.requests[0]?.query.get('timeoutSeconds'));
      assert.ok(seconds >= 300 && seconds < 600, `timeoutSeconds ${seconds}`);
    });
  });

  it('R3 takes all pages of the first list when the server has no streaming', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    server.lacksStreaming = true;
    server.pageSizeMax = 2;
    for (const name of ['a', 'b', 'c', 'd', 'e']) server.put('widgets', newWidget(name));
    await running(setup, async () => {
      await env.clock.settle();
      assert.equal(informer.lister.size, 5);
      assert.equal(lists(server), 3);
      assert.equal(informer.hasSynced, true);
      // The next list does not ask for streaming again.
      server.compact();
      server.put('widgets', newWidget('f'));
      server.endWatches(newExpired('too old'));
      await env.clock.advance(2_000);
      assert.equal(server.requests.filter(({ query }) => query.has('sendInitialEvents')).length, 1);
      assert.equal(informer.lister.size, 6);
    });
  });

  it('starts over as one full list when a page token has expired', async () => {
    const setup = setUp({ streaming: false });
    const { env, server, informer } = setup;
    server.pageSizeMax = 2;
    for (const name of ['a', 'b', 'c']) server.put('widgets', newWidget(name));
    server.fault = ({ query }) => {
      if (!query.has('continue')) return;
      server.pageSizeMax = Infinity;
      throw newExpired('The provided continue parameter is too old');
    };
    await running(setup, async () => {
      await env.clock.settle();
      assert.deepEqual(
        informer.lister.list().map(({ metadata }) => metadata?.name),
        ['a', 'b', 'c'],
      );
    });
  });

  it('J1 reopens at the last version when the connection breaks, without a new list', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    await running(setup, async () => {
      await env.clock.advance(60_000);
      server.bookmark();
      server.endWatches(new TransportError('reset', 'premature close'));
      server.put('widgets', newWidget('a'));
      await env.clock.settle();
      assert.equal(informer.lister.size, 1);
      assert.equal(watchCount(server), 2);
      assert.equal(lists(server), 0);
      assert.equal(server.requests[1]?.query.get('resourceVersion'), '10');
    });
  });

  it('J2 J4 survives an outage with one watch and bounded tries', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    server.put('widgets', newWidget('a'));
    await running(setup, async () => {
      await env.clock.advance(60_000);
      server.fault = () => {
        throw new TransportError('refused', 'connection refused');
      };
      server.endWatches(new TransportError('reset', 'premature close'));
      const before = server.requests.length;
      await env.clock.advance(600_000);
      const tries = server.requests.length - before;
      assert.ok(tries >= 20 && tries < 60, `${tries} tries in ten minutes`);
      server.fault = () => {};
      server.put('widgets', newWidget('b'));
      await env.clock.advance(31_000);
      assert.equal(informer.lister.size, 2);
      assert.equal(server.watches.size, 1);
      assert.equal(lists(server), 0, 'the history was still there');
    });
  });

  it('retries a refused watch at the same version, and lists again after another refusal', async () => {
    const setup = setUp();
    const { env, server } = setup;
    await running(setup, async () => {
      await env.clock.advance(60_000);
      let refusals = 0;
      server.fault = ({ watch }) => {
        if (watch && refusals++ < 2) throw new ApiError({ code: 429, reason: 'TooManyRequests', message: 'slow down' });
      };
      server.endWatches();
      await env.clock.advance(10_000);
      assert.deepEqual(
        server.requests.slice(1).map(({ query }) => query.get('resourceVersion')),
        ['10', '10', '10'],
      );
      server.fault = ({ query }) => {
        if (query.get('resourceVersion') === '10' && !query.has('sendInitialEvents')) {
          throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no' });
        }
      };
      server.endWatches();
      await env.clock.advance(10_000);
      assert.equal(server.requests.at(-1)?.query.get('sendInitialEvents'), 'true');
    });
  });

  it('J8 tells nothing when a new list shows what is known', async () => {
    const setup = setUp();
    const { env, server, informer, changes, note } = setup;
    server.put('widgets', newWidget('a'));
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.advance(60_000);
      server.compact();
      server.endWatches(newExpired('too old'));
      await env.clock.advance(5_000);
      assert.equal(watchCount(server), 2);
      assert.deepEqual(changes, ['added a uid-1 initial']);
      server.put('widgets', newWidget('a', { size: 3 }));
      await env.clock.settle();
      assert.deepEqual(changes, ['added a uid-1 initial', 'updated a uid-1']);
    });
  });

  it('G1 G2 S27 converges on what a new list says, whatever was queued', async () => {
    const setup = setUp();
    const { env, server, informer, changes, note } = setup;
    server.put('widgets', newWidget('a'));
    server.put('widgets', newWidget('b'));
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.advance(60_000);
      changes.length = 0;
      server.put('widgets', newWidget('x'));
      server.endWatches(newExpired('too old'));
      server.remove('widgets', 'default', 'x');
      server.remove('widgets', 'default', 'b');
      server.put('widgets', newWidget('c'));
      server.compact();
      await env.clock.advance(5_000);
      assert.deepEqual(changes, [
        'added x uid-3',
        'deleted b uid-2 unknown',
        'deleted x uid-3 unknown',
        'added c uid-4',
      ]);
      assert.deepEqual(
        informer.lister.list().map(({ metadata }) => metadata?.name),
        ['a', 'c'],
      );
    });
  });

  it('G8 tells a recreated object as deleted and added', async () => {
    const setup = setUp();
    const { env, server, informer, changes, note } = setup;
    server.put('widgets', newWidget('x'));
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.advance(60_000);
      server.endWatches(newExpired('too old'));
      server.remove('widgets', 'default', 'x');
      server.put('widgets', newWidget('x'));
      server.compact();
      await env.clock.advance(5_000);
      assert.deepEqual(changes.slice(1), ['deleted x uid-1 unknown', 'added x uid-2']);
    });
  });

  it('G7 never goes back in time on a stale server, until that is what the server is', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    const old = server.put('widgets', newWidget('a'));
    await running(setup, async () => {
      await env.clock.settle();
      server.put('widgets', newWidget('a', { size: 2 }));
      await env.clock.advance(60_000);
      const seen = informer.resourceVersion;
      // The load balancer sends us to a server that lags.
      server.swallow = () => true;
      server.remove('widgets', 'default', 'a');
      server.revision = 4;
      server.put('widgets', old);
      server.swallow = () => false;
      server.endWatches(newExpired('too old'));
      await env.clock.advance(30_000);
      assert.equal(informer.resourceVersion, seen);
      assert.equal(informer.lister.get('default', 'a')?.spec?.size, 2);
      // It stays so: a store restored from a backup is the truth.
      await env.clock.advance(180_000);
      assert.equal(informer.resourceVersion, '5');
      assert.equal(informer.lister.get('default', 'a')?.spec?.size, 1);
    });
  });

  it('drops events that are older than what was seen', async () => {
    const setup = setUp();
    const { env, server, informer, changes, note } = setup;
    server.put('widgets', newWidget('a'));
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.settle();
      const old: WatchEvent = {
        type: 'MODIFIED',
        object: {
          ...newWidget('a'),
          metadata: { name: 'a', namespace: 'default', uid: 'uid-1', resourceVersion: '3' },
        },
      };
      for (const watch of server.watches) watch.push(old);
      await env.clock.settle();
      assert.deepEqual(changes, ['added a uid-1 initial']);
      assert.equal(informer.resourceVersion, '11');
    });
  });

  it('finds a swallowed event within one repair period', async () => {
    const setup = setUp({ repairPeriodMs: 60_000 });
    const { env, server, informer, changes, note } = setup;
    for (const name of ['a', 'b', 'c']) server.put('widgets', newWidget(name));
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.settle();
      changes.length = 0;
      server.swallow = () => true;
      server.put('widgets', newWidget('a', { size: 9 }));
      server.remove('widgets', 'default', 'b');
      server.put('widgets', newWidget('d'));
      server.swallow = () => false;
      server.put('widgets', newWidget('c', { size: 2 }));
      await env.clock.settle();
      assert.deepEqual(changes, ['updated c uid-3'], 'the watch says nothing of the others');
      await env.clock.advance(60_000);
      assert.deepEqual(changes.slice(1).toSorted(), ['added d uid-4', 'deleted b uid-2 unknown', 'updated a uid-1']);
      assert.equal(informer.lister.get('default', 'a')?.spec?.size, 9);
      const repaired = changes.length;
      await env.clock.advance(600_000);
      assert.equal(changes.length, repaired, 'a whole cache is left alone');
    });
  });

  it('repairs nothing that changes while the repair lists', async () => {
    const setup = setUp({ repairPeriodMs: 60_000 });
    const { env, server, informer, changes, note } = setup;
    server.put('widgets', newWidget('a'));
    server.put('widgets', newWidget('b'));
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.settle();
      changes.length = 0;
      server.fault = async ({ method, watch }) => {
        if (method !== 'GET' || watch) return;
        server.fault = () => {};
        await env.clock.sleep(1_000);
        // After the list was decided on by the fake, the answer below is what it was: newer events come through the watch.
        server.remove('widgets', 'default', 'a');
        server.put('widgets', newWidget('c'));
      };
      await env.clock.advance(65_000);
      assert.deepEqual(changes, ['deleted a uid-1', 'added c uid-3']);
      assert.equal(informer.lister.size, 2);
    });
  });

  it('replays the cache to a handler that comes late, and stops telling one that was removed', async () => {
    const setup = setUp();
    const { env, server, informer, changes, note } = setup;
    for (const name of ['a', 'b', 'c']) server.put('widgets', newWidget(name));
    await running(setup, async () => {
      await env.clock.settle();
      const registration = informer.addHandler(note);
      assert.equal(registration.hasSynced(), false);
      await env.clock.settle();
      assert.deepEqual(changes, ['added a uid-1 initial', 'added b uid-2 initial', 'added c uid-3 initial']);
      assert.equal(registration.hasSynced(), true);
      await registration.remove();
      await registration.remove();
      server.put('widgets', newWidget('d'));
      await env.clock.settle();
      assert.equal(changes.length, 3);
    });
    assert.throws(() => informer.addHandler(note), /has stopped/);
  });

  it('resyncs each handler at its own period', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    server.put('widgets', newWidget('a'));
    const seen: string[] = [];
    const at = (name: string) => (change: Change<Widget>) =>
      change.type === 'resync' ? void seen.push(`${name}@${env.clock.monotonicMs() / 1000}`) : undefined;
    informer.addHandler(at('two'), { resyncPeriodMs: 2_000 });
    informer.addHandler(at('three'), { resyncPeriodMs: 3_000 });
    informer.addHandler(at('never'));
    informer.addHandler(at('least'), { resyncPeriodMs: 10 });
    await running(setup, async () => {
      await env.clock.advance(6_500);
      const of = (name: string): string[] => seen.filter((entry) => entry.startsWith(name));
      assert.deepEqual(of('two'), ['two@2', 'two@4', 'two@6']);
      assert.deepEqual(of('three'), ['three@3', 'three@6']);
      assert.deepEqual(of('never'), []);
      assert.equal(of('least').length, 6);
    });
  });

  it('P3 tells a failing handler again, and holds up no other object for it', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    server.put('widgets', newWidget('a'));
    server.put('widgets', newWidget('b'));
    const seen: string[] = [];
    let failures = 2;
    informer.addHandler(async (change) => {
      const name = change.object.metadata?.name ?? '';
      if (name === 'a' && failures-- > 0)
        throw new ApiError({ code: 429, reason: 'TooManyRequests', message: 'slow down' });
      seen.push(`${change.type} ${name}`);
    });
    await running(setup, async () => {
      await env.clock.settle();
      assert.deepEqual(seen, ['added b']);
      await env.clock.advance(5_000);
      assert.deepEqual(seen, ['added b', 'added a']);
    });
  });

  it('lets a slow handler hold up no other, and merges what it misses', async () => {
    const setup = setUp();
    const { env, server, informer, changes, note } = setup;
    const slow: string[] = [];
    informer.addHandler(async (change) => {
      await env.clock.sleep(10_000);
      slow.push(`${change.type} ${change.object.metadata?.name} ${change.object.spec?.size}`);
    });
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.settle();
      server.put('widgets', newWidget('a'));
      for (let size = 2; size <= 50; size++) server.put('widgets', newWidget('a', { size }));
      server.put('widgets', newWidget('b'));
      server.remove('widgets', 'default', 'b');
      await env.clock.settle();
      assert.equal(changes.length, 52);
      await env.clock.advance(100_000);
      assert.deepEqual(slow, ['added a 1', 'updated a 50']);
    });
  });

  it('drops objects whose transform fails, and freezes what it caches', async () => {
    const setup = setUp({
      transform: (object) => {
        if (object.metadata?.name === 'bad') throw new Error('no');
        const { spec: _dropped, ...rest } = object;
        return rest;
      },
    });
    const { env, server, informer } = setup;
    server.put('widgets', newWidget('bad'));
    server.put('widgets', newWidget('good'));
    await running(setup, async () => {
      await env.clock.settle();
      const good = informer.lister.get('default', 'good');
      assert.equal(informer.lister.size, 1);
      assert.equal(good?.spec, undefined);
      assert.ok(Object.isFrozen(good?.metadata));
    });
  });

  it('falls back to a list when a streamed one is silent', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    server.put('widgets', newWidget('a'));
    server.fault = ({ query }) => {
      // An old server ignores the parameter: it starts an ordinary watch that never sends the end bookmark.
      query.delete('sendInitialEvents');
    };
    await running(setup, async () => {
      await env.clock.advance(29_000);
      assert.equal(informer.hasSynced, false);
      await env.clock.advance(2_000);
      assert.equal(informer.hasSynced, true);
      assert.equal(lists(server), 1);
      assert.equal(server.watches.size, 1);
    });
  });

  it('reopens a watch that lives longer than the server was asked for', async () => {
    const setup = setUp();
    const { env, server } = setup;
    await running(setup, async () => {
      await env.clock.advance(11 * 60_000);
      assert.ok(watchCount(server) >= 2);
      assert.equal(server.watches.size, 1);
      assert.equal(lists(server), 0);
    });
  });

  it('ends while a list is under way', async () => {
    const setup = setUp({ streaming: false });
    const { env, server } = setup;
    server.fault = () => env.clock.sleep(1e9);
    await running(setup, async () => {
      await env.clock.advance(1_000);
    });
  });
});

describe('SharedInformer.state', () => {
  it('C8 waits for a resource that is not served, says so, and picks it up within 5 s or when told to look again', async () => {
    for (const told of [false, true]) {
      const setup = setUp();
      const { env, server, informer, changes, note } = setup;
      const states: string[] = [];
      informer.onState((state) => void states.push(state));
      informer.addHandler(note);
      const notServed: Fault = () => {
        throw new ApiError({
          code: 404,
          reason: 'NotFound',
          message: 'the server could not find the requested resource',
        });
      };
      server.fault = notServed;
      assert.equal(informer.state, 'new');
      await running(setup, async () => {
        await env.clock.advance(300_000);
        assert.equal(informer.state, 'waiting-for-resource');
        assert.equal(informer.hasSynced, false);
        assert.ok((informer.lastError?.count ?? 0) > 50);
        server.fault = () => {};
        server.put('widgets', newWidget('a'));
        if (told) {
          informer.lookAgain();
          await env.clock.settle();
        } else await env.clock.advance(5_000);
        assert.equal(informer.state, 'synced');
        assert.equal(informer.lastError, undefined);
        assert.deepEqual(changes, ['added a uid-1 initial']);
        // The definition is deleted: nothing is known of the objects, so nothing is told of them.
        server.fault = notServed;
        server.endWatches(newExpired('gone'));
        await env.clock.advance(60_000);
        assert.equal(informer.state, 'waiting-for-resource');
        assert.equal(informer.lister.size, 1);
        server.fault = () => {};
        server.remove('widgets', 'default', 'a');
        await env.clock.advance(5_000);
        assert.equal(informer.state, 'synced');
        assert.deepEqual(changes, ['added a uid-1 initial', 'deleted a uid-1 unknown']);
      });
      const expected = [
        'syncing',
        'waiting-for-resource',
        'syncing',
        'synced',
        'waiting-for-resource',
        'synced',
        'stopped',
      ];
      assert.deepEqual(states, expected);
    }
  });

  it('tells of failures until the server answers again', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    const told: number[] = [];
    const stop = informer.onError(({ count }) => void told.push(count));
    await running(setup, async () => {
      await env.clock.advance(60_000);
      server.fault = () => {
        throw new TransportError('refused', 'connection refused');
      };
      server.endWatches(new TransportError('reset', 'premature close'));
      await env.clock.advance(20_000);
      assert.equal(informer.state, 'synced');
      assert.ok(informer.lastError?.error instanceof TransportError);
      assert.deepEqual(told.slice(0, 3), [1, 2, 3]);
      server.fault = () => {};
      await env.clock.advance(30_000);
      assert.equal(informer.lastError, undefined);
      stop();
    });
  });
});

describe('SharedInformer and repairs', () => {
  /** A cache at version 13 whose watch lags, though the server is further on. */
  async function lagging(
    act: (setup: Setup) => void,
    check: (setup: Setup, hold: WatchEvent[]) => Promise<void> | void,
  ): Promise<void> {
    const setup = setUp({ repairPeriodMs: 60_000, streaming: false });
    const { env, server, informer, note } = setup;
    for (const name of ['a', 'b', 'c']) server.put('widgets', newWidget(name));
    informer.addHandler(note);
    await running(setup, async () => {
      await env.clock.settle();
      const hold: WatchEvent[] = [];
      server.swallow = (event) => (hold.push(event), true);
      setup.changes.length = 0;
      act(setup);
      await env.clock.advance(65_000);
      server.swallow = () => false;
      await check(setup, hold);
    });
  }

  it('B29 takes nothing back that a repair brought when the watch tells of the past', () =>
    lagging(
      ({ server }) => {
        server.put('widgets', newWidget('a', { size: 2 }));
        server.remove('widgets', 'default', 'a');
        server.put('widgets', newWidget('b', { size: 2 }));
        server.put('widgets', newWidget('b', { size: 3 }));
      },
      async ({ env, server, informer, changes }, hold) => {
        assert.deepEqual(changes.toSorted(), ['deleted a uid-1 unknown', 'updated b uid-2']);
        for (const event of hold) for (const watch of server.watches) watch.push(event);
        await env.clock.settle();
        assert.equal(changes.length, 2, 'the past is not told again');
        assert.equal(informer.lister.get('default', 'b')?.spec?.size, 3);
        server.put('widgets', newWidget('a'));
        await env.clock.settle();
        assert.equal(changes.at(-1), 'added a uid-4');
      },
    ));

  it('G7 takes no list older than a repair, and compares with none older than the cache', () =>
    lagging(
      ({ server }) => server.remove('widgets', 'default', 'a'),
      async ({ env, server, informer, changes }) => {
        assert.deepEqual(changes, ['deleted a uid-1 unknown']);
        // A server that lags behind the repair has the object still.
        server.revision = 12;
        server.put('widgets', { metadata: { name: 'a', namespace: 'default', uid: 'uid-1' } });
        server.swallow = () => true;
        server.endWatches(newExpired('too old'));
        await env.clock.advance(40_000);
        assert.equal(informer.lister.get('default', 'a'), undefined);
        assert.deepEqual(changes, ['deleted a uid-1 unknown']);
      },
    ));
});

describe('Registration', () => {
  it('42 has synced when each object has been told of once, even if without success, and however busy the handler is', async () => {
    const setup = setUp();
    const { env, server, informer } = setup;
    for (const name of ['a', 'b', 'c']) server.put('widgets', newWidget(name));
    const told: string[] = [];
    await running(setup, async () => {
      await env.clock.settle();
      const registration = informer.addHandler(async (change) => {
        await env.clock.sleep(1_000);
        told.push(change.object.metadata?.name ?? '');
        if (change.object.metadata?.name === 'a') throw new Error('poison');
      });
      let synced = false;
      const waiting = registration.waitForSync(new AbortController().signal).then(() => (synced = true));
      for (let size = 2; size < 6; size++) {
        await env.clock.advance(500);
        // Never idle.
        server.put('widgets', newWidget('b', { size }));
        server.put('widgets', newWidget(`extra-${size}`));
      }
      assert.equal(registration.hasSynced(), false);
      await env.clock.advance(2_000);
      assert.equal(registration.hasSynced(), true);
      await waiting;
      assert.ok(synced && ['a', 'b', 'c'].every((name) => told.includes(name)), told.join());
    });
  });

  it('45 46 lets a handler that throws or is slow hold up no other, and goes on with the next event', async () => {
    const setup = setUp();
    const { env, server, informer, changes, note } = setup;
    const heard: string[] = [];
    informer.addHandler((change) => {
      if (change.object.metadata?.name === 'a') throw new Error('no');
      heard.push(change.object.metadata?.name ?? '');
    });
    informer.addHandler(() => new Promise(() => {}));
    informer.addHandler(note);
    server.put('widgets', newWidget('a'));
    server.put('widgets', newWidget('b'));
    const stop = new AbortController();
    const run = informer.run({ signal: stop.signal });
    await env.clock.advance(2_000);
    assert.deepEqual(heard, ['b']);
    assert.equal(changes.length, 2);
    stop.abort();
    void run; // the handler that never answers has it wait for ever, as it says
  });
});
