// What becomes of pods when the API server refuses or is slow, and that one seed gives one history.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Handle } from '@homeostat/client';
import { nodes, pods } from '@homeostat/client/resources';
import { newInternalError } from '@homeostat/machinery';
import { conditionOf, container, namespace, withWorld, type World } from './fixture.ts';

/** Refuses the first bindings. */
function refuseBindings(count: number): (handle: Handle) => Handle {
  let left = count;
  return (handle) => async (request) => {
    if (request.method === 'POST' && request.path.endsWith('/binding') && left-- > 0)
      throw newInternalError(new Error('no'));
    return handle(request);
  };
}

describe('scheduler and failing requests', () => {
  it('gives the place back and tries again after a back-off when binding fails', () =>
    withWorld(
      async (world) => {
        await world.createNode('n1', { allocatable: { cpu: '1', memory: '8Gi', pods: '9' } });
        await world.createPod('p', { containers: [container({ cpu: '1' })] });
        const text = await world.refused('p');
        assert.match(text, /^running Bind plugin "DefaultBinder": /);
        assert.equal(conditionOf(await world.pod('p'))?.reason, 'SchedulerError');
        const before = world.clock.monotonicMs();
        assert.equal(await world.bound('p'), 'n1');
        assert.ok(world.clock.monotonicMs() - before >= 900);
      },
      { intercept: refuseBindings(1) },
    ));
});

describe('scheduler and preemption that fails', () => {
  const critical = (cpu: string) => ({
    containers: [container({ cpu })],
    priorityClassName: 'system-cluster-critical',
  });

  it('tries again when a victim was not deleted', () => {
    let refused = 0;
    const refuseDeletion = (handle: Handle): Handle => {
      return async (request) => {
        const isVictim = request.method === 'DELETE' && request.headers['user-agent'] === 'kube-scheduler';
        if (isVictim && refused++ === 0) throw newInternalError(new Error('no'));
        return handle(request);
      };
    };
    return withWorld(
      async (world) => {
        await world.createNode('n1', { allocatable: { cpu: '2', memory: '8Gi', pods: '9' } });
        await world.createPod('victim', { containers: [container({ cpu: '2' })], terminationGracePeriodSeconds: 0 });
        await world.bound('victim');
        await world.createPod('taker', critical('2'));
        assert.equal(await world.bound('taker'), 'n1');
        assert.equal(refused, 2);
      },
      { intercept: refuseDeletion },
    );
  });

  it('removes no more pods than it needs, and keeps the room for who it made it for', () =>
    withWorld(async (world) => {
      await world.createNode('n1', { allocatable: { cpu: '3', memory: '8Gi', pods: '9' } });
      for (const name of ['a', 'b', 'c'])
        await world.createPod(name, { containers: [container({ cpu: '1' })], terminationGracePeriodSeconds: 30 });
      for (const name of ['a', 'b', 'c']) await world.bound(name);
      await world.createPod('taker', critical('2'));
      const going = async (): Promise<readonly string[]> => {
        const { items } = await world.client.list(pods, { namespace });
        return items
          .filter(({ metadata }) => metadata?.deletionTimestamp !== undefined)
          .map(({ metadata }) => metadata?.name ?? '');
      };
      const victims = await world.until(going, (names) => names.length === 2);
      await world.advance(5_000);
      assert.deepEqual(await world.run(going()), victims, 'nobody else goes while they are going');
      await world.createPod('late', { containers: [container({ cpu: '1' })] });
      const remove = (name: string): Promise<unknown> =>
        world.run(world.client.delete(pods, { namespace, name, gracePeriodSeconds: 0 }));
      await remove(victims[0] ?? '');
      await world.advance(3_000);
      assert.equal((await world.pod('late')).spec?.nodeName, undefined, 'the room is not for the less important');
      await remove(victims[1] ?? '');
      assert.equal(await world.bound('taker'), 'n1');
      assert.equal((await world.pod('late')).spec?.nodeName, undefined);
    }));
});

describe('scheduler under random load', () => {
  it('binds pods only where they fit, and never over-commits a node', async () => {
    const pod = fc.record({
      cpu: fc.constantFrom('100m', '500m', '1', '3'),
      memory: fc.constantFrom('0', '64Mi', '1Gi'),
      port: fc.constantFrom(0, 0, 8080),
      zone: fc.constantFrom('', '', 'a', 'b'),
      tolerates: fc.boolean(),
    });
    const node = fc.record({
      cpu: fc.constantFrom('1', '2', '4'),
      memory: fc.constantFrom('512Mi', '4Gi'),
      pods: fc.constantFrom('2', '110'),
      zone: fc.constantFrom('a', 'b'),
      tainted: fc.boolean(),
    });
    const plan = fc.record({
      nodes: fc.array(node, { minLength: 1, maxLength: 4 }),
      pods: fc.array(pod, { minLength: 1, maxLength: 20 }),
      deletions: fc.array(fc.nat(19), { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async (what) => {
        await withWorld(async (world) => {
          for (const [index, { zone, tainted, ...allocatable }] of what.nodes.entries()) {
            await world.createNode(`n${index}`, {
              allocatable,
              labels: { zone },
              spec: tainted ? { taints: [{ key: 'k', effect: 'NoSchedule' }] } : {},
            });
          }
          for (const [index, { cpu, memory, port, zone, tolerates }] of what.pods.entries()) {
            await world.createPod(`p${index}`, {
              containers: [
                container({ cpu, memory }, port === 0 ? {} : { ports: [{ containerPort: 1, hostPort: port }] }),
              ],
              ...(zone === '' ? {} : { nodeSelector: { zone } }),
              ...(tolerates ? { tolerations: [{ key: 'k', operator: 'Exists' }] } : {}),
            });
          }
          await world.advance(1_000);
          await check(world);
          for (const index of new Set(what.deletions)) {
            if (index >= what.pods.length) continue;
            await world.run(world.client.delete(pods, { namespace, name: `p${index}`, gracePeriodSeconds: 0 }));
          }
          await world.advance(15_000);
          await check(world);
        });
      }),
      { seed: 42, numRuns: 12 },
    );
  });

  it('has one history for one seed', async () => {
    const history = async (seed: number): Promise<string> => {
      let text = '';
      await withWorld(
        async (world) => {
          for (let index = 0; index < 5; index++) await world.createNode(`n${index}`);
          for (let index = 0; index < 40; index++)
            await world.createPod(`p${index}`, { containers: [container({ cpu: '600m' })] });
          await world.advance(10_000);
          const { items } = await world.run(world.client.list(pods, { namespace }));
          text = JSON.stringify(
            items.map(({ metadata, spec, status }) => [
              metadata?.name,
              metadata?.resourceVersion,
              spec?.nodeName,
              status?.conditions,
            ]),
          );
        },
        { seed, scheduler: { ties: 'random' } },
      );
      return text;
    };
    const [first, again, other] = [await history(7), await history(7), await history(8)];
    assert.equal(first, again);
    assert.notEqual(first, other, 'chance decides among equals when it is asked to');
  });
});

/** Every bound pod is where it may be; no node holds more than it has; a pod that would fit somewhere does not wait. */
async function check(world: World): Promise<void> {
  const { items: nodeList } = await world.run(world.client.list(nodes));
  const { items: podList } = await world.run(world.client.list(pods, { namespace }));
  for (const { metadata, spec, status } of nodeList) {
    const here = podList.filter((pod) => pod.spec?.nodeName === metadata?.name);
    const total = (name: string): number =>
      here.reduce((sum, pod) => sum + amount(pod.spec?.containers[0]?.resources?.requests?.[name] ?? '0'), 0);
    const allocatable = status?.allocatable ?? {};
    assert.ok(total('cpu') <= amount(allocatable['cpu'] ?? '0'), 'cpu is not over-committed');
    assert.ok(total('memory') <= amount(allocatable['memory'] ?? '0'), 'memory is not over-committed');
    assert.ok(here.length <= Number(allocatable['pods']), 'places are not over-committed');
    const ports = here.flatMap((pod) => pod.spec?.containers[0]?.ports ?? []);
    assert.ok(ports.length <= 1, 'a host port has one owner');
    for (const pod of here) {
      const zone = pod.spec?.nodeSelector?.['zone'];
      assert.ok(zone === undefined || zone === metadata?.labels?.['zone'], 'selectors hold');
      const tolerates = pod.spec?.tolerations?.some(({ key }) => key === 'k') === true;
      assert.ok(tolerates || (spec?.taints ?? []).every(({ effect }) => effect !== 'NoSchedule'), 'taints hold');
    }
  }
  for (const pod of podList)
    if ((pod.spec?.nodeName ?? '') === '') assert.equal(conditionOf(pod)?.reason, 'Unschedulable');
}

function amount(text: string): number {
  const units: Readonly<Record<string, number>> = { m: 0.001, Mi: 2 ** 20, Gi: 2 ** 30 };
  const [, digits = '0', unit = ''] = /^([0-9]+)([a-zA-Z]*)$/.exec(text) ?? [];
  return Number(digits) * (units[unit] ?? 1);
}
