import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { controllerFor } from '../controller/controller-builder.ts';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import { newWidget, type Widget, widgets } from '../testing/fake-server.ts';
import { startOperator } from '../testing/operator-fixture.ts';
import { planOperator } from './plan-operator.ts';

describe('planOperator()', () => {
  const resizes = (size: number): ControllerDefinition =>
    controllerFor('resizes', widgets).reconcile(async ({ key, caches, client }) => {
      const widget = caches.lister(widgets).getByKey(key);
      if (size < 0) throw new Error('no negative sizes');
      if (widget === undefined || widget.spec?.size === size) return;
      await client.update(widgets, { object: { ...widget, spec: { size } } as Widget });
    });

  it('prints what would be written, and gives the exit code for it', async () => {
    for (const [size, code, text] of [
      [1, 0, /^Nothing to change in 1 keys\.\n$/],
      [
        2,
        2,
        /~ update widgets\.example\.com default\/w\n {6}spec\.size: 1 → 2\n0 to create, 1 to change, 0 to delete\.\n$/,
      ],
      [-1, 1, /! would fail: no negative sizes\n/],
    ] as const) {
      const { env, operator, stop } = await startOperator({
        controllers: [resizes(size)],
        run: false,
        prepare: (fake) => fake.put('widgets', newWidget('w', { size: 1 })),
      });
      let printed = '';
      const write = (part: string): void => void (printed += part);
      assert.equal(await env.clock.run(planOperator(operator, { write })), code);
      assert.match(printed, text);
      printed = '';
      await env.clock.run(planOperator(operator, { write, format: 'json' }));
      const { counts } = JSON.parse(printed) as { readonly counts: { readonly changed: number } };
      assert.equal(counts.changed, size === 2 ? 1 : 0);
      await stop();
    }
  });
});
