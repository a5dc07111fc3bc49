import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toKey } from '@homeostat/client';
import { controllerFor } from '../controller/controller-builder.ts';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { Plan } from '../controller/plan.ts';
import { createOrUpdate } from '../objects/create-or-update.ts';
import { patchStatus } from '../objects/status-patch.ts';
import { newWidget, parts, type Widget, widgets } from '../testing/fake-server.ts';
import { startOperator } from '../testing/operator-fixture.ts';

const w = toKey('default', 'w');

/** Keeps a part beside each widget, and says in its status how many there are. */
const assembler = (): ControllerDefinition =>
  controllerFor('assembler', widgets)
    .owns(parts)
    .reconcile(async ({ key, caches, client }) => {
      const widget = caches.lister(widgets).getByKey(key);
      if (widget === undefined) return;
      const { namespace = '', name = '' } = widget.metadata ?? {};
      await createOrUpdate(client, {
        resource: parts,
        namespace,
        name,
        lister: caches.lister(parts),
        mutate: (part) => ({ ...part, spec: { size: widget.spec?.size ?? 0 } }),
      });
      const ready = caches.lister(parts).list(namespace).length;
      await patchStatus(client, { resource: widgets, object: widget, status: { ready } });
    });

const written = (methods: readonly { readonly method: string }[]): readonly string[] =>
  methods.map(({ method }) => method).filter((method) => method !== 'GET');

describe('a rehearsal', () => {
  it('tells the writes of a plain reconcile, which sees them in its caches, and makes none', async () => {
    const { env, server, operator, stop } = await startOperator({
      controllers: [assembler()],
      run: false,
      prepare: (fake) => fake.put('widgets', newWidget('w', { size: 3 })),
    });
    const plan = await env.clock.run(operator.rehearse());
    assert.deepEqual(written(server.requests), []);
    const [rehearsal] = plan.rehearsals;
    assert.deepEqual(
      rehearsal?.writes.map(({ verb, resource, subresource, changes }) => [verb, resource, subresource, changes]),
      [
        ['create', 'parts.example.com', undefined, [{ path: 'spec.size', to: 3 }]],
        ['patch', 'widgets.example.com', 'status', [{ path: 'status.ready', to: 1 }]],
      ],
    );
    assert.equal(plan.isEmpty, false);
    assert.equal(
      plan.toText(),
      [
        'assembler default/w',
        '  + create parts.example.com default/w',
        '      spec.size: 3',
        '  ~ patch the status of widgets.example.com default/w',
        '      status.ready: 1',
        '1 to create, 1 to change, 0 to delete.',
        '',
      ].join('\n'),
    );
    assert.doesNotMatch(JSON.stringify(plan), /resourceVersion/);
    await stop();
  });

  it('is empty where all is as desired, and leaves a running operator alone', async () => {
    const { env, server, operator, stop } = await startOperator({ controllers: [assembler()] });
    server.put('widgets', newWidget('w', { size: 3 }));
    await env.clock.settle();
    const before = written(server.requests).length;
    const plan = await env.clock.run(operator.rehearse());
    assert.equal(plan.toText(), 'Nothing to change in 1 keys.\n');
    assert.equal(plan.isEmpty, true);
    assert.equal(written(server.requests).length, before);
    assert.equal(operator.controllers[0]?.status().running.length, 0);
    await stop();
  });

  it('tells reasons and facts of plans, events, failures, and whatever a second stage would do', async () => {
    const facts = { parts: 1 };
    const target = { resource: parts, namespace: 'default' } as const;
    const plan: Plan = {
      steps: [
        { actions: [{ ...target, verb: 'create', object: newWidget('a'), reason: 'Missing', facts }] },
        {
          actions: [
            {
              verb: 'event',
              regarding: { metadata: { name: 'w' } },
              event: { type: 'Normal', reason: 'Made', message: 'made a' },
              reason: 'Missing',
              facts,
            },
          ],
        },
      ],
      next: (outcomes) => ({
        steps: [
          {
            actions:
              outcomes[0]?.status === 'done'
                ? [
                    { ...target, verb: 'delete', name: 'a', reason: 'Surplus', facts: {} },
                    { ...target, verb: 'delete', name: 'b', reason: 'Surplus', facts: {} },
                  ]
                : [],
          },
        ],
      }),
    };
    const definition = controllerFor('planner', widgets).plan({
      observe: () => plan,
      diff: (observed: Plan) => observed,
    });
    const { env, operator, stop } = await startOperator({
      controllers: [definition as ControllerDefinition],
      run: false,
      prepare: (fake) => fake.put('widgets', newWidget('w')),
    });
    const result = await env.clock.run(operator.rehearse({ controller: 'planner', key: w }));
    const [rehearsal] = result.rehearsals;
    assert.deepEqual(
      rehearsal?.writes.map(({ verb, object, reason, error }) => [verb, object, reason, error !== undefined]),
      [
        ['create', 'default/a', 'Missing', false],
        ['delete', 'default/a', 'Surplus', false],
        ['delete', 'default/b', 'Surplus', true],
      ],
    );
    assert.deepEqual(rehearsal.events, [{ type: 'Normal', reason: 'Made', message: 'made a' }]);
    assert.equal(rehearsal.outcome, 'error');
    assert.match(rehearsal.error ?? '', /"b" not found/);
    assert.match(result.toText(), /\+ create parts\.example\.com default\/a \(Missing parts=1\)/);
    assert.equal(result.counts.failed, 1);
    await stop();
  });

  it('answers stale writes, missing objects and double creates as a server does', async () => {
    const errors: unknown[] = [];
    const clumsy = controllerFor('clumsy', widgets).reconcile(async ({ caches, client }) => {
      const widget = caches.lister(widgets).getByKey(w) as Widget;
      const tries = [
        client.create(widgets, { object: newWidget('w') }),
        client.update(widgets, { object: { ...widget, metadata: { ...widget.metadata, resourceVersion: '1' } } }),
        client.patch(widgets, { namespace: 'default', name: 'none', type: 'merge', patch: {} }),
        client.delete(widgets, { namespace: 'default', name: 'w', preconditions: { uid: 'other' } }),
        client.request({ method: 'POST', path: '/anything' }),
      ];
      for (const each of tries)
        await Promise.resolve(each).catch((error: { reason?: string; name: string }) =>
          errors.push(error.reason ?? error.name),
        );
    });
    const { env, operator, stop } = await startOperator({
      controllers: [clumsy],
      run: false,
      prepare: (fake) => fake.put('widgets', newWidget('w')),
    });
    await env.clock.run(operator.rehearse());
    assert.deepEqual(errors, ['AlreadyExists', 'Conflict', 'NotFound', 'Conflict', 'RehearsalError']);
    await stop();
  });

  it('shows pretended objects to live reads, and keeps what is deleted with finalizers', async () => {
    const seen: unknown[] = [];
    const reader = controllerFor('reader', widgets).reconcile(async ({ client }) => {
      await client.create(parts, {
        object: { ...newWidget('p'), metadata: { namespace: 'default', generateName: 'p-' } },
      });
      await client.patch(widgets, {
        namespace: 'default',
        name: 'w',
        type: 'merge',
        patch: { metadata: { finalizers: ['a/b'] } },
      });
      await client.delete(widgets, { namespace: 'default', name: 'w' });
      const { metadata } = await client.get(widgets, { namespace: 'default', name: 'w' });
      seen.push(metadata?.deletionTimestamp !== undefined, metadata?.finalizers);
      await client.patch(widgets, {
        namespace: 'default',
        name: 'w',
        type: 'json',
        patch: [{ op: 'remove', path: '/metadata/finalizers' }],
      });
      await assert.rejects(client.get(widgets, { namespace: 'default', name: 'w' }), { reason: 'NotFound' });
      seen.push(
        (await client.list(parts, { namespace: 'default' })).items.length,
        (await client.list(widgets)).items.length,
      );
    });
    const { env, operator, stop } = await startOperator({
      controllers: [reader],
      run: false,
      prepare: (fake) => fake.put('widgets', newWidget('w')),
    });
    const plan = await env.clock.run(operator.rehearse());
    assert.equal(plan.rehearsals[0]?.error, undefined);
    assert.deepEqual(seen, [true, ['a/b'], 1, 0]);
    await stop();
  });

  it('ends with its signal, and names caches that are not filled in time', async () => {
    const { env, server, operator, stop } = await startOperator({ controllers: [assembler()], run: false });
    await assert.rejects(operator.rehearse({ controller: 'nobody' }), /there is no controller nobody/);
    server.fault = () => {
      throw new Error('down');
    };
    await assert.rejects(
      env.clock.run(operator.rehearse({ syncTimeoutMs: 5_000 })),
      /caches were not filled within 5 s: .*widgets/,
    );
    await assert.rejects(
      env.clock.run(operator.rehearse({ signal: AbortSignal.abort(new Error('enough')) })),
      /enough/,
    );
    await stop();
  });
});
