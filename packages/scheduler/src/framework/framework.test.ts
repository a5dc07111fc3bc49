import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { createProfilePlugins } from '../configuration/profile.ts';
import { createSchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import { createDefaultBinder } from '../plugins/default-binder.ts';
import { createDynamicResources } from '../plugins/dynamic-resources.ts';
import { createNodeResourcesFit } from '../plugins/node-resources-fit.ts';
import { createPrioritySort } from '../plugins/priority-sort.ts';
import { describe as say, newContainer, newHandle, newNode, newNodeInfo, newPodInfo } from '../test-objects.ts';
import { CycleState } from './cycle-state.ts';
import { Framework } from './framework.ts';
import { NodeToStatus } from './node-to-status.ts';
import type { Plugin } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import { Status } from './status.ts';
import { WaitingPods } from './waiting-pods.ts';

function setUp(plugins: readonly Plugin[], nominated: readonly PodInfo[] = []) {
  const env = createVirtualEnv();
  const handle = newHandle();
  const all = [createPrioritySort(), ...plugins, createDefaultBinder(handle)];
  const waitingPods = new WaitingPods(env);
  const framework = new Framework({
    schedulerName: 'default-scheduler',
    plugins: createProfilePlugins(
      { schedulerName: 'default-scheduler', plugins: all.map((plugin) => ({ factory: () => plugin })) },
      handle,
    ),
    metrics: createSchedulerMetrics(env),
    nominated: { nominatedPodsFor: () => nominated },
    waitingPods,
  });
  return { env, framework, waitingPods };
}

const pod = newPodInfo('p');
const node = newNodeInfo(newNode('n'));
const placement = { pod, nodeName: 'n', signal: new AbortController().signal, kill: new AbortController().signal };

describe('Framework', () => {
  it('needs one sort and a binder, and each plugin once', () => {
    const handle = newHandle();
    const make = (...plugins: Plugin[]) =>
      createProfilePlugins(
        { schedulerName: 'x', plugins: plugins.map((plugin) => ({ factory: () => plugin })) },
        handle,
      );
    assert.throws(() => make(), /only one queue sort plugin required for profile with scheduler name "x", but got 0/);
    assert.throws(() => make(createPrioritySort()), /at least one bind plugin is needed/);
    assert.throws(() => make(createPrioritySort(), createPrioritySort()), /repeated config for plugin PrioritySort/);
  });

  it('goes on after a PreFilter rejection, but not after one that nothing can mend', () => {
    const seen: string[] = [];
    const plugin = (name: string, verdict: Status | undefined): Plugin => ({
      name,
      preFilter: () => {
        seen.push(name);
        return { verdict };
      },
    });
    const { framework } = setUp([
      plugin('A', Status.unschedulable('', 'a')),
      plugin('B', undefined),
      plugin('C', Status.unresolvable('', 'c')),
      plugin('D', undefined),
    ]);
    assert.equal(say(framework.runPreFilter(new CycleState(), pod, [node]).verdict), 'UnschedulableAndUnresolvable: c');
    assert.deepEqual(seen, ['A', 'B', 'C']);
  });

  it('intersects the nodes that PreFilter plugins allow', () => {
    const only = (name: string, ...nodes: string[]): Plugin => ({
      name,
      preFilter: () => ({ verdict: undefined, nodeNames: new Set(nodes) }),
    });
    const both = setUp([only('A', 'x', 'y'), only('B', 'y', 'z')]).framework.runPreFilter(new CycleState(), pod, []);
    assert.deepEqual([...(both.nodeNames ?? [])], ['y']);
    const none = setUp([only('A', 'x'), only('B', 'z')]).framework.runPreFilter(new CycleState(), pod, []);
    assert.equal(
      say(none.verdict),
      "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [A B] simultaneously",
    );
  });

  it('skips the filter of plugins that skipped, and names the one that broke', () => {
    const skipping: Plugin = {
      name: 'S',
      preFilter: () => ({ verdict: Status.skip }),
      filter: () => Status.unschedulable('', 'never'),
    };
    const broken: Plugin = { name: 'B', filter: () => Status.error('', new Error('no idea')) };
    const { framework } = setUp([skipping, broken]);
    const state = new CycleState();
    framework.runPreFilter(state, pod, []);
    assert.equal(say(framework.runFilters(state, pod, node)), 'Error: running "B" filter plugin: no idea');
  });

  it('counts nominated pods that do not yield, and needs the node to do without them too', () => {
    const full = newNodeInfo(newNode('n', { allocatable: { cpu: '2', pods: '9' } }));
    const asking = newPodInfo('asking', { spec: { priority: 5, containers: [newContainer({ cpu: '2' })] } });
    const verdictWith = (priority: number, uid = 'uid-other'): string => {
      const other = newPodInfo('other', { uid, spec: { priority, containers: [newContainer({ cpu: '1' })] } });
      const { framework } = setUp([createNodeResourcesFit()], [other]);
      return say(framework.runFiltersWithNominatedPods(new CycleState(), asking, full));
    };
    assert.equal(verdictWith(5), 'Unschedulable: Insufficient cpu');
    assert.equal(verdictWith(4), 'Success');
    assert.equal(verdictWith(5, asking.uid), 'Success', 'its own nomination');
  });

  it('refuses scores outside 0 to 100', () => {
    const wild: Plugin = { name: 'W', score: () => 101 };
    const result = setUp([wild]).framework.runScoring(new CycleState(), pod, [node]);
    assert.ok('failure' in result);
    assert.equal(
      result.failure.message,
      'plugin "W" returns an invalid score 101, it should in the range of [0, 100] after normalizing',
    );
  });

  it('joins what PostFilter plugins say, and ends at the first that breaks', async () => {
    const says = (name: string, verdict: Status): Plugin => ({ name, postFilter: async () => ({ verdict }) });
    const joined = await setUp([
      says('A', Status.unschedulable('', 'a')),
      says('B', Status.unschedulable('', 'b')),
    ]).framework.runPostFilter(new CycleState(), pod, new NodeToStatus());
    assert.equal(say(joined.verdict), 'Unschedulable: a, b');
    // PreFilter ended before dynamic resources could leave their state.
    const broken = await setUp([
      createDynamicResources(),
      says('B', Status.unschedulable('', 'b')),
    ]).framework.runPostFilter(new CycleState(), pod, new NodeToStatus());
    assert.equal(say(broken.verdict), 'Error: not found');
  });

  it('takes reservations back in reverse order', () => {
    const seen: string[] = [];
    const plugin = (name: string, verdict?: Status): Plugin => ({
      name,
      reserve: () => verdict,
      unreserve: () => void seen.push(name),
    });
    const { framework } = setUp([plugin('A'), plugin('B', Status.error('', new Error('full')))]);
    const verdict = framework.runReserve(new CycleState(), placement);
    assert.equal(say(verdict), 'Error: running Reserve plugin "B": full');
    framework.runUnreserve(new CycleState(), placement);
    assert.deepEqual(seen, ['B', 'A']);
  });

  it('lets Permit plugins make a pod wait, allow it, or run out of time', async () => {
    const waiting: Plugin = { name: 'W', permit: () => ({ verdict: new Status({ code: 'Wait' }), timeoutMs: 10_000 }) };
    const first = setUp([waiting]);
    assert.equal(first.framework.runPermit(new CycleState(), placement)?.code, 'Wait');
    const allowed = first.framework.waitOnPermit(pod);
    first.waitingPods.get(pod.uid)?.allow('W');
    assert.equal(await first.env.clock.run(allowed), undefined);
    const second = setUp([waiting]);
    second.framework.runPermit(new CycleState(), placement);
    assert.equal(
      say(await second.env.clock.run(second.framework.waitOnPermit(pod))),
      'Unschedulable: rejected due to timeout after waiting 10s at plugin W',
    );
  });

  it('registers every plugin that wants new nodes for changed taints too', () => {
    const { framework } = setUp([createNodeResourcesFit()]);
    const registered = framework.registrations.get('NodeResourcesFit') ?? [];
    assert.equal(registered.length, 5);
  });
});
