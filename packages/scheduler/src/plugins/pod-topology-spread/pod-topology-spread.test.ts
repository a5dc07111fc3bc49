import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod, Service, TopologySpreadConstraint } from '@homeostat/api/types/core-v1';
import { services } from '@homeostat/client/resources';
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
  type NodeParts,
  type PodParts,
  scoreWith,
} from '../../test-objects.ts';
import { createPodTopologySpread } from './pod-topology-spread.ts';

const app = { app: 'x' };
const labelled: PodParts = { labels: app };
const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: app },
  ...more,
});
const spreading = (...constraints: TopologySpreadConstraint[]): PodParts => ({
  ...labelled,
  spec: { topologySpreadConstraints: constraints },
});

/** A node in a zone, with as many pods of the app. */
function zone(name: string, count: number, more: NodeParts = {}, pod: PodParts = labelled): NodeInfo {
  const pods: Pod[] = Array.from({ length: count }, (_, index) => newPod(`${name}-${index}`, pod));
  return newNodeInfo(newNode(name, { labels: { zone: name, 'kubernetes.io/hostname': name }, ...more }), pods);
}

const skewed = "Unschedulable: node(s) didn't match pod topology spread constraints";
const missing =
  "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread constraints (missing required label)";

describe('PodTopologySpread filter', () => {
  const plugin = createPodTopologySpread(newHandle());
  const tainted: NodeParts = { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } };
  const cases: readonly {
    readonly what: string;
    readonly pod: PodParts;
    readonly nodes: readonly NodeInfo[];
    readonly says: readonly string[];
  }[] = [
    { what: 'a pod without constraints', pod: labelled, nodes: [zone('a', 3), zone('b', 0)], says: ['Skip', 'Skip'] },
    {
      what: 'zones of 2, 1 and 0',
      pod: spreading(constraint()),
      nodes: [zone('a', 2), zone('b', 1), zone('c', 0)],
      says: [skewed, skewed, 'Success'],
    },
    {
      what: 'a larger skew',
      pod: spreading(constraint({ maxSkew: 2 })),
      nodes: [zone('a', 2), zone('b', 1), zone('c', 0)],
      says: [skewed, 'Success', 'Success'],
    },
    {
      what: 'a tainted zone, which counts',
      pod: spreading(constraint()),
      nodes: [zone('a', 1), zone('c', 0, { labels: { zone: 'c' }, ...tainted })],
      says: [skewed, 'Success'],
    },
    {
      what: 'a tainted zone, when taints are honored',
      pod: spreading(constraint({ nodeTaintsPolicy: 'Honor' })),
      nodes: [zone('a', 1), zone('c', 0, { labels: { zone: 'c' }, ...tainted })],
      says: ['Success', 'Success'],
    },
    {
      what: 'fewer domains than wanted',
      pod: spreading(constraint({ minDomains: 3 })),
      nodes: [zone('a', 1), zone('b', 1)],
      says: [skewed, skewed],
    },
    {
      what: 'a node without the key',
      pod: spreading(constraint()),
      nodes: [zone('a', 1), zone('b', 0, { labels: {} })],
      says: ['Success', missing],
    },
    {
      what: 'pods that are going, which do not count',
      pod: spreading(constraint()),
      nodes: [zone('a', 2, {}, { ...labelled, deletionTimestamp: '2026-01-01T00:00:00Z' }), zone('b', 0)],
      says: ['Success', 'Success'],
    },
    {
      what: 'pods of other namespaces',
      pod: spreading(constraint()),
      nodes: [zone('a', 2, {}, { ...labelled, namespace: 'other' }), zone('b', 0)],
      says: ['Success', 'Success'],
    },
    {
      what: 'an empty selector, which counts nobody',
      pod: spreading(constraint({ labelSelector: {} })),
      nodes: [zone('a', 2), zone('b', 0)],
      says: ['Success', 'Success'],
    },
    {
      what: 'pods of another template',
      pod: { ...spreading(constraint({ matchLabelKeys: ['hash'] })), labels: { ...app, hash: 'new' } },
      nodes: [zone('a', 2, {}, { labels: { ...app, hash: 'old' } }), zone('b', 0)],
      says: ['Success', 'Success'],
    },
    {
      what: 'a node selector, which leaves other zones out',
      pod: { ...labelled, spec: { topologySpreadConstraints: [constraint()], nodeSelector: { zone: 'a' } } },
      nodes: [zone('a', 2), zone('b', 0)],
      says: ['Success', 'Success'],
    },
    {
      what: 'a node selector that is ignored',
      pod: {
        ...labelled,
        spec: {
          topologySpreadConstraints: [constraint({ nodeAffinityPolicy: 'Ignore' })],
          nodeSelector: { zone: 'a' },
        },
      },
      nodes: [zone('a', 2), zone('b', 0)],
      says: [skewed, 'Success'],
    },
  ];
  for (const { what, pod, nodes, says } of cases) {
    it(`judges ${what}`, () => {
      const info = newPodInfo('p', pod);
      assert.deepEqual(
        nodes.map((node) => filterWith(plugin, info, node, nodes)),
        says,
      );
    });
  }

  it('follows pods that come and go in thought, in clones alone', () => {
    const nodes = [zone('a', 1), zone('b', 0)];
    const [a, b] = nodes;
    assert.ok(a !== undefined && b !== undefined);
    const pod = newPodInfo('p', spreading(constraint()));
    const state = new CycleState();
    plugin.preFilter?.(state, pod, nodes);
    const what = state.clone();
    const judge = (of: CycleState): readonly string[] => nodes.map((node) => say(plugin.filter?.(of, pod, node)));
    assert.deepEqual(judge(state), [skewed, 'Success']);
    plugin.preFilterExtensions?.removePod(what, pod, { pod: newPodInfo('a-0', labelled), node: a });
    assert.deepEqual(judge(what), ['Success', 'Success']);
    plugin.preFilterExtensions?.addPod(what, pod, { pod: newPodInfo('new', labelled), node: b });
    assert.deepEqual(judge(what), ['Success', skewed]);
    assert.deepEqual(judge(state), [skewed, 'Success']);
  });
});

describe('PodTopologySpread score', () => {
  const service: Service = { metadata: { name: 's', namespace: 'default' }, spec: { selector: app } };
  const zoneKey = 'topology.kubernetes.io/zone';
  const inZone = (name: string, zoneName: string, count: number): NodeInfo =>
    zone(name, count, { labels: { 'kubernetes.io/hostname': name, [zoneKey]: zoneName } });

  it('spreads the pods of a Service over hosts and zones without being asked', () => {
    const nodes = [inZone('a', 'x', 2), inZone('b', 'x', 0), inZone('c', 'y', 0)];
    const plugin = createPodTopologySpread(newHandle({ nodes, objects: [[services, [service]]] }));
    const [a = 0, b = 0, c = 0] = scoreWith(plugin, newPodInfo('p', labelled), nodes) as readonly number[];
    assert.ok(a < b && b < c, `${a} < ${b} < ${c}`);
    assert.equal(c, 100);
  });

  it('leaves pods alone that belong to nothing, or have constraints of their own', () => {
    const nodes = [inZone('a', 'x', 2), inZone('b', 'y', 0)];
    const plugin = createPodTopologySpread(newHandle({ nodes, objects: [[services, [service]]] }));
    assert.equal(scoreWith(plugin, newPodInfo('p'), nodes), 'Skip');
    assert.equal(scoreWith(plugin, newPodInfo('p', spreading(constraint())), nodes), 'Skip');
  });

  it('gives nodes without the key of a wish nothing', () => {
    const nodes = [zone('a', 1), zone('b', 0, { labels: {} }), zone('c', 0)];
    const plugin = createPodTopologySpread(newHandle({ nodes }));
    const pod = newPodInfo('p', spreading(constraint({ whenUnsatisfiable: 'ScheduleAnyway' })));
    assert.deepEqual(scoreWith(plugin, pod, nodes), [0, 0, 100]);
  });
});

describe('PodTopologySpread hints', () => {
  const plugin = createPodTopologySpread(newHandle());
  const pod = newPodInfo('p', spreading(constraint()));
  const bound = (labels: Record<string, string>): Pod => newPod('o', { labels, spec: { nodeName: 'n' } });
  const node = (labels: Record<string, string>) => newNode('n', { labels });
  const cases: readonly (readonly [string, Parameters<typeof hintOf>[2], string])[] = [
    ['a pod it is about is bound', { resource: 'Pod', action: actions.add, now: bound(app) }, 'Queue'],
    ['another pod is bound', { resource: 'Pod', action: actions.add, now: bound({}) }, 'Skip'],
    ['a pod it is about goes', { resource: 'Pod', action: actions.delete, old: bound(app) }, 'Queue'],
    [
      'a pod becomes one',
      { resource: 'Pod', action: actions.updatePodLabel, old: bound({}), now: bound(app) },
      'Queue',
    ],
    [
      'a pod changes otherwise',
      { resource: 'Pod', action: actions.updatePodLabel, old: bound(app), now: bound({ ...app, y: 'z' }) },
      'Skip',
    ],
    ['a node with the key comes', { resource: 'Node', action: actions.add, now: node({ zone: 'a' }) }, 'Queue'],
    ['a node without the key comes', { resource: 'Node', action: actions.add, now: node({}) }, 'Skip'],
    [
      'a node changes zones',
      { resource: 'Node', action: actions.updateNodeLabel, old: node({ zone: 'a' }), now: node({ zone: 'b' }) },
      'Queue',
    ],
    [
      'a node changes otherwise',
      { resource: 'Node', action: actions.updateNodeLabel, old: node({ zone: 'a' }), now: node({ zone: 'a', x: 'y' }) },
      'Skip',
    ],
  ];
  for (const [what, event, expected] of cases)
    it(`says ${expected} when ${what}`, () => assert.equal(hintOf(plugin, pod, event), expected));
});
