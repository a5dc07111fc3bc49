// The scheduler against the real API server in virtual time: what users see of pods that fit and pods that don't.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeSpec } from '@homeostat/api/types/core-v1';
import { nodes, pods } from '@homeostat/client/resources';
import type { Json } from '@homeostat/machinery';
import { conditionOf, container, namespace, type World, withWorld } from './fixture.ts';

const helpless = (count: number): string =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;
const noVictims =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';

const patchNode = (world: World, name: string, patch: Json): Promise<unknown> =>
  world.run(world.client.patch(nodes, { name, type: 'merge', patch }));
const patchPod = (world: World, name: string, patch: Json): Promise<unknown> =>
  world.run(world.client.patch(pods, { namespace, name, type: 'merge', patch }));
const deletePod = (world: World, name: string): Promise<unknown> =>
  world.run(world.client.delete(pods, { namespace, name, gracePeriodSeconds: 0 }));

describe('scheduler', () => {
  it('says that there is no node, and binds when there is one', () =>
    withWorld(async (world) => {
      await world.createPod('early');
      assert.equal(await world.refused('early'), 'no nodes available to schedule pods');
      const condition = conditionOf(await world.pod('early'));
      assert.equal(condition?.reason, 'Unschedulable');
      assert.equal(condition?.observedGeneration, 1);
      await world.createNode('n1');
      assert.equal(await world.bound('early'), 'n1');
      const texts = await world.messages('early');
      assert.equal(texts.at(-1), 'Successfully assigned default/early to n1');
      assert.equal(conditionOf(await world.pod('early'))?.status, 'True');
    }));

  it('says what is missing, and tries again when a bound pod goes but not when one comes', () =>
    withWorld(async (world) => {
      await world.createNode('n1', { allocatable: { cpu: '2', memory: '1Gi', pods: '9' } });
      await world.createPod('first', { containers: [container({ cpu: '1' })] });
      await world.bound('first');
      await world.createPod('second', { containers: [container({ cpu: '1500m' })] });
      assert.equal(await world.refused('second'), `0/1 nodes are available: 1 Insufficient cpu. ${noVictims}`);
      await world.createPod('huge', { containers: [container({ cpu: '9', memory: '9Gi' })] });
      assert.equal(
        await world.refused('huge'),
        `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. ${helpless(1)}`,
      );
      await world.createPod('small');
      await world.bound('small');
      await world.advance(5_000);
      assert.equal((await world.messages('second')).length, 1, 'a pod that comes helps nobody');
      const before = world.clock.monotonicMs();
      await deletePod(world, 'first');
      assert.equal(await world.bound('second'), 'n1');
      assert.ok(world.clock.monotonicMs() - before < 1_000, 'no back-off while there is nothing else to do');
      assert.equal((await world.messages('huge')).length, 2);
    }));

  it('respects taints, cordons and selectors, and hears when they change', () =>
    withWorld(async (world) => {
      const spec: NodeSpec = { taints: [{ key: 'only', value: 'some', effect: 'NoSchedule' }] };
      await world.createNode('a', { labels: { zone: 'a' } });
      await world.createNode('b', { labels: { zone: 'b' }, spec });
      await world.createNode('c', { labels: { zone: 'c' }, spec: { unschedulable: true } });
      await world.createPod('to-b', { nodeSelector: { zone: 'b' } });
      assert.equal(
        await world.refused('to-b'),
        `0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${helpless(3)}`,
      );
      await world.createPod('tolerates', {
        nodeSelector: { zone: 'b' },
        tolerations: [{ key: 'only', operator: 'Exists' }],
      });
      assert.equal(await world.bound('tolerates'), 'b');
      await world.createPod('nowhere', {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gone'] }] }],
            },
          },
        },
      });
      assert.equal(
        await world.refused('nowhere'),
        `0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${helpless(3)}`,
      );
      await patchNode(world, 'b', { metadata: { labels: { other: 'x' } } });
      await world.advance(3_000);
      assert.equal((await world.pod('to-b')).spec?.nodeName, undefined);
      await patchNode(world, 'b', { spec: { taints: null } });
      assert.equal(await world.bound('to-b'), 'b');
      await world.createPod('to-c', { nodeSelector: { zone: 'c' } });
      await world.refused('to-c');
      await patchNode(world, 'c', { spec: { unschedulable: null } });
      assert.equal(await world.bound('to-c'), 'c');
    }));

  it('is silent about gated pods, and binds them when the last gate is gone', () =>
    withWorld(async (world) => {
      await world.createNode('n1');
      await world.createPod('gated', { schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }] });
      await world.createPod('other', { schedulerName: 'somebody' });
      await world.advance(5_000);
      assert.equal(conditionOf(await world.pod('gated'))?.reason, 'SchedulingGated');
      await patchPod(world, 'gated', { spec: { schedulingGates: [{ name: 'example.com/a' }] } });
      await world.advance(5_000);
      assert.deepEqual(await world.messages('gated'), []);
      await patchPod(world, 'gated', { spec: { schedulingGates: null } });
      assert.equal(await world.bound('gated'), 'n1');
      assert.deepEqual(await world.messages('other'), []);
      assert.equal(conditionOf(await world.pod('other')), undefined);
    }));

  it('gives a host port to one pod at a time', () =>
    withWorld(async (world) => {
      const port = (hostPort: number, more: object = {}) => ({
        containers: [container({}, { ports: [{ containerPort: 80, hostPort, ...more }] })],
      });
      await world.createNode('n1');
      await world.createPod('holder', port(8080));
      await world.createPod('neighbour', port(9090));
      await world.bound('holder');
      await world.bound('neighbour');
      await world.createPod('waiting', port(8080, { hostIP: '127.0.0.1' }));
      await world.createPod('udp', port(8080, { protocol: 'UDP' }));
      assert.equal(
        await world.refused('waiting'),
        `0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ${noVictims}`,
      );
      assert.equal(await world.bound('udp'), 'n1');
      await deletePod(world, 'neighbour');
      await world.advance(3_000);
      assert.equal((await world.messages('waiting')).length, 1);
      await deletePod(world, 'holder');
      assert.equal(await world.bound('waiting'), 'n1');
    }));

  it('tries the important pod first', () =>
    withWorld(async (world) => {
      await world.createPod('low', { containers: [container({ cpu: '3' })], priorityClassName: '' });
      await world.createPod('high', {
        containers: [container({ cpu: '3' })],
        priorityClassName: 'system-cluster-critical',
      });
      await world.refused('high');
      await world.createNode('n1');
      assert.equal(await world.bound('high'), 'n1');
      assert.equal((await world.pod('low')).spec?.nodeName, undefined);
    }));

  it('takes the place of less important pods', () =>
    withWorld(async (world) => {
      await world.createNode('n1', { allocatable: { cpu: '2', memory: '8Gi', pods: '9' } });
      await world.createPod('victim', { containers: [container({ cpu: '1500m' })], terminationGracePeriodSeconds: 30 });
      await world.bound('victim');
      await world.createPod('taker', {
        containers: [container({ cpu: '1' })],
        priorityClassName: 'system-cluster-critical',
      });
      assert.equal(await world.refused('taker'), '0/1 nodes are available: 1 Insufficient cpu.');
      const victim = await world.until(
        () => world.client.get(pods, { namespace, name: 'victim' }),
        ({ metadata }) => metadata?.deletionTimestamp !== undefined,
      );
      const target = victim.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
      assert.equal(target?.reason, 'PreemptionByScheduler');
      assert.equal(target?.message, 'default-scheduler: preempting to accommodate a higher priority pod');
      const taker = await world.pod('taker');
      assert.equal(taker.status?.nominatedNodeName, 'n1');
      assert.deepEqual((await world.messages('victim')).slice(-1), [
        `Preempted by pod ${taker.metadata?.uid} on node n1`,
      ]);
      await world.createPod('later', { containers: [container({ cpu: '1' })] });
      await world.refused('later');
      await deletePod(world, 'victim');
      assert.equal(await world.bound('taker'), 'n1');
      const bound = await world.pod('taker');
      assert.equal(bound.status?.nominatedNodeName, undefined);
      assert.equal((await world.messages('taker')).at(-1), 'Successfully assigned default/taker to n1');
    }));

  it('puts every pod on one node, and spreads equal pods evenly', () =>
    withWorld(async (world) => {
      for (let index = 0; index < 10; index++)
        await world.createNode(`n${index}`, { labels: { 'topology.kubernetes.io/zone': `z${index % 3}` } });
      for (let index = 0; index < 100; index++)
        await world.createPod(`p${index}`, { containers: [container({ cpu: '100m', memory: '100Mi' })] });
      const { items } = await world.until(
        () => world.client.list(pods, { namespace }),
        (list) => list.items.every(({ spec }) => (spec?.nodeName ?? '') !== ''),
      );
      const counts = Map.groupBy(items, ({ spec }) => spec?.nodeName);
      assert.deepEqual(
        Array.from(counts.values(), (list) => list.length),
        Array.from({ length: 10 }, () => 10),
      );
    }));

  it('says nothing but a note of a pod that is being deleted', () =>
    withWorld(async (world) => {
      await world.createPod('going', { terminationGracePeriodSeconds: 30 });
      await world.refused('going');
      await world.run(
        world.client.patch(pods, {
          namespace,
          name: 'going',
          type: 'merge',
          patch: { metadata: { finalizers: ['example.com/f'] } },
        }),
      );
      await world.run(world.client.delete(pods, { namespace, name: 'going' }));
      await world.createNode('n1');
      await world.advance(15_000);
      assert.equal((await world.pod('going')).spec?.nodeName, undefined);
      assert.ok((await world.messages('going')).includes('skip schedule deleting pod: default/going'));
    }));
});
