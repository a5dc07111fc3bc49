import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toKey } from '@homeostat/client';
import { controllerFor } from '../controller/controller-builder.ts';
import type { ControllerDefinition, PlanController } from '../controller/controller-definition.ts';
import { emptyPlan } from '../controller/plan.ts';
import { createOrUpdate } from '../objects/create-or-update.ts';
import { newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { type OperatorFixture, startOperator } from '../testing/operator-fixture.ts';
import { ChangeLog } from './change-log.ts';
import type { Difference } from './difference.ts';
import type { OperatorShadow } from '../operator/create-operator.ts';

const w = toKey('default', 'w');

/** Gives each widget a part of its size, by creates and merge patches. */
const plans = (sizeOf: (widget: Widget) => number = ({ spec }) => spec?.size ?? 0): ControllerDefinition => {
  const definition: PlanController<{ widget: Widget; part: Widget | undefined }> = {
    name: 'sizes',
    for: { resource: widgets },
    watches: [{ resource: parts }],
    observe(key, caches) {
      const widget = caches.lister(widgets).getByKey(key);
      return widget === undefined ? undefined : { widget, part: caches.lister(parts).getByKey(key) };
    },
    diff({ widget, part }) {
      const { name = '' } = widget.metadata ?? {};
      const spec = { size: sizeOf(widget) };
      const target = { resource: parts, namespace: 'default', reason: 'Differs', facts: {} } as const;
      const object = { metadata: { name, namespace: 'default' }, spec };
      if (part === undefined) return { steps: [{ actions: [{ ...target, verb: 'create', object }] }] };
      if (part.spec?.size === spec.size) return emptyPlan;
      return { steps: [{ actions: [{ ...target, verb: 'patch', patchType: 'merge', name, patch: { spec } }] }] };
    },
  };
  return definition as ControllerDefinition;
};

/** The same as a plain reconcile that replaces whole objects. */
const replaces = (client?: { readonly record: (what: string) => void }): ControllerDefinition =>
  controllerFor('sizes', widgets)
    .owns(parts)
    .reconcile(async ({ key, caches, client: api }) => {
      const widget = caches.lister(widgets).getByKey(key);
      if (widget === undefined) return;
      client?.record(`${key}: ${caches.lister(parts).getByKey(key)?.spec?.size ?? 'none'}`);
      await createOrUpdate(api, {
        resource: parts,
        namespace: 'default',
        name: widget.metadata?.name ?? '',
        lister: caches.lister(parts),
        mutate: (part) => ({ ...part, spec: { size: widget.spec?.size ?? 0 } }),
      });
    });

async function start(
  first: ControllerDefinition,
  shadow: OperatorShadow,
): Promise<OperatorFixture & { readonly differences: Difference[] }> {
  const differences: Difference[] = [];
  const fixture = await startOperator({
    controllers: [first],
    shadows: { sizes: { ...shadow, onDifference: (difference) => differences.push(difference) } },
  });
  return { ...fixture, differences };
}

const writes = ({ server }: OperatorFixture): number => server.requests.filter(({ method }) => method !== 'GET').length;

describe('a shadow', () => {
  it('sees no difference where other writes lead to the same objects, and writes nothing', async () => {
    const fixture = await start(plans(), { definition: replaces() });
    const { env, server, operator, differences, stop } = fixture;
    server.put('widgets', newWidget('w', { size: 3 }));
    await env.clock.settle();
    server.put('widgets', newWidget('w', { size: 4 }));
    await env.clock.settle();
    assert.deepEqual(differences, []);
    assert.equal(writes(fixture), 2);
    const [picture] = operator.shadows.map((shadow) => shadow.picture());
    assert.deepEqual(picture?.runs, { same: 2, different: 0, skipped: 0, dropped: 0 });
    assert.equal(picture.waiting, 0);
    await stop();
  });

  it('reads caches as the first version saw them, though they have moved on since', async () => {
    const seen: string[] = [];
    const fixture = await start(plans(), { definition: replaces({ record: (what) => seen.push(what) }) });
    const { env, server, stop } = fixture;
    server.put('widgets', newWidget('w', { size: 3 }));
    await env.clock.settle();
    assert.equal((server.get('parts', 'default', 'w') as Widget).spec?.size, 3);
    assert.deepEqual(seen, ['default/w: none']);
    await stop();
  });

  it('tells field by field where it would write otherwise, and adds it up', async () => {
    const fixture = await start(plans(), { definition: plans(({ spec }) => (spec?.size ?? 0) * 2) });
    const { env, server, operator, differences, warnings, stop } = fixture;
    for (const name of ['w', 'x', 'y']) server.put('widgets', newWidget(name, { size: 3 }));
    await env.clock.settle();
    assert.deepEqual(
      differences.map(({ kind, key, resource, object, fields }) => [kind, key, resource, object, fields]),
      ['w', 'x', 'y'].map((name) => [
        'different',
        toKey('default', name),
        'parts.example.com',
        toKey('default', name),
        [{ path: 'spec.size', from: 3, to: 6 }],
      ]),
    );
    const [picture] = operator.shadows.map((shadow) => shadow.picture());
    assert.deepEqual(
      picture?.differences.map(({ kind, field, count }) => [kind, field, count]),
      [['different', 'spec.size', 3]],
    );
    assert.equal(warnings.length, 1);
    assert.equal((server.get('parts', 'default', 'w') as Widget).spec?.size, 3);
    await stop();
  });

  it('tells writes that only one version makes, and failures', async () => {
    const idle = controllerFor('sizes', widgets).reconcile(() => Promise.resolve());
    const fails = controllerFor('sizes', widgets).reconcile(() => Promise.reject(new Error('not yet')));
    const cases = [
      [plans(), idle, 'only-first'],
      [idle, plans(), 'only-second'],
      [idle, fails, 'fails'],
    ] as const;
    for (const [first, second, kind] of cases) {
      const { env, server, differences, stop } = await start(first, { definition: second });
      server.put('widgets', newWidget('w', { size: 3 }));
      await env.clock.settle();
      assert.equal(differences[0]?.kind, kind);
      await stop();
    }
  });

  it('never slows nor fails the first version: runs it can not keep up with are dropped and counted', async () => {
    let begun = 0;
    const stuck = controllerFor('sizes', widgets).reconcile(({ signal }) => {
      begun++;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
      );
    });
    const fixture = await start(plans(), { definition: stuck, queueMax: 4 });
    const { env, server, operator, stop } = fixture;
    for (let i = 0; i < 20; i++) server.put('widgets', newWidget(`w${i}`, { size: 3 }));
    await env.clock.settle();
    assert.equal(server.list('parts').length, 20);
    assert.equal(begun, 1);
    const [picture] = operator.shadows.map((shadow) => shadow.picture());
    assert.equal(picture?.waiting, 4);
    assert.equal(picture.runs.dropped, 16);
    await stop();
  });

  it('gives live reads of the first version to the second as they were', async () => {
    const counts = (): ControllerDefinition =>
      controllerFor('sizes', widgets).reconcile(async ({ client }) => {
        const current = await client.get(parts, { namespace: 'default', name: 'total' });
        const size = (current.spec?.size ?? 0) + 1;
        await client.update(parts, { object: { ...current, spec: { size } } });
      });
    const { env, server, differences, operator, stop } = await start(counts(), { definition: counts() });
    server.put('parts', newWidget('total', { size: 0 }));
    server.put('widgets', newWidget('w'));
    await env.clock.settle();
    assert.equal((server.get('parts', 'default', 'total') as Widget).spec?.size, 1);
    assert.deepEqual(differences, []);
    assert.equal(operator.shadows[0]?.picture().runs.same, 1);
    await stop();
  });

  it('leaves out fields that do not matter, and times that are near', async () => {
    const stamps = (extra: object, offsetMs: number): ControllerDefinition =>
      controllerFor('sizes', widgets).reconcile(async ({ client, env }) => {
        const at = new Date(env.clock.nowMs() + offsetMs).toISOString();
        const object = { metadata: { name: 'stamp', namespace: 'default' }, spec: { at, ...extra } } as Widget;
        await client.create(parts, { object });
      });
    for (const [offsetMs, expected] of [
      [1_000, 0],
      [120_000, 1],
    ] as const) {
      const second = {
        definition: stamps({ noise: offsetMs }, offsetMs),
        ignore: (path: string) => path === 'spec.noise',
      };
      const { env, server, differences, stop } = await start(stamps({}, 0), second);
      server.put('widgets', newWidget('w'));
      await env.clock.settle();
      assert.equal(differences.length, expected);
      await stop();
    }
  });

  it('is refused for a controller that is not there, or of another resource', async () => {
    const of = (resource: typeof widgets): ControllerDefinition =>
      controllerFor('sizes', resource).reconcile(() => Promise.resolve());
    await assert.rejects(
      startOperator({ controllers: [], shadows: { sizes: { definition: of(widgets) } } }),
      /no controller sizes/,
    );
    await assert.rejects(start(of(widgets), { definition: of(parts) }), /must reconcile widgets/);
  });
});

describe('a change log', () => {
  it('keeps nothing while nobody looks back, and says when it has forgotten too much', () => {
    const log = new ChangeLog(4);
    const change = (size: number): Parameters<ChangeLog['add']>[0] => ({
      type: 'updated',
      old: newWidget('w', { size }),
      object: newWidget('w', { size: size + 1 }),
    });
    log.add(change(1));
    assert.equal(log.size, 0);
    const moment = log.mark();
    log.add(change(2));
    log.add(change(3));
    const later = log.mark();
    assert.equal((moment.changed()?.get(w) as Widget).spec?.size, 2);
    assert.equal(later.changed()?.size, 0);
    log.add(change(4));
    assert.equal((later.changed()?.get(w) as Widget).spec?.size, 4);
    for (let i = 0; i < 20; i++) log.add(change(i));
    assert.ok(log.size < 8);
    assert.equal(moment.changed(), undefined);
    moment.release();
    later.release();
    assert.equal(log.size, 0);
  });
});
