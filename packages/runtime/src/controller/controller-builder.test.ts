// What a builder's sentence comes to: whom each watch wakes. Case ids: C11, O4.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keyOf, resourceType } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { startController } from '../testing/controller-fixture.ts';
import { newWidget, parts, widgets } from '../testing/fake-server.ts';
import { controllerFor } from './controller-builder.ts';
import { generationChanged } from './predicates.ts';

const others = resourceType({
  group: 'example.com',
  version: 'v1',
  resource: 'others',
  kind: 'Other',
  namespaced: true,
});

it('controllerFor() C11 O4 wakes the owner before and after, the keys a map names before and after, and nobody for what is read', async () => {
  const base = controllerFor('built', widgets, { predicate: generationChanged })
    .owns(parts)
    .watches(others, (object: KubeObject) =>
      Object.keys(object.metadata?.labels ?? {}).map((name) => `default/${name}`),
    );
  const plain = base.with({ concurrency: 2, startKeys: ['start'] }).reconcile(async () => {});
  assert.equal(plain.concurrency, 2);
  assert.equal(base.reads(resourceType({ ...others, resource: 'more' })).reconcile(async () => {}).watches?.length, 3);
  const { env, server, reconciles, stop } = await startController(plain);
  assert.deepEqual(reconciles.splice(0), ['start']);
  const [a, b] = [server.put('widgets', newWidget('a')), server.put('widgets', newWidget('b'))];
  await env.clock.settle();
  assert.deepEqual(reconciles.splice(0), ['default/a', 'default/b']);
  server.put('parts', newWidget('p', { owner: a }));
  await env.clock.settle();
  assert.deepEqual(reconciles.splice(0), ['default/a']);
  server.put('parts', newWidget('p', { owner: b }));
  await env.clock.settle();
  assert.deepEqual(reconciles.splice(0).toSorted(), ['default/a', 'default/b']);
  const other = (label: string): KubeObject => ({
    kind: 'Other',
    metadata: { name: 'o', namespace: 'default', labels: { [label]: '' } },
  });
  server.put('others', other('x'));
  await env.clock.settle();
  server.put('others', other('y'));
  await env.clock.settle();
  assert.deepEqual(reconciles.splice(0).toSorted(), ['default/x', 'default/x', 'default/y']);
  server.put('widgets', newWidget('a', { size: 5 }));
  await env.clock.settle();
  assert.deepEqual(reconciles, [], 'the generation is the same');
  await stop();
});

it('controllerFor() joins several watches of one resource, each with its own predicate', async () => {
  const built = controllerFor('joined', widgets, { predicate: () => false })
    .watches(widgets, () => ['all'])
    .owns(parts, { predicate: () => false })
    .watches(parts, (part) => [`seen/${part.metadata?.name}`])
    .reconcile(async () => {});
  assert.equal(built.watches?.length, 1);
  const { env, server, reconciles, stop } = await startController(built);
  const owner = server.put('widgets', newWidget('w'));
  await env.clock.settle();
  assert.deepEqual(reconciles.splice(0), ['default/w', 'all']);
  server.put('parts', newWidget('p', { owner }));
  await env.clock.settle();
  assert.deepEqual(reconciles.splice(0), ['default/w', 'seen/p']);
  server.put('parts', newWidget('p', { owner, size: 2 }));
  server.put('widgets', newWidget('w', { size: 2 }));
  await env.clock.settle();
  assert.deepEqual(reconciles.toSorted(), ['all', 'seen/p'], 'the predicates hold for their own part');
  await stop();
  const narrowed = controllerFor('narrowed', widgets).owns(parts, { select: { namespace: 'a' } });
  assert.throws(() => narrowed.reads(parts), /two watches of parts.v1.example.com want different caches of it/);
});

it('controllerFor() lets a map look in the caches for those who refer to an object, before and after', async () => {
  const byPart = { name: 'part', valuesOf: ({ metadata }: KubeObject) => [metadata?.labels?.['part'] ?? ''] };
  const built = controllerFor('referring', widgets, { indexes: [byPart], predicate: () => false })
    .watches(parts, (part, caches) =>
      caches
        .lister(widgets)
        .byIndex('part', part.metadata?.labels?.['id'] ?? '')
        .map(keyOf),
    )
    .reconcile(async () => {});
  const { env, server, reconciles, stop } = await startController(built);
  const labelled = (name: string, labels: Readonly<Record<string, string>>): KubeObject => {
    const widget = newWidget(name);
    return { ...widget, metadata: { ...widget.metadata, labels } };
  };
  server.put('widgets', labelled('a', { part: 'one' }));
  server.put('widgets', labelled('b', { part: 'two' }));
  await env.clock.settle();
  reconciles.splice(0);
  server.put('parts', labelled('p', { id: 'one' }));
  await env.clock.settle();
  assert.deepEqual(reconciles.splice(0), ['default/a']);
  server.put('parts', labelled('p', { id: 'two' }));
  await env.clock.settle();
  assert.deepEqual(reconciles.splice(0).toSorted(), ['default/a', 'default/b']);
  await stop();
});

it('controllerFor() makes plan controllers too', () => {
  const plan = { steps: [], requeueAfterMs: 5 };
  const built = controllerFor('planned', widgets).plan<string>({ observe: (key) => key, diff: () => plan });
  const caches = { lister: () => assert.fail('not asked') };
  assert.equal(built.observe('k', caches), 'k');
  assert.equal(built.diff('k', 0), plan);
});
