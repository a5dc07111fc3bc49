// A controller whose informers follow a set of namespaces that changes while it works.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createVirtualEnv, Scope } from '@homeostat/base';
import { keyOf, TransportError } from '@homeostat/client';
import { InformerFactory } from '../informer/informer-factory.ts';
import { NamespaceSet, UnknownNamespaceError } from '../informer/namespace-set.ts';
import { FakeServer, newWidget, parts, widgets } from '../testing/fake-server.ts';
import { createController } from './controller.ts';

it('works on the keys of its namespaces alone, and goes on when they change', async () => {
  const env = createVirtualEnv();
  const server = new FakeServer(env);
  const client = server.client();
  const namespaces = new NamespaceSet(['x']);
  const informers = new InformerFactory({ client, env, namespaces, repairPeriodMs: 0 });
  const runs: string[] = [];
  const failures: unknown[] = [];
  const controller = createController(
    {
      name: 'namespaced',
      for: { resource: widgets },
      watches: [{ resource: parts }],
      async reconcile({ key, caches, client: fenced }) {
        const widget = caches.lister(widgets).getByKey(key);
        runs.push(`${key}${widget === undefined ? ' gone' : ''}`);
        // A write into a namespace that nobody here follows must not hold the key up for ever.
        if (widget?.metadata?.name === 'far' && widget.spec?.size === 1) {
          await fenced.delete(parts, { namespace: 'z', name: 'part', preconditions: { uid: 'uid-part' } });
        }
        if (widget?.metadata?.name === 'lost') caches.lister(widgets).get('z', 'any');
      },
    },
    { client, env, informers, onRun: ({ error }) => void (error === undefined ? undefined : failures.push(error)) },
  );
  server.put('parts', { metadata: { name: 'part', namespace: 'z', uid: 'uid-part' } });
  const put = (namespace: string, name: string): string => keyOf(server.put('widgets', newWidget(name, { namespace })));
  put('x', 'a');
  put('y', 'b');
  const scope = new Scope();
  scope.spawn('informers', (signal) => informers.run({ signal }));
  scope.spawn('controller', (signal) => controller.run({ signal }));
  await env.clock.settle();
  assert.deepEqual(runs, ['x/a']);
  namespaces.replace(['x', 'y']);
  await env.clock.settle();
  assert.deepEqual(runs, ['x/a', 'y/b']);
  namespaces.replace(['y']);
  await env.clock.advance(1_000);
  controller.wake('x/a');
  await env.clock.advance(60_000);
  assert.deepEqual(runs, ['x/a', 'y/b'], 'x is another’s business now');
  put('y', 'far');
  await env.clock.advance(60_000);
  server.put('widgets', newWidget('far', { namespace: 'y', size: 2 }));
  await env.clock.advance(60_000);
  assert.deepEqual(runs.slice(2), ['y/far', 'y/far']);
  put('y', 'lost');
  await env.clock.advance(2_000);
  assert.ok(failures.length > 0 && failures.every((error) => error instanceof UnknownNamespaceError));
  await env.clock.run(scope.close());
});

it('reads live in each of its namespaces, and in no other: it may have no right to', async () => {
  const env = createVirtualEnv();
  const server = new FakeServer(env);
  const client = server.client();
  const informers = new InformerFactory({ client, env, namespaces: new NamespaceSet(['x', 'y']), repairPeriodMs: 0 });
  const seen: number[] = [];
  const controller = createController(
    {
      name: 'namespaced',
      for: { resource: widgets },
      watches: [{ resource: parts }],
      async reconcile({ caches, client: fenced }) {
        seen.push(caches.lister(parts).list().length);
        if (seen.length > 1) return;
        for (const namespace of ['x', 'y']) {
          await fenced.create(parts, { object: { metadata: { name: 'new', namespace } } }).catch(() => {});
        }
      },
    },
    { client, env, informers },
  );
  // The server acts, the answer is lost, and the watch is late.
  server.swallow = ({ object }) => object.metadata?.name === 'new';
  server.fault = (request) => {
    if (request.method !== 'POST' || request.resource !== 'parts') return;
    server.put('parts', { metadata: { name: 'new', namespace: request.namespace ?? '' } });
    throw new TransportError('reset', 'the connection was reset');
  };
  server.put('parts', { metadata: { name: 'other', namespace: 'z' } });
  server.put('widgets', newWidget('a', { namespace: 'x' }));
  const scope = new Scope();
  scope.spawn('informers', (signal) => informers.run({ signal }));
  scope.spawn('controller', (signal) => controller.run({ signal }));
  await env.clock.settle();
  controller.wake('x/a');
  await env.clock.settle();
  assert.deepEqual(seen, [0, 2]);
  const listed = server.requests.filter(
    ({ method, resource, watch }) => method === 'GET' && resource === 'parts' && !watch,
  );
  assert.deepEqual(
    listed.map(({ namespace }) => namespace),
    ['x', 'y'],
  );
  await env.clock.run(scope.close());
});

it('waits for its own writes where it wrote, not for namespaces in which nothing happens', async () => {
  const env = createVirtualEnv();
  const server = new FakeServer(env);
  const client = server.client();
  const informers = new InformerFactory({ client, env, namespaces: new NamespaceSet(['x', 'y']), repairPeriodMs: 0 });
  const runs: number[] = [];
  const controller = createController(
    {
      name: 'namespaced',
      for: { resource: widgets },
      watches: [{ resource: parts }],
      async reconcile({ key, caches, client: fenced }) {
        runs.push(env.clock.monotonicMs());
        const name = `${key.replace('/', '-')}-part`;
        if (caches.lister(parts).get('x', name) === undefined)
          await fenced.create(parts, { object: { metadata: { name, namespace: 'x' } } });
        return runs.length < 5 ? { requeueAfterMs: 100 } : undefined;
      },
    },
    { client, env, informers },
  );
  server.put('widgets', newWidget('a', { namespace: 'x' }));
  const scope = new Scope();
  scope.spawn('informers', (signal) => informers.run({ signal }));
  scope.spawn('controller', (signal) => controller.run({ signal }));
  await env.clock.advance(1_000);
  assert.deepEqual(runs, [0, 100, 200, 300, 400]);
  assert.equal(server.requests.filter(({ method }) => method === 'POST').length, 1);
  await env.clock.run(scope.close());
});
