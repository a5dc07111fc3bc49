import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PodDisruptionBudget } from '@homeostat/api/types/policy-v1';
import { podDisruptionBudgets } from '@homeostat/client/resources';
import type { NodeInfo } from '../../cache/node-info.ts';
import { CycleState } from '../../framework/cycle-state.ts';
import { NodeToStatus } from '../../framework/node-to-status.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import {
  describe as say,
  newContainer,
  newHandle,
  newNode,
  newNodeInfo,
  newPod,
  newPodInfo,
  type PodParts,
} from '../../test-objects.ts';
import { createNodeResourcesFit } from '../node-resources-fit.ts';
import { type Candidate, chooseCandidate } from './candidate.ts';
import { createDefaultPreemption } from './default-preemption.ts';
import { selectVictims } from './dry-run.ts';

const fit = createNodeResourcesFit();
const handle = {
  runFiltersWithNominatedPods: (state: CycleState, pod: PodInfo, node: NodeInfo) => fit.filter?.(state, pod, node),
  runAddPod: () => undefined,
  runRemovePod: () => undefined,
};
const nowMs = Date.parse('2026-01-01T00:00:00Z');
const parts = (priority: number, cpu: string, more: PodParts = {}): PodParts => ({
  ...more,
  spec: { priority, containers: [newContainer({ cpu })] },
});
const budget = (allowed: number, labels: Record<string, string>): PodDisruptionBudget => ({
  metadata: { name: 'b', namespace: 'default' },
  spec: { selector: { matchLabels: labels } },
  status: { disruptionsAllowed: allowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
});

describe('selectVictims()', () => {
  const preemptor = newPodInfo('preemptor', parts(10, '2'));
  const victimsOn = (pods: readonly PodParts[], budgets: readonly PodDisruptionBudget[] = []): string => {
    const node = newNodeInfo(
      newNode('n', { allocatable: { cpu: '4', pods: '9' } }),
      pods.map((each, index) => newPod(`p${index}`, each)),
    );
    const result = selectVictims(handle, node, { state: new CycleState(), pod: preemptor, budgets, nowMs });
    if (result instanceof Status) return say(result);
    return `${result.victims.map(({ name }) => name).join(' ')}${result.violations === 0 ? '' : ` (${result.violations} protected)`}`;
  };
  const app = { labels: { app: 'x' } };
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'nobody less important',
      victimsOn([parts(10, '4')]),
      'UnschedulableAndUnresolvable: No preemption victims found for incoming pod',
    ],
    ['not enough room even so', victimsOn([parts(1, '1'), parts(10, '3')]), 'Unschedulable: Insufficient cpu'],
    ['only as many as needed, the least important', victimsOn([parts(2, '2'), parts(1, '2')]), 'p1'],
    [
      'the one that started later',
      victimsOn([
        parts(1, '2', { status: { startTime: '2025-12-02T00:00:00Z' } }),
        parts(1, '2', { status: { startTime: '2025-12-01T00:00:00Z' } }),
      ]),
      'p0',
    ],
    ['protected pods last', victimsOn([parts(1, '2', app), parts(2, '2')], [budget(0, { app: 'x' })]), 'p1'],
    [
      'protected pods if need be',
      victimsOn([parts(1, '2', app), parts(2, '2', app)], [budget(0, { app: 'x' })]),
      'p0 (1 protected)',
    ],
  ];
  for (const [what, actual, expected] of cases) it(`finds ${what}`, () => assert.equal(actual, expected));
});

describe('chooseCandidate()', () => {
  const candidate = (
    name: string,
    violations: number,
    ...victims: readonly (readonly [number, string?])[]
  ): Candidate => ({
    node: newNodeInfo(newNode(name)),
    violations,
    victims: victims.map(([priority, startTime], index) =>
      newPodInfo(`${name}-${index}`, {
        spec: { priority },
        ...(startTime === undefined ? {} : { status: { startTime } }),
      }),
    ),
  });
  const cases: readonly (readonly [string, readonly Candidate[], string])[] = [
    ['the fewest violations', [candidate('a', 1, [1]), candidate('b', 0, [5], [5])], 'b'],
    ['the least important victim', [candidate('a', 0, [5]), candidate('b', 0, [3])], 'b'],
    ['the smallest sum', [candidate('a', 0, [5], [4]), candidate('b', 0, [5], [1])], 'b'],
    ['the fewest victims', [candidate('a', 0, [5], [-5]), candidate('b', 0, [5])], 'b'],
    [
      'the latest start',
      [candidate('a', 0, [5, '2025-01-01T00:00:00Z']), candidate('b', 0, [5, '2025-01-02T00:00:00Z'])],
      'b',
    ],
  ];
  for (const [what, candidates, expected] of cases) {
    it(`prefers ${what}`, () => assert.equal(chooseCandidate(candidates, nowMs)?.node.name, expected));
  }
});

describe('DefaultPreemption', () => {
  const run = async (pod: PodParts, nodes: readonly NodeInfo[], nodeToStatus = new NodeToStatus()) => {
    const own = newHandle({
      nodes,
      pods: [newPod('p', pod)],
      objects: [[podDisruptionBudgets, []]],
      overrides: handle,
    });
    const outcome = await createDefaultPreemption(own).postFilter?.(
      new CycleState(),
      newPodInfo('p', pod),
      nodeToStatus,
    );
    return { says: say(outcome?.verdict), nominates: outcome?.nominating?.nodeName };
  };
  const full = (priority: number): NodeInfo =>
    newNodeInfo(newNode('n', { allocatable: { cpu: '2', pods: '9' } }), [newPod('there', parts(priority, '2'))]);
  const unschedulable = (): NodeToStatus => {
    const statuses = new NodeToStatus();
    statuses.set('n', Status.unschedulable('NodeResourcesFit', 'Insufficient cpu'));
    return statuses;
  };

  it('nominates a node whose less important pods can go', async () => {
    assert.deepEqual(await run(parts(5, '1'), [full(1)], unschedulable()), { says: 'Success', nominates: 'n' });
  });

  it('says that there is nobody to remove, and clears the nomination', async () => {
    assert.deepEqual(await run(parts(5, '1'), [full(5)], unschedulable()), {
      says: 'Unschedulable: preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
      nominates: '',
    });
  });

  it('says where it would not help', async () => {
    assert.deepEqual(await run(parts(5, '9'), [full(1)]), {
      says: 'Unschedulable: preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
      nominates: '',
    });
  });

  it('leaves polite pods and their nomination alone', async () => {
    const polite = { ...parts(5, '1'), spec: { ...parts(5, '1').spec, preemptionPolicy: 'Never' as const } };
    assert.deepEqual(await run(polite, [full(1)], unschedulable()), {
      says: 'Unschedulable: preemption: not eligible due to preemptionPolicy=Never.',
      nominates: undefined,
    });
  });

  it('waits for victims that are going, but not for pods that go for other reasons', async () => {
    const going = (reason: string): NodeInfo =>
      newNodeInfo(newNode('n', { allocatable: { cpu: '2', pods: '9' } }), [
        newPod('there', {
          ...parts(1, '2'),
          deletionTimestamp: '2026-01-01T00:00:00Z',
          status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason }] } as never,
        }),
      ]);
    const nominated = { ...parts(5, '1'), status: { nominatedNodeName: 'n' } };
    assert.deepEqual(await run(nominated, [going('PreemptionByScheduler')], unschedulable()), {
      says: 'Unschedulable: preemption: not eligible due to a terminating pod on the nominated node.',
      nominates: undefined,
    });
    assert.equal((await run(nominated, [going('EvictionByEvictionAPI')], unschedulable())).says, 'Success');
  });
});
