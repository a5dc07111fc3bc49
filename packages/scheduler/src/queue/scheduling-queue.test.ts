import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import { createVirtualEnv } from '@homeostat/base';
import { actions, type ClusterEvent, clusterEvent, type EventRegistration } from '../framework/cluster-event.ts';
import type { PodInfo } from '../framework/pod-info.ts';
import { Status } from '../framework/status.ts';
import { createSchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import { createPrioritySort } from '../plugins/priority-sort.ts';
import { newPod, newPodInfo, type PodParts } from '../test-objects.ts';
import { Backoff } from './backoff.ts';
import { QueuedPod } from './queued-pod.ts';
import { type QueueProfile, SchedulingQueue } from './scheduling-queue.ts';

const nodeAdd = clusterEvent('Node', actions.add);
const nodeLabel = clusterEvent('Node', actions.updateNodeLabel);
const podDelete = clusterEvent('AssignedPod', actions.delete);

interface Setup {
  readonly registrations?: Readonly<Record<string, readonly EventRegistration[]>>;
  readonly gate?: (pod: PodInfo) => string | undefined;
}

function setUp({ registrations = {}, gate = () => undefined }: Setup = {}) {
  const env = createVirtualEnv();
  const live = new Map<string, PodInfo>();
  const sort = createPrioritySort();
  const profile: QueueProfile = {
    registrations: new Map(Object.entries(registrations)),
    runPreEnqueue: (pod) => {
      const plugin = gate(pod);
      return plugin === undefined ? undefined : Status.unresolvable(plugin, 'gated');
    },
  };
  const queue = new SchedulingQueue({
    env,
    metrics: createSchedulerMetrics(env),
    profiles: new Map([['default-scheduler', profile]]),
    less: (a, b) => sort.less?.(a, b) ?? false,
    livePod: (info) => live.get(info.key),
  });
  const add = (name: string, parts: PodParts = {}): Pod => {
    const pod = newPod(name, parts);
    live.set(`default/${name}`, newPodInfo(name, parts));
    queue.add(pod);
    return pod;
  };
  const take = (): QueuedPod => {
    const pod = queue.tryPop();
    assert.ok(pod !== undefined, 'there is a pod to try');
    return pod;
  };
  /** A failed attempt. */
  const fail = (...plugins: string[]): QueuedPod => {
    const pod = take();
    for (const plugin of plugins) pod.unschedulablePlugins.add(plugin);
    queue.addUnschedulable(pod);
    return pod;
  };
  return { env, queue, add, take, fail };
}

const onNodes: EventRegistration = { resource: 'Node', action: actions.add };

describe('Backoff', () => {
  it('doubles from one second to ten', () => {
    const pod = new QueuedPod(newPodInfo('p'), 0);
    const backoff = new Backoff();
    const seconds = [0, 1, 2, 3, 4, 5, 6, 90].map((count) => {
      pod.unschedulableCount = count;
      return backoff.durationMs(pod) / 1000;
    });
    assert.deepEqual(seconds, [0, 1, 2, 4, 8, 10, 10, 10]);
    pod.consecutiveErrors = 1;
    assert.equal(backoff.durationMs(pod), 1000, 'errors count alone');
  });

  it('ends on a whole second, not before the time is over', () => {
    const pod = new QueuedPod(newPodInfo('p'), 10_300);
    pod.unschedulableCount = 1;
    const backoff = new Backoff();
    assert.equal(backoff.isBackingOff(pod, 11_999), true);
    assert.equal(backoff.isBackingOff(pod, 12_000), false);
  });
});

describe('SchedulingQueue', () => {
  it('gives pods by priority, then by age', async () => {
    const { env, queue, add, take } = setUp();
    add('first');
    await env.clock.advance(5);
    for (const name of ['a', 'b', 'c', 'd', 'e']) add(name);
    add('important', { spec: { priority: 5 } });
    queue.delete(newPod('b'));
    add('b');
    const keys = Array.from({ length: 7 }, () => take().info.name);
    assert.deepEqual(keys, ['important', 'first', 'a', 'c', 'd', 'e', 'b']);
  });

  it('leaves a rejected pod alone until an event that its rejector asked for', () => {
    const { queue, add, fail } = setUp({
      registrations: { Fit: [onNodes], Other: [{ resource: 'Pod', action: actions.delete }] },
    });
    add('p');
    fail('Fit');
    queue.moveAll(podDelete);
    queue.moveAll(nodeLabel);
    assert.equal(queue.tryPop(), undefined);
    queue.moveAll(nodeAdd);
    assert.equal(queue.tryPop()?.key, 'default/p', 'tried early: there is nothing else to do');
  });

  it('asks the hint, and tries again when the hint fails', () => {
    let answer: 'Queue' | 'Skip' | 'throw' = 'Skip';
    const hint = (): 'Queue' | 'Skip' => {
      if (answer === 'throw') throw new Error('no idea');
      return answer;
    };
    const { queue, add, fail } = setUp({ registrations: { Fit: [{ ...onNodes, hint }] } });
    add('p');
    fail('Fit');
    queue.moveAll(nodeAdd);
    assert.equal(queue.sizes().unschedulable, 1);
    answer = 'throw';
    queue.moveAll(nodeAdd);
    assert.equal(queue.sizes().backoff, 1);
  });

  it('counts events that came while the pod was being tried', () => {
    const { queue, add, take } = setUp({ registrations: { Fit: [onNodes] } });
    add('p');
    const pod = take();
    queue.moveAll(nodeAdd);
    pod.unschedulablePlugins.add('Fit');
    queue.addUnschedulable(pod);
    assert.deepEqual(queue.sizes(), { active: 0, backoff: 1, unschedulable: 0, gated: 0 });
    assert.equal(queue.inFlightEvents().size, 0);
  });

  it('does not count events from before the attempt, nor after it needs none', () => {
    const { queue, add, take } = setUp({ registrations: { Fit: [onNodes] } });
    add('first');
    add('second');
    const first = take();
    queue.moveAll(nodeAdd);
    const second = take();
    second.unschedulablePlugins.add('Fit');
    queue.addUnschedulable(second);
    assert.equal(queue.sizes().unschedulable, 1);
    queue.done(first.info.uid);
    assert.equal(queue.inFlightEvents().size, 0);
  });

  it('makes a pod whose attempt broke wait, with longer and longer pauses, even when there is nothing else to do', async () => {
    const { env, queue, add, fail } = setUp();
    add('p');
    const gaps: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      const failedMs = env.clock.nowMs();
      fail();
      assert.equal(queue.tryPop(), undefined);
      await env.clock.run(queue.waitForPod());
      gaps.push((env.clock.nowMs() - failedMs) / 1000);
    }
    assert.deepEqual(gaps, [2, 3, 5, 9, 11, 11]);
  });

  it('lets pods that were turned down wait only while there are others', async () => {
    const { env, queue, add, fail, take } = setUp({ registrations: { Fit: [onNodes] } });
    add('p');
    fail('Fit');
    queue.moveAll(nodeAdd);
    add('other');
    assert.deepEqual([take().key, take().key], ['default/other', 'default/p']);
    add('late');
    fail('Fit');
    queue.moveAll(nodeAdd);
    await env.clock.advance(2_000);
    assert.deepEqual(queue.sizes(), { active: 1, backoff: 0, unschedulable: 0, gated: 0 }, 'the back-off is over');
  });

  it('tries again after five minutes without any event', async () => {
    const { env, queue, add, fail } = setUp();
    const stop = new AbortController();
    const running = queue.run({ signal: stop.signal });
    add('p');
    const pod = fail('Fit');
    await env.clock.advance(299_000);
    assert.equal(queue.sizes().unschedulable, 1);
    await env.clock.advance(32_000);
    assert.equal(queue.tryPop(), pod);
    assert.equal(pod.wasFlushed, true);
    stop.abort();
    await env.clock.run(running);
  });

  it('keeps gated pods apart until the gate opens, and then does not hold them back', () => {
    let closed = true;
    const gate = (pod: PodInfo): string | undefined => (closed && pod.name === 'gated' ? 'Gates' : undefined);
    const opened = clusterEvent('UnschedulablePod', actions.updatePodSchedulingGatesEliminated);
    const { queue, add } = setUp({
      gate,
      registrations: { Gates: [{ resource: 'Pod', action: actions.updatePodSchedulingGatesEliminated }] },
    });
    const pod = add('gated');
    assert.deepEqual(queue.sizes(), { active: 0, backoff: 0, unschedulable: 0, gated: 1 });
    queue.moveAll(nodeAdd);
    queue.update(pod, pod, [clusterEvent('UnschedulablePod', actions.updateOther)]);
    assert.equal(queue.sizes().gated, 1);
    queue.update(pod, pod, [opened]);
    assert.equal(queue.sizes().gated, 1, 'one of two gates is gone');
    closed = false;
    queue.update(pod, pod, [opened]);
    assert.equal(queue.tryPop()?.key, 'default/gated');
  });

  it('brings pods of pending plugins back at once, the others after their back-off', async () => {
    const { env, queue, add, take } = setUp({ registrations: { Fit: [onNodes] } });
    add('pending');
    add('turned-down');
    const pending = take();
    const other = take();
    pending.pendingPlugins.add('Fit');
    other.unschedulablePlugins.add('Fit');
    queue.addUnschedulable(pending);
    queue.addUnschedulable(other);
    queue.moveAll(nodeAdd);
    assert.deepEqual(queue.sizes(), { active: 1, backoff: 1, unschedulable: 0, gated: 0 });
    await env.clock.advance(2_000);
    assert.equal(queue.sizes().active, 2);
  });

  it('activates pods whatever they wait for', () => {
    const { queue, add, fail } = setUp();
    const pod = add('p');
    fail('Fit');
    queue.activate([pod]);
    assert.equal(queue.sizes().active, 1);
  });

  it('moves only pods that may move', () => {
    const { queue, add, fail } = setUp({ registrations: { Fit: [onNodes] } });
    add('high', { spec: { priority: 9 } });
    add('low');
    fail('Fit');
    fail('Fit');
    queue.moveAll(nodeAdd, { mayMove: ({ priority }) => priority <= 5 });
    assert.deepEqual(queue.sizes(), { active: 0, backoff: 1, unschedulable: 1, gated: 0 });
  });

  it('forgets pods that go, wherever they are', () => {
    const { queue, add, fail } = setUp();
    const active = add('active');
    add('rejected', { spec: { priority: 1 } });
    const rejected = fail('Fit');
    queue.delete(active);
    queue.delete(rejected.info.pod);
    assert.deepEqual(queue.sizes(), { active: 0, backoff: 0, unschedulable: 0, gated: 0 });
  });

  it('hands an event only to the pods it may concern', () => {
    let asked = 0;
    const hint = (): 'Skip' => {
      asked++;
      return 'Skip';
    };
    const registrations: Record<string, readonly EventRegistration[]> = {
      Fit: [{ ...onNodes, hint }],
      Spread: [{ resource: 'Pod', action: actions.delete, hint }],
    };
    const { queue, add, fail } = setUp({ registrations });
    for (let index = 0; index < 100; index++) {
      add(`p${index}`);
      fail(index === 0 ? 'Spread' : 'Fit');
    }
    queue.moveAll(podDelete satisfies ClusterEvent);
    assert.equal(asked, 1);
  });
});

describe('Nominator', () => {
  it('knows nominations of the status and of decisions not yet written', () => {
    const { queue, add } = setUp();
    const nominated = { status: { nominatedNodeName: 'n1' } };
    add('a', nominated);
    add('b');
    const { nominator } = queue;
    const on = (node: string) => nominator.nominatedPodsFor(node).map(({ name }) => name);
    assert.deepEqual(on('n1'), ['a']);
    nominator.add(newPodInfo('b'), { nodeName: 'n2' });
    assert.deepEqual(on('n2'), ['b']);
    nominator.update(newPodInfo('b'), newPodInfo('b', { labels: { x: 'y' } }));
    assert.deepEqual(on('n2'), ['b'], 'the write has not come back yet');
    nominator.update(newPodInfo('a', nominated), newPodInfo('a'));
    assert.deepEqual(on('n1'), [], 'what the status says wins');
    nominator.add(newPodInfo('b'), { nodeName: '' });
    assert.deepEqual(on('n2'), []);
    nominator.add(newPodInfo('unknown'), { nodeName: 'n1' });
    assert.deepEqual(on('n1'), [], 'pods that have gone are not nominated');
  });
});
