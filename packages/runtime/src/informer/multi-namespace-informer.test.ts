// Informers of several namespaces, and sets of namespaces that change while they run. Against the fake server, in virtual time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiError, createVirtualEnv } from '@homeostat/base';
import { EventContract } from '../testing/event-contract.ts';
import { FakeServer, newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { byField } from '../store/indexes.ts';
import { InformerFactory } from './informer-factory.ts';
import { MultiNamespaceInformer } from './multi-namespace-informer.ts';
import { NamespaceSet, UnknownNamespaceError } from './namespace-set.ts';

function setUp(namespaces: readonly string[]) {
  const env = createVirtualEnv();
  const server = new FakeServer(env);
  const set = new NamespaceSet(namespaces);
  const factory = new InformerFactory({
    client: server.client(),
    env,
    namespaces: set,
    repairPeriodMs: 0,
    freeze: true,
  });
  const informer = factory.informer(widgets);
  const stop = new AbortController();
  const put = (namespace: string, name: string, size = 1): void =>
    void server.put('widgets', newWidget(name, { namespace, size }));
  const run = async (test: () => Promise<void>): Promise<void> => {
    const running = factory.run({ signal: stop.signal });
    try {
      await env.clock.settle();
      await test();
    } finally {
      stop.abort();
      await env.clock.run(running);
      assert.equal(server.watches.size, 0);
    }
  };
  return { env, server, set, factory, informer, put, run };
}

const keys = (objects: readonly Widget[]): string[] =>
  objects.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`).toSorted();

describe('MultiNamespaceInformer', () => {
  it('shows its namespaces as one, and makes reads outside of them errors', async () => {
    const { informer, put, run, server } = setUp(['x', 'y']);
    put('x', 'a');
    put('y', 'a');
    put('z', 'a');
    informer.addIndexes([byField('spec.size')]);
    await run(async () => {
      assert.equal(informer.state, 'synced');
      assert.deepEqual(keys(informer.lister.list()), ['x/a', 'y/a']);
      assert.deepEqual(keys(informer.lister.list('x')), ['x/a']);
      assert.deepEqual(keys(informer.lister.byIndex('field:spec.size', '1')), ['x/a', 'y/a']);
      assert.equal(informer.lister.size, 2);
      assert.equal(informer.lister.get('x', 'nobody'), undefined);
      assert.throws(
        () => informer.lister.get('z', 'a'),
        (error) =>
          error instanceof UnknownNamespaceError &&
          error.namespace === 'z' &&
          error.message === 'unable to get: z/a because of unknown namespace for the cache',
      );
      assert.throws(() => informer.lister.getByKey('z/a'), UnknownNamespaceError);
      assert.throws(() => informer.lister.list('z'), UnknownNamespaceError);
      assert.deepEqual(keys(informer.list({ limit: 1 }).items), ['x/a']);
      assert.equal(server.requests.filter(({ watch }) => watch).length, 2);
      assert.equal(informer.versionFor('z'), '');
      assert.equal(informer.versionFor('x'), informer.resourceVersion);
    });
  });

  it('follows the set: what comes is added, what leaves is told as out of scope and can not be read', async () => {
    const { env, server, set, informer, put, run } = setUp(['x']);
    const changes: string[] = [];
    informer.addHandler((change) => {
      const { namespace, name } = change.object.metadata ?? {};
      const out = change.type === 'deleted' && change.outOfScope === true ? ' out of scope' : '';
      changes.push(`${change.type} ${namespace}/${name}${out}`);
      if (out !== '') assert.throws(() => informer.lister.get(namespace, name ?? ''), UnknownNamespaceError);
    });
    put('x', 'a');
    put('y', 'b');
    await run(async () => {
      set.replace(['x', 'y']);
      await env.clock.settle();
      put('y', 'c');
      await env.clock.settle();
      assert.deepEqual(changes, ['added x/a', 'added y/b', 'added y/c']);
      set.replace(['y']);
      await env.clock.settle();
      put('x', 'd');
      await env.clock.settle();
      assert.deepEqual(changes.slice(3), ['deleted x/a out of scope']);
      assert.equal(server.watches.size, 1);
      set.replace(['x', 'y']);
      await env.clock.settle();
      assert.deepEqual(changes.slice(4).toSorted(), ['added x/a', 'added x/d']);
      assert.equal(informer.hasSynced, true);
    });
  });

  it('can not read a namespace before all of it is cached', async () => {
    const { env, server, set, informer, put, run } = setUp(['x']);
    put('x', 'a');
    put('y', 'b');
    await run(async () => {
      server.fault = ({ namespace }) => {
        if (namespace === 'y') throw new ApiError({ code: 403, reason: 'Forbidden', message: 'not yours' });
      };
      set.replace(['x', 'y']);
      await env.clock.advance(10_000);
      assert.throws(() => informer.lister.get('y', 'b'), UnknownNamespaceError);
      assert.equal(informer.state, 'syncing');
      assert.equal(informer.resourceVersion, '');
      assert.ok(informer.lastError?.error instanceof ApiError);
      server.fault = () => {};
      await env.clock.advance(31_000);
      assert.equal(informer.lister.get('y', 'b')?.metadata?.name, 'b');
      assert.equal(informer.state, 'synced');
      assert.equal(informer.lastError, undefined);
    });
  });

  it('catches late handlers up, calls a handler once at a time, and lets it go', async () => {
    const { env, informer, put, run } = setUp(['x', 'y']);
    put('x', 'a');
    put('y', 'b');
    await run(async () => {
      const contract = new EventContract<Widget>();
      const registration = informer.addHandler(
        contract.wrap(() => env.clock.sleep(1_000)),
        { resyncPeriodMs: 60_000 },
      );
      assert.equal(registration.hasSynced(), false);
      await env.clock.advance(1_500);
      assert.equal(registration.hasSynced(), false);
      await env.clock.advance(1_000);
      assert.equal(registration.hasSynced(), true);
      await registration.waitForSync(new AbortController().signal);
      await env.clock.advance(65_000);
      assert.equal(contract.changes, 4, 'two additions, two resyncs');
      assert.deepEqual(contract.problems, []);
      await env.clock.run(registration.remove());
      put('x', 'c');
      await env.clock.settle();
      assert.equal(contract.changes, 4);
    });
  });

  it('takes no resource without namespaces', () => {
    const { server: _server, set, env } = setUp([]);
    const createInformer = (): never => assert.fail();
    const resource = { ...widgets, namespaced: false };
    assert.throws(
      () => new MultiNamespaceInformer({ resource, env, namespaces: set, createInformer }),
      /has no namespaces/,
    );
  });

  it('keeps the event contract while the set changes at random', async () => {
    const names = ['x', 'y', 'z'];
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), set: fc.subarray(names) }),
      fc.record({ do: fc.constant('put' as const), at: fc.nat(2), name: fc.constantFrom('a', 'b') }),
      fc.record({ do: fc.constant('remove' as const), at: fc.nat(2), name: fc.constantFrom('a', 'b') }),
      fc.record({ do: fc.constant('handler' as const) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 5_000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { env, server, set, informer, put, run } = setUp(['x']);
        const contracts: EventContract<Widget>[] = [];
        const listen = (): void => {
          const contract = new EventContract<Widget>();
          const slow = contracts.length % 2 === 1;
          contracts.push(contract);
          informer.addHandler(contract.wrap(slow ? () => env.clock.sleep(50) : undefined));
        };
        listen();
        await run(async () => {
          for (const next of steps) {
            if (next.do === 'set') set.replace(next.set);
            else if (next.do === 'put') put(names[next.at] ?? '', next.name);
            else if (next.do === 'remove') server.remove('widgets', names[next.at] ?? '', next.name);
            else if (next.do === 'handler') listen();
            else await env.clock.advance(next.ms);
          }
          await env.clock.advance(60_000);
          const expected = server.list('widgets').filter(({ metadata }) => set.has(metadata?.namespace ?? ''));
          for (const contract of contracts) {
            assert.deepEqual(contract.problems, []);
            assert.deepEqual(contract.differences(expected), []);
          }
          assert.equal(informer.lister.size, expected.length);
        });
      }),
      { numRuns: 100 },
    );
  });
});

describe('InformerFactory.remove()', () => {
  it('J5 ends an informer and its watch; asking again makes a new one', async () => {
    const env = createVirtualEnv();
    const server = new FakeServer(env);
    const factory = new InformerFactory({ client: server.client(), env });
    const stop = new AbortController();
    const running = factory.run({ signal: stop.signal });
    const first = factory.informer(widgets);
    factory.informer(parts);
    await env.clock.settle();
    assert.equal(server.watches.size, 2);
    for (let i = 0; i < 20; i++) {
      await env.clock.run(factory.remove(widgets));
      assert.equal(server.watches.size, 1);
      factory.informer(widgets);
      await env.clock.settle();
      assert.equal(server.watches.size, 2);
    }
    assert.equal(first.state, 'stopped');
    assert.notEqual(factory.informer(widgets), first);
    await env.clock.run(factory.remove(widgets, { metadataOnly: true }));
    stop.abort();
    await env.clock.run(running);
    assert.equal(server.watches.size, 0);
  });
});
