// Several schedulers, restarts, slow bindings and nominations from outside.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPrometheusMetrics } from '@homeostat/base/node';
import { createLeaderElector } from '@homeostat/runtime';
import type { Handle } from '@homeostat/client';
import { events, pods } from '@homeostat/client/resources';
import { type Component, schedulerComponent, schedulerUser } from '@homeostat/cluster';
import { createScheduler, defaultPlugins } from '@homeostat/scheduler';
import { conditionOf, container, namespace, type World, withWorld } from './fixture.ts';

const nominate = (world: World, name: string, nominatedNodeName: string): Promise<unknown> =>
  world.run(
    world.client.patch(pods, {
      namespace,
      name,
      subresource: 'status',
      type: 'merge',
      patch: { status: { nominatedNodeName } },
    }),
  );

describe('scheduler and nominations from outside', () => {
  it('takes a nominated node that fits, though others score higher', () =>
    withWorld(async (world) => {
      await world.createPod('p', { schedulingGates: [{ name: 'example.com/g' }] });
      for (const name of ['a', 'b', 'c']) await world.createNode(name);
      await world.createPod('heavy', {
        containers: [container({ cpu: '3' })],
        nodeSelector: { 'kubernetes.io/hostname': 'c' },
      });
      await world.bound('heavy');
      await nominate(world, 'p', 'c');
      await world.run(
        world.client.patch(pods, { namespace, name: 'p', type: 'merge', patch: { spec: { schedulingGates: null } } }),
      );
      assert.equal(await world.bound('p'), 'c');
    }));

  it('takes another node when the nominated one does not fit, and clears the nomination when none does', () =>
    withWorld(async (world) => {
      const gated = { schedulingGates: [{ name: 'example.com/g' }], containers: [container({ cpu: '3' })] };
      const open = (name: string): Promise<unknown> =>
        world.run(
          world.client.patch(pods, { namespace, name, type: 'merge', patch: { spec: { schedulingGates: null } } }),
        );
      await world.createNode('a');
      await world.createNode('full', { allocatable: { cpu: '1', memory: '1Gi', pods: '9' } });
      for (const name of ['first', 'second']) await world.createPod(name, gated);
      await nominate(world, 'first', 'full');
      await open('first');
      assert.equal(await world.bound('first'), 'a');
      await nominate(world, 'second', 'full');
      await open('second');
      await world.until(
        () => world.client.get(pods, { namespace, name: 'second' }),
        (pod) => conditionOf(pod)?.reason === 'Unschedulable',
      );
      assert.equal((await world.pod('second')).status?.nominatedNodeName, undefined);
    }));
});

describe('scheduler profiles', () => {
  it('schedules the pods of each profile under its own name', () =>
    withWorld(
      async (world) => {
        await world.createNode('n1');
        await world.createPod('a');
        await world.createPod('b', { schedulerName: 'batch' });
        await world.bound('a');
        await world.bound('b');
        await world.advance(100);
        const { items } = await world.run(world.client.list(events, { namespace }));
        const components = items.map(({ involvedObject, reportingComponent }) => [
          involvedObject.name,
          reportingComponent,
        ]);
        assert.deepEqual(
          new Map(components as [string, string][]),
          new Map([
            ['a', 'default-scheduler'],
            ['b', 'batch'],
          ]),
        );
      },
      {
        scheduler: {
          profiles: ['default-scheduler', 'batch'].map((schedulerName) => ({ schedulerName, plugins: defaultPlugins })),
        },
      },
    ));
});

describe('scheduler and slow bindings', () => {
  /** Holds bindings back. */
  const slowly =
    (hold: () => Promise<void>) =>
    (handle: Handle): Handle =>
    async (request) => {
      if (request.method === 'POST' && request.path.endsWith('/binding')) await hold();
      return handle(request);
    };

  it('counts pods as placed while they are being bound, and their room as free at once when they go', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await withWorld(
      async (world) => {
        await world.createNode('n1', { allocatable: { cpu: '2', memory: '8Gi', pods: '9' } });
        await world.createPod('first', { containers: [container({ cpu: '2' })] });
        await world.createPod('second', { containers: [container({ cpu: '2' })] });
        assert.match(await world.refused('second'), /^0\/1 nodes are available: 1 Insufficient cpu\./);
        await world.run(world.client.delete(pods, { namespace, name: 'first', gracePeriodSeconds: 0 }));
        release();
        assert.equal(await world.bound('second'), 'n1');
      },
      { intercept: slowly(() => held) },
    );
  });
});

describe('scheduler processes', () => {
  it('counts what is bound before the first decision after a restart', () =>
    withWorld(
      async (world) => {
        await world.createNode('n1', { allocatable: { cpu: '10', memory: '8Gi', pods: '200' } });
        for (let index = 0; index < 100; index++)
          await world.createPod(`p${index}`, { nodeName: 'n1', containers: [container({ cpu: '100m' })] });
        await world.createPod('late', { containers: [container({ cpu: '100m' })] });
        assert.equal(conditionOf(await world.pod('late')), undefined);
        await world.advance(60_000);
        assert.match(await world.refused('late'), /1 Insufficient cpu/);
      },
      { components: [delayed(30_000)] },
    ));

  it('lets one of two schedule, and the other go on when it ends', () =>
    withWorld(
      async (world) => {
        await world.createNode('n1');
        await world.createPod('before');
        assert.equal(await world.bound('before'), 'n1');
        await world.advance(10_000);
        await world.createPod('after');
        assert.equal(await world.bound('after'), 'n1');
        const { items } = await world.run(world.client.list(events, { namespace }));
        const hosts = new Map(
          items.map(({ involvedObject, reportingInstance }) => [involvedObject.name, reportingInstance]),
        );
        assert.notEqual(hosts.get('before'), hosts.get('after'));
      },
      { components: [candidate('one', 8_000), candidate('two')] },
    ));

  it('counts what it does', async () => {
    const metrics = createPrometheusMetrics();
    await withWorld(
      async (world) => {
        await world.createNode('n1');
        await world.createPod('small');
        await world.bound('small');
        await world.createPod('huge', { containers: [container({ cpu: '99' })] });
        await world.refused('huge');
        const text = await metrics.expose();
        for (const line of [
          'scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 1',
          'scheduler_schedule_attempts_total{result="unschedulable",profile="default-scheduler"} 1',
          'scheduler_pending_pods{queue="unschedulable"} 1',
          'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
          'scheduler_queue_incoming_pods_total{queue="active",event="UnschedulablePodAdd"} 2',
          'scheduler_cache_size{type="nodes"} 1',
          'scheduler_preemption_attempts_total 1',
          'scheduler_plugin_evaluation_total{plugin="NodeName",extension_point="Filter",profile="default-scheduler"} 2',
        ])
          assert.ok(
            text.includes(line),
            `${line} is in\n${text
              .split('\n')
              .filter((each) => each.startsWith(line.slice(0, 25)))
              .join('\n')}`,
          );
      },
      { metrics },
    );
  });
});

/** A scheduler that starts late: everything is there before it. */
function delayed(delayMs: number): Component {
  return {
    name: 'late scheduler',
    create: (context) => {
      const scheduler = schedulerComponent({ repairPeriodMs: 0 }).create(context);
      return {
        ready: Promise.resolve(),
        run: async ({ signal }) => {
          await context.env.clock.sleep(delayMs, signal);
          await scheduler.run({ signal });
        },
      };
    },
  };
}

/** A candidate for leadership that may end early. */
function candidate(identity: string, endMs?: number): Component {
  return {
    name: identity,
    create: ({ env, clientAs }) => {
      const client = clientAs(schedulerUser, 'kube-scheduler');
      const election = createLeaderElector({
        client,
        env,
        namespace: 'kube-system',
        name: 'kube-scheduler',
        identity,
        releaseOnStop: true,
      });
      const scheduler = createScheduler({ env, client, election, hostName: identity, repairPeriodMs: 0 });
      return {
        ready: scheduler.ready,
        run: async ({ signal }) => {
          const end = new AbortController();
          if (endMs !== undefined) env.clock.setTimer(endMs, () => end.abort(new Error('ends')));
          await scheduler.run({ signal: AbortSignal.any([signal, end.signal]) });
        },
      };
    },
  };
}
