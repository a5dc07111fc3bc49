// Watches that come and go: resources that are not served yet (C8), and watches added and dropped while a controller runs.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@homeostat/base';
import { startController } from '../testing/controller-fixture.ts';
import { type FakeServer, newWidget, parts, widgets } from '../testing/fake-server.ts';
import type { ReconcileController } from './controller-definition.ts';

const lacks = (fake: FakeServer, missing: string): void => {
  fake.fault = ({ resource }) => {
    if (resource !== missing) return;
    throw new ApiError({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' });
  };
};

const wakePart = { resource: parts, wakes: () => ['part'] };

describe('C8 a resource that is not served', () => {
  it('is waited for, said so by the health check, and picked up when it comes', async () => {
    const definition: ReconcileController = { name: 'late', for: { resource: parts }, reconcile: async () => {} };
    const { env, server, controller, reconciles, stop } = await startController(definition, {
      prepare: (fake) => lacks(fake, 'parts'),
    });
    await env.clock.advance(600_000);
    assert.equal(controller.hasSynced(), false);
    assert.equal(controller.check(), 'controller late waits for parts.v1.example.com (not served by the API server)');
    server.fault = () => {};
    server.put('parts', newWidget('p'));
    await env.clock.advance(10_000);
    assert.deepEqual(reconciles, ['default/p']);
    assert.equal(controller.check(), undefined);
    await stop();
  });

  it('does not hold the controller up where it is optional', async () => {
    const seen: number[] = [];
    const { env, server, controller, stop } = await startController(
      {
        name: 'optional',
        for: { resource: widgets },
        watches: [{ ...wakePart, optional: true }],
        reconcile: async ({ caches }) => void seen.push(caches.lister(parts).list().length),
      },
      {
        prepare: (fake) => {
          lacks(fake, 'parts');
          fake.put('widgets', newWidget('w'));
        },
      },
    );
    await env.clock.advance(60_000);
    assert.deepEqual(seen, [0]);
    assert.equal(controller.check(), undefined);
    assert.deepEqual(controller.status().missing, ['parts.v1.example.com (not served by the API server)']);
    server.fault = () => {};
    server.put('parts', newWidget('p'));
    await env.clock.advance(10_000);
    assert.deepEqual(seen, [0, 1]);
    assert.deepEqual(controller.status().missing, []);
    await stop();
  });
});

describe('Controller.watch()', () => {
  it('watches one more resource, until it is told not to', async () => {
    const { env, server, controller, reconciles, stop } = await startController({
      name: 'more',
      for: { resource: widgets },
      reconcile: async ({ caches, key }) => void (key === 'part' && caches.lister(parts).list()),
    });
    server.put('parts', newWidget('early'));
    await env.clock.settle();
    assert.deepEqual(reconciles, []);
    const drop = controller.watch(wakePart);
    assert.throws(() => controller.watch(wakePart), /declares parts.v1.example.com twice/);
    await env.clock.advance(1_000);
    assert.deepEqual(reconciles, ['part'], 'of what was there');
    server.put('parts', newWidget('late'));
    await env.clock.settle();
    assert.deepEqual(reconciles, ['part', 'part']);
    await drop();
    server.put('parts', newWidget('later'));
    await env.clock.advance(1_000);
    assert.equal(reconciles.length, 2);
    assert.equal(controller.check(), undefined);
    await controller.watch(wakePart)();
    await stop();
    assert.throws(() => controller.watch(wakePart), /has stopped/);
  });
});

describe('Controller.cancel()', () => {
  it('takes a key out that waits for a later run, also one that waits for its own writes', async () => {
    const { env, server, controller, reconciles, stop } = await startController({
      name: 'cancelled',
      for: { resource: widgets },
      ownWrites: 'wake',
      reconcile: async ({ client }) => {
        await client.patch(widgets, { namespace: 'default', name: 'w', type: 'merge', patch: { spec: { size: 2 } } });
        return { requeueAfterMs: 1_000 };
      },
    });
    server.put('widgets', newWidget('w'));
    server.swallow = () => true;
    await env.clock.advance(500);
    assert.equal(controller.cancel('default/w'), true);
    assert.equal(controller.cancel('default/w'), false);
    await env.clock.advance(60_000);
    assert.deepEqual(reconciles, ['default/w']);
    await stop();
  });
});
