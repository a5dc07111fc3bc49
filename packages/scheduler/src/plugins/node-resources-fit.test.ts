import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actions } from '../framework/cluster-event.ts';
import {
  filterWith,
  hintOf,
  newContainer,
  newNode,
  newNodeInfo,
  newPod,
  newPodInfo,
  scoreWith,
} from '../test-objects.ts';
import { createNodeResourcesFit } from './node-resources-fit.ts';

const fit = createNodeResourcesFit();

describe('NodeResourcesFit filter', () => {
  const node = newNodeInfo(newNode('n', { allocatable: { cpu: '2', memory: '1Gi', pods: '2', 'x/y': '1' } }), [
    newPod('there', { requests: { cpu: '1' } }),
  ]);
  const cases: readonly (readonly [string, Parameters<typeof newPodInfo>[1], string])[] = [
    ['fits', { requests: { cpu: '1', memory: '1Gi', 'x/y': '1' } }, 'Success'],
    ['nothing requested', {}, 'Success'],
    ['more than is free', { requests: { cpu: '1500m' } }, 'Unschedulable: Insufficient cpu'],
    ['more than there is', { requests: { cpu: '3' } }, 'UnschedulableAndUnresolvable: Insufficient cpu'],
    [
      'several resources',
      { requests: { cpu: '9', memory: '9Gi', 'ephemeral-storage': '1Gi' } },
      'UnschedulableAndUnresolvable: Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage',
    ],
    ['an unknown resource', { requests: { 'a/b': '1' } }, 'UnschedulableAndUnresolvable: Insufficient a/b'],
    ['zero of an unknown resource', { requests: { 'a/b': '0' } }, 'Success'],
    [
      'overhead',
      { requests: { cpu: '1' }, spec: { overhead: { cpu: '100m' }, containers: [newContainer({ cpu: '1' })] } },
      'Unschedulable: Insufficient cpu',
    ],
  ];
  for (const [what, pod, expected] of cases) {
    it(`says ${expected} for ${what}`, () => assert.equal(filterWith(fit, newPodInfo('p', pod), node), expected));
  }

  it('counts pods, resolvably', () => {
    const full = newNodeInfo(newNode('n', { allocatable: { cpu: '2', pods: '1' } }), [newPod('there')]);
    assert.equal(filterWith(fit, newPodInfo('p'), full), 'Unschedulable: Too many pods');
    assert.equal(
      filterWith(fit, newPodInfo('p', { requests: { cpu: '9' } }), full),
      'UnschedulableAndUnresolvable: Too many pods, Insufficient cpu',
    );
    const without = newNodeInfo(newNode('n', { allocatable: { cpu: '2' } }));
    assert.equal(filterWith(fit, newPodInfo('p'), without), 'Unschedulable: Too many pods');
  });

  it('leaves ignored resources and groups out', () => {
    const pod = newPodInfo('p', { requests: { 'x/z': '5' } });
    assert.equal(filterWith(createNodeResourcesFit({ ignoredResources: ['x/z'] }), pod, node), 'Success');
    assert.equal(filterWith(createNodeResourcesFit({ ignoredResourceGroups: ['x'] }), pod, node), 'Success');
    assert.equal(
      filterWith(createNodeResourcesFit({ ignoredResourceGroups: ['y'] }), pod, node),
      'UnschedulableAndUnresolvable: Insufficient x/z',
    );
  });
});

describe('NodeResourcesFit score', () => {
  const small = newNodeInfo(newNode('small', { allocatable: { cpu: '2', memory: '4Gi', pods: '9' } }));
  const large = newNodeInfo(newNode('large', { allocatable: { cpu: '4', memory: '8Gi', pods: '9' } }));

  it('prefers the larger of two empty nodes for a pod that requests nothing', () => {
    const [onSmall = 0, onLarge = 0] = scoreWith(fit, newPodInfo('p'), [small, large]) as readonly number[];
    assert.deepEqual([onSmall, onLarge], [95, 97]);
  });

  it('gives 0 for a resource that would be over-committed', () => {
    const pod = newPodInfo('p', { requests: { cpu: '3', memory: '2Gi' } });
    assert.deepEqual(scoreWith(fit, pod, [small]), [25]);
  });

  it('packs when asked to', () => {
    const pod = newPodInfo('p', { requests: { cpu: '1', memory: '2Gi' } });
    const most = createNodeResourcesFit({ scoring: { type: 'MostAllocated' } });
    assert.deepEqual(scoreWith(most, pod, [small, large]), [50, 25]);
  });

  it('follows a shape, and lets resources that score 0 not count', () => {
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ];
    const ratio = createNodeResourcesFit({ scoring: { type: 'RequestedToCapacityRatio', shape } });
    assert.deepEqual(
      scoreWith(ratio, newPodInfo('p', { requests: { cpu: '1', memory: '2Gi' } }), [small, large]),
      [50, 25],
    );
    assert.deepEqual(scoreWith(ratio, newPodInfo('p', { requests: { cpu: '1', memory: '0' } }), [small]), [50]);
  });
});

describe('NodeResourcesFit hints', () => {
  const pod = newPodInfo('p', { requests: { cpu: '3' } });
  const node = (cpu: string, memory = '8Gi') => newNode('n', { allocatable: { cpu, memory, pods: '110' } });
  const cases: readonly (readonly [string, Parameters<typeof hintOf>[2], string])[] = [
    [
      'a bound pod goes',
      { resource: 'Pod', action: actions.delete, old: newPod('o', { spec: { nodeName: 'n' } }) },
      'Queue',
    ],
    ['an unbound pod goes', { resource: 'Pod', action: actions.delete, old: newPod('o') }, 'Skip'],
    ['a node comes that is large enough', { resource: 'Node', action: actions.add, now: node('4') }, 'Queue'],
    ['a node comes that is too small', { resource: 'Node', action: actions.add, now: node('2') }, 'Skip'],
    ['cpu grows', { resource: 'Node', action: actions.updateNodeAllocatable, old: node('2'), now: node('4') }, 'Queue'],
    [
      'only memory grows',
      { resource: 'Node', action: actions.updateNodeAllocatable, old: node('4'), now: node('4', '9Gi') },
      'Skip',
    ],
    [
      'a bound pod shrinks',
      {
        resource: 'Pod',
        action: actions.updatePodScaleDown,
        old: newPod('o', { requests: { cpu: '2' }, spec: { nodeName: 'n', containers: [newContainer({ cpu: '2' })] } }),
        now: newPod('o', { spec: { nodeName: 'n', containers: [newContainer({ cpu: '1' })] } }),
      },
      'Queue',
    ],
    [
      'a bound pod shrinks in something else',
      {
        resource: 'Pod',
        action: actions.updatePodScaleDown,
        old: newPod('o', { spec: { nodeName: 'n', containers: [newContainer({ memory: '2Gi' })] } }),
        now: newPod('o', { spec: { nodeName: 'n', containers: [newContainer({ memory: '1Gi' })] } }),
      },
      'Skip',
    ],
    [
      'the pod itself shrinks',
      { resource: 'Pod', action: actions.updatePodScaleDown, old: newPod('p'), now: newPod('p') },
      'Queue',
    ],
  ];
  for (const [what, event, expected] of cases)
    it(`says ${expected} when ${what}`, () => assert.equal(hintOf(fit, pod, event), expected));
});
