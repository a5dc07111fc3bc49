import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Affinity, Namespace, PodAffinityTerm } from '@homeostat/api/types/core-v1';
import { namespaces } from '@homeostat/client/resources';
import fc from 'fast-check';
import type { NodeInfo } from '../../cache/node-info.ts';
import { actions } from '../../framework/cluster-event.ts';
import { CycleState } from '../../framework/cycle-state.ts';
import {
  describe as say,
  filterWith,
  hintOf,
  newHandle,
  newNode,
  newNodeInfo,
  newPod,
  newPodInfo,
  type PodParts,
  scoreWith,
} from '../../test-objects.ts';
import { createInterPodAffinity } from './inter-pod-affinity.ts';
import { PairCounts } from './pair-counts.ts';

const term = (app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: 'zone',
  labelSelector: { matchLabels: { app } },
  ...more,
});
const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const away = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const pod = (app: string, affinity: Affinity = {}, more: PodParts = {}): PodParts => ({
  labels: { app },
  spec: { affinity },
  ...more,
});
const node = (zone: string, ...pods: readonly PodParts[]): NodeInfo =>
  newNodeInfo(
    newNode(zone, { labels: { zone } }),
    pods.map((parts, index) => newPod(`${zone}-${index}`, parts)),
  );
const namespace = (name: string, labels: Record<string, string>): Namespace => ({ metadata: { name, labels } });

function plugin(nodes: readonly NodeInfo[] = [], known: readonly Namespace[] = [], options = {}) {
  return createInterPodAffinity(newHandle({ nodes, objects: [[namespaces, known]] }), options);
}

const noAffinity = "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules";
const noAnti = "Unschedulable: node(s) didn't match pod anti-affinity rules";
const noExisting = "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";

describe('InterPodAffinity filter', () => {
  const everywhere = { namespaceSelector: {} };
  const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const cases: readonly {
    readonly what: string;
    readonly asks: PodParts;
    readonly nodes: readonly NodeInfo[];
    readonly says: readonly string[];
  }[] = [
    { what: 'no terms at all', asks: pod('x'), nodes: [node('a', pod('x'))], says: ['Skip'] },
    {
      what: 'a pod it wants',
      asks: pod('x', near(term('y'))),
      nodes: [node('a', pod('y')), node('b')],
      says: ['Success', noAffinity],
    },
    { what: 'nobody it wants', asks: pod('x', near(term('y'))), nodes: [node('a')], says: [noAffinity] },
    { what: 'the first of a group', asks: pod('x', near(term('x'))), nodes: [node('a')], says: ['Success'] },
    {
      what: 'the second of a group',
      asks: pod('x', near(term('x'))),
      nodes: [node('a', pod('x')), node('b')],
      says: ['Success', noAffinity],
    },
    {
      what: 'two terms that only different pods meet',
      asks: pod('x', near(term('y'), { topologyKey: 'zone', labelSelector: { matchLabels: { tier: 't' } } })),
      nodes: [node('a', pod('y'), { labels: { tier: 't' } })],
      says: [noAffinity],
    },
    {
      what: 'a node without the key',
      asks: pod('x', near(term('x', { topologyKey: 'rack' }))),
      nodes: [node('a')],
      says: [noAffinity],
    },
    {
      what: 'a pod it avoids',
      asks: pod('x', away(term('y'))),
      nodes: [node('a', pod('y')), node('b')],
      says: [noAnti, 'Success'],
    },
    {
      what: 'a pod it avoids that is going',
      asks: pod('x', away(term('y'))),
      nodes: [node('a', pod('y', {}, going))],
      says: [noAnti],
    },
    {
      what: 'anti-affinity by a key no node has',
      asks: pod('x', away(term('y', { topologyKey: 'rack' }))),
      nodes: [node('a', pod('y'))],
      says: ['Success'],
    },
    {
      what: 'a pod that avoids it',
      asks: pod('x'),
      nodes: [node('a', pod('y', away(term('x')))), node('b')],
      says: [noExisting, 'Success'],
    },
    {
      what: 'another namespace',
      asks: pod('x', away(term('y'))),
      nodes: [node('a', pod('y', {}, { namespace: 'other' }))],
      says: ['Success'],
    },
    {
      what: 'all namespaces',
      asks: pod('x', away(term('y', everywhere))),
      nodes: [node('a', pod('y', {}, { namespace: 'other' }))],
      says: [noAnti],
    },
    {
      what: 'namespaces by label',
      asks: pod('x', away(term('y', { namespaceSelector: { matchLabels: { team: 'blue' } } }))),
      nodes: [
        node('a', pod('y', {}, { namespace: 'blue' })),
        node('b', pod('y', {}, { namespace: 'other' })),
        node('c', pod('y')),
      ],
      says: [noAnti, 'Success', 'Success'],
    },
    {
      what: 'a pod that avoids namespaces by label',
      asks: pod('x', {}, { namespace: 'blue' }),
      nodes: [
        node('a', pod('y', away(term('x', { namespaceSelector: { matchLabels: { team: 'blue' } } })))),
        node('b'),
      ],
      says: [noExisting, 'Success'],
    },
    {
      what: 'no selector, which means nobody',
      asks: pod('x', away({ topologyKey: 'zone' })),
      nodes: [node('a', pod('y'))],
      says: ['Success'],
    },
  ];
  for (const { what, asks, nodes, says } of cases) {
    it(`judges ${what}`, () => {
      const own = plugin(nodes, [namespace('blue', { team: 'blue' }), namespace('other', {})]);
      assert.deepEqual(
        nodes.map((each) => filterWith(own, newPodInfo('p', asks), each, nodes)),
        says,
      );
    });
  }

  it('follows pods that come and go in thought, in clones alone', () => {
    const nodes = [node('a', pod('y')), node('b')];
    const [a, b] = nodes;
    assert.ok(a !== undefined && b !== undefined);
    const own = plugin(nodes);
    const asking = newPodInfo('p', pod('x', away(term('y'))));
    const state = new CycleState();
    own.preFilter?.(state, asking, nodes);
    const what = state.clone();
    own.preFilterExtensions?.removePod(what, asking, { pod: newPodInfo('a-0', pod('y')), node: a });
    own.preFilterExtensions?.addPod(what, asking, { pod: newPodInfo('new', pod('z', away(term('x')))), node: b });
    const judge = (of: CycleState): readonly string[] => nodes.map((each) => say(own.filter?.(of, asking, each)));
    assert.deepEqual(judge(what), ['Success', noExisting]);
    assert.deepEqual(judge(state), [noAnti, 'Success']);
  });
});

describe('InterPodAffinity score', () => {
  const wish = (weight: number, app: string) => ({ weight, podAffinityTerm: term(app) });
  const likes = (app: string): Affinity => ({
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [wish(10, app)] },
  });
  const dislikes = (app: string): Affinity => ({
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [wish(10, app)] },
  });
  const cases: readonly {
    readonly what: string;
    readonly asks: PodParts;
    readonly nodes: readonly NodeInfo[];
    readonly scores: unknown;
  }[] = [
    { what: 'nobody with wishes', asks: pod('x'), nodes: [node('a', pod('y')), node('b')], scores: 'Skip' },
    { what: 'a pod it likes', asks: pod('x', likes('y')), nodes: [node('a', pod('y')), node('b')], scores: [100, 0] },
    {
      what: 'two it likes',
      asks: pod('x', likes('y')),
      nodes: [node('a', pod('y'), pod('y')), node('b', pod('y')), node('c')],
      scores: [100, 50, 0],
    },
    {
      what: 'a pod it dislikes',
      asks: pod('x', dislikes('y')),
      nodes: [node('a', pod('y')), node('b')],
      scores: [0, 100],
    },
    {
      what: 'a pod that likes it',
      asks: pod('x'),
      nodes: [node('a', pod('y', likes('x'))), node('b')],
      scores: [100, 0],
    },
    {
      what: 'a pod that dislikes it',
      asks: pod('x'),
      nodes: [node('a', pod('y', dislikes('x'))), node('b')],
      scores: [0, 100],
    },
    {
      what: 'a pod that needs it',
      asks: pod('x'),
      nodes: [node('a', pod('y', near(term('x')))), node('b')],
      scores: [100, 0],
    },
    {
      what: 'the same everywhere',
      asks: pod('x', likes('y')),
      nodes: [node('a', pod('y')), node('b', pod('y'))],
      scores: [0, 0],
    },
  ];
  for (const { what, asks, nodes, scores } of cases) {
    it(`weighs ${what}`, () => assert.deepEqual(scoreWith(plugin(nodes), newPodInfo('p', asks), nodes), scores));
  }

  it('leaves wishes of others out when told to', () => {
    const nodes = [node('a', pod('y', likes('x'))), node('b')];
    const own = plugin(nodes, [], { ignorePreferredTermsOfExistingPods: true });
    assert.equal(scoreWith(own, newPodInfo('p', pod('x')), nodes), 'Skip');
  });
});

describe('InterPodAffinity hints', () => {
  const bound = (app: string, affinity: Affinity = {}) =>
    newPod('o', { ...pod(app), spec: { affinity, nodeName: 'n' } });
  const labelled = (zone?: string) => newNode('n', zone === undefined ? {} : { labels: { zone } });
  const cases: readonly (readonly [string, PodParts, Parameters<typeof hintOf>[2], string])[] = [
    [
      'a wanted pod is bound',
      pod('x', near(term('y'))),
      { resource: 'Pod', action: actions.add, now: bound('y') },
      'Queue',
    ],
    [
      'another pod is bound',
      pod('x', near(term('y'))),
      { resource: 'Pod', action: actions.add, now: bound('z') },
      'Skip',
    ],
    [
      'an unwanted pod goes',
      pod('x', away(term('y'))),
      { resource: 'Pod', action: actions.delete, old: bound('y') },
      'Queue',
    ],
    [
      'another pod goes',
      pod('x', away(term('y'))),
      { resource: 'Pod', action: actions.delete, old: bound('z') },
      'Skip',
    ],
    [
      'a pod that objected goes',
      pod('x'),
      { resource: 'Pod', action: actions.delete, old: bound('y', away(term('x'))) },
      'Queue',
    ],
    [
      'a pod becomes a wanted one',
      pod('x', near(term('y'))),
      { resource: 'Pod', action: actions.updatePodLabel, old: bound('z'), now: bound('y') },
      'Queue',
    ],
    [
      'a pod ceases to be unwanted',
      pod('x', away(term('y'))),
      { resource: 'Pod', action: actions.updatePodLabel, old: bound('y'), now: bound('z') },
      'Queue',
    ],
    [
      'a node with the key comes',
      pod('x', near(term('y'))),
      { resource: 'Node', action: actions.add, now: labelled('a') },
      'Queue',
    ],
    [
      'a node without the key comes',
      pod('x', near(term('y'))),
      { resource: 'Node', action: actions.add, now: labelled() },
      'Skip',
    ],
    [
      'a node changes its domain',
      pod('x', near(term('y'))),
      { resource: 'Node', action: actions.updateNodeLabel, old: labelled('a'), now: labelled('b') },
      'Queue',
    ],
    [
      'a node leaves its domain',
      pod('x', away(term('y'))),
      { resource: 'Node', action: actions.updateNodeLabel, old: labelled('a'), now: labelled() },
      'Queue',
    ],
  ];
  for (const [what, asks, event, expected] of cases) {
    it(`says ${expected} when ${what}`, () => assert.equal(hintOf(plugin(), newPodInfo('p', asks), event), expected));
  }
});

describe('PairCounts', () => {
  it('counts in clones as one that was counted anew', () => {
    const step = fc.record({
      key: fc.constantFrom('k', 'l'),
      value: fc.constantFrom('a', 'b'),
      by: fc.constantFrom(1, -1),
      clone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let counts = new PairCounts();
        const plain = new Map<string, number>();
        for (const { key, value, by, clone } of steps) {
          if (clone) counts = counts.clone();
          counts.add(key, value, by);
          plain.set(`${key}${value}`, (plain.get(`${key}${value}`) ?? 0) + by);
        }
        for (const key of ['k', 'l'])
          for (const value of ['a', 'b']) assert.equal(counts.get(key, value), plain.get(`${key}${value}`) ?? 0);
        assert.equal(
          counts.isEmpty,
          [...plain.values()].every((count) => count <= 0),
        );
      }),
      { seed: 9 },
    );
  });
});
