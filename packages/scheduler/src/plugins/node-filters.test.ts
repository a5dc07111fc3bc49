// The filters that look at one node and one pod: name, cordon, taints, affinity, ports, declared features.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeSelectorTerm } from '@homeostat/api/types/core-v1';
import { actions } from '../framework/cluster-event.ts';
import { CycleState } from '../framework/cycle-state.ts';
import type { Plugin } from '../framework/plugin.ts';
import {
  describe as say,
  filterWith,
  hintOf,
  newContainer,
  newNode,
  newNodeInfo,
  newPod,
  newPodInfo,
  type NodeParts,
  type PodParts,
  scoreWith,
} from '../test-objects.ts';
import { createNodeAffinity } from './node-affinity.ts';
import { createNodeDeclaredFeatures } from './node-declared-features.ts';
import { createNodeName } from './node-name.ts';
import { createNodePorts } from './node-ports.ts';
import { createNodeUnschedulable } from './node-unschedulable.ts';
import { createSchedulingGates } from './scheduling-gates.ts';
import { createTaintToleration } from './taint-toleration.ts';

interface Case {
  readonly what: string;
  readonly pod?: PodParts;
  readonly node?: NodeParts;
  readonly there?: readonly PodParts[];
  readonly says: string;
}

function table(plugin: Plugin, cases: readonly Case[]): void {
  for (const { what, pod, node, there = [], says } of cases) {
    it(`says ${says} for ${what}`, () => {
      const pods = there.map((parts, index) => newPod(`there-${index}`, parts));
      assert.equal(filterWith(plugin, newPodInfo('p', pod), newNodeInfo(newNode('n', node), pods)), says);
    });
  }
}

const taint = (key: string, effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule', value = '') => ({
  key,
  effect,
  value,
});
const port = (hostPort: number, more: object = {}): PodParts => ({
  spec: { containers: [newContainer({}, { ports: [{ containerPort: 80, hostPort, ...more }] })] },
});
const required = (...nodeSelectorTerms: NodeSelectorTerm[]): PodParts => ({
  spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
});
const expression = (
  key: string,
  operator: 'In' | 'NotIn' | 'Gt' | 'Exists',
  ...values: string[]
): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
});

describe('SchedulingGates', () => {
  const gates = createSchedulingGates();
  it('keeps pods with gates out', () => {
    const pod = newPodInfo('p', { spec: { schedulingGates: [{ name: 'a' }, { name: 'b' }] } });
    assert.equal(say(gates.preEnqueue?.(pod)), 'UnschedulableAndUnresolvable: waiting for scheduling gates: [a b]');
    assert.equal(gates.preEnqueue?.(newPodInfo('p')), undefined);
  });
});

describe('NodeName', () => {
  const refused = "UnschedulableAndUnresolvable: node(s) didn't match the requested node name";
  table(createNodeName(), [
    { what: 'no name', says: 'Success' },
    { what: 'the name', pod: { spec: { nodeName: 'n' } }, says: 'Success' },
    { what: 'another name', pod: { spec: { nodeName: 'm' } }, says: refused },
  ]);
});

describe('NodeUnschedulable', () => {
  const plugin = createNodeUnschedulable();
  const cordoned: NodeParts = { spec: { unschedulable: true } };
  const refused = 'UnschedulableAndUnresolvable: node(s) were unschedulable';
  table(plugin, [
    { what: 'an open node', says: 'Success' },
    { what: 'a cordoned node', node: cordoned, says: refused },
    {
      what: 'a pod that tolerates everything',
      node: cordoned,
      pod: { spec: { tolerations: [{ operator: 'Exists' }] } },
      says: 'Success',
    },
    {
      what: 'a pod that tolerates the taint',
      node: cordoned,
      pod: { spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] } },
      says: 'Success',
    },
  ]);
  it('asks for another try only when a node opens', () => {
    const hint = (old: NodeParts | undefined, now: NodeParts): string =>
      hintOf(plugin, newPodInfo('p'), {
        resource: 'Node',
        action: old === undefined ? actions.add : actions.updateNodeTaint,
        ...(old === undefined ? {} : { old: newNode('n', old) }),
        now: newNode('n', now),
      });
    assert.deepEqual(
      [hint(undefined, cordoned), hint(undefined, {}), hint(cordoned, {}), hint({}, {})],
      ['Skip', 'Queue', 'Queue', 'Skip'],
    );
  });
});

describe('TaintToleration', () => {
  const plugin = createTaintToleration();
  const refused = 'UnschedulableAndUnresolvable: node(s) had untolerated taint(s)';
  const node: NodeParts = { spec: { taints: [taint('k', 'NoSchedule', 'v')] } };
  const tolerating = (toleration: object): PodParts => ({ spec: { tolerations: [toleration] } });
  table(plugin, [
    { what: 'no taints', says: 'Success' },
    { what: 'a taint', node, says: refused },
    { what: 'an equal toleration', node, pod: tolerating({ key: 'k', value: 'v' }), says: 'Success' },
    { what: 'another value', node, pod: tolerating({ key: 'k', value: 'w' }), says: refused },
    { what: 'any value', node, pod: tolerating({ key: 'k', operator: 'Exists' }), says: 'Success' },
    {
      what: 'another effect',
      node,
      pod: tolerating({ key: 'k', operator: 'Exists', effect: 'NoExecute' }),
      says: refused,
    },
    { what: 'a preference', node: { spec: { taints: [taint('k', 'PreferNoSchedule')] } }, says: 'Success' },
  ]);
  it('prefers nodes without taints that are preferences', () => {
    const tainted = newNodeInfo(newNode('a', { spec: { taints: [taint('k', 'PreferNoSchedule')] } }));
    const free = newNodeInfo(newNode('b'));
    assert.deepEqual(scoreWith(plugin, newPodInfo('p'), [tainted, free]), [0, 100]);
    assert.deepEqual(
      scoreWith(plugin, newPodInfo('p', tolerating({ key: 'k', operator: 'Exists' })), [tainted, free]),
      [100, 100],
    );
  });
  it('asks for another try only when taints become tolerable', () => {
    const hint = (from: readonly object[], to: readonly object[]): string =>
      hintOf(plugin, newPodInfo('p'), {
        resource: 'Node',
        action: actions.updateNodeTaint,
        old: newNode('n', { spec: { taints: from as never } }),
        now: newNode('n', { spec: { taints: to as never } }),
      });
    assert.deepEqual(
      [
        hint([taint('k', 'NoSchedule')], []),
        hint([taint('k', 'NoSchedule')], [taint('j', 'NoSchedule')]),
        hint([], []),
      ],
      ['Queue', 'Skip', 'Skip'],
    );
  });
});

describe('NodeAffinity', () => {
  const plugin = createNodeAffinity();
  const node: NodeParts = { labels: { zone: 'a', size: '10' } };
  const refused = "UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector";
  table(plugin, [
    { what: 'no wishes', says: 'Skip' },
    { what: 'a matching selector', node, pod: { spec: { nodeSelector: { zone: 'a' } } }, says: 'Success' },
    { what: 'another selector', node, pod: { spec: { nodeSelector: { zone: 'b' } } }, says: refused },
    {
      what: 'one of two terms',
      node,
      pod: required(expression('zone', 'In', 'b'), expression('size', 'Gt', '9')),
      says: 'Success',
    },
    { what: 'a larger integer', node, pod: required(expression('size', 'Gt', '10')), says: refused },
    { what: 'an absent key and NotIn', node, pod: required(expression('rack', 'NotIn', 'r')), says: 'Success' },
    { what: 'an empty term', node, pod: required({}), says: refused },
    {
      what: 'selector and terms together',
      node,
      pod: { spec: { nodeSelector: { zone: 'a' }, ...required(expression('zone', 'In', 'b')).spec } },
      says: refused,
    },
    {
      what: 'names that contradict one another',
      node,
      pod: required({
        matchFields: [
          { key: 'metadata.name', operator: 'In', values: ['a'] },
          { key: 'metadata.name', operator: 'In', values: ['b'] },
        ],
      }),
      says: 'UnschedulableAndUnresolvable: pod affinity terms conflict',
    },
  ]);
  it('narrows the search to named nodes only when every term names some', () => {
    const named = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['x'] }] };
    const outcome = (pod: PodParts) => plugin.preFilter?.(new CycleState(), newPodInfo('p', pod), [])?.nodeNames;
    assert.deepEqual([...(outcome(required(named)) ?? [])], ['x']);
    assert.equal(outcome(required(named, expression('zone', 'Exists'))), undefined);
  });
  it('adds up preferences', () => {
    const preferring: PodParts = {
      spec: {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 10, preference: expression('zone', 'In', 'a') },
              { weight: 30, preference: expression('size', 'Exists') },
            ],
          },
        },
      },
    };
    const nodes = [
      newNodeInfo(newNode('a', node)),
      newNodeInfo(newNode('b', { labels: { zone: 'a' } })),
      newNodeInfo(newNode('c')),
    ];
    assert.deepEqual(scoreWith(plugin, newPodInfo('p', preferring), nodes), [100, 25, 0]);
    assert.equal(scoreWith(plugin, newPodInfo('p'), nodes), 'Skip');
  });
  it('demands affinity that the cluster adds', () => {
    const added = createNodeAffinity({
      addedAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [expression('zone', 'In', 'b')] },
      },
    });
    assert.equal(
      filterWith(added, newPodInfo('p'), newNodeInfo(newNode('n', node))),
      "UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity",
    );
  });
  it('asks for another try only when labels come to match', () => {
    const pod = newPodInfo('p', { spec: { nodeSelector: { zone: 'a' } } });
    const hint = (from: Record<string, string>, to: Record<string, string>): string =>
      hintOf(plugin, pod, {
        resource: 'Node',
        action: actions.updateNodeLabel,
        old: newNode('n', { labels: from }),
        now: newNode('n', { labels: to }),
      });
    assert.deepEqual(
      [hint({}, { zone: 'a' }), hint({}, { zone: 'b' }), hint({ zone: 'a' }, { zone: 'a', x: 'y' })],
      ['Queue', 'Skip', 'Skip'],
    );
  });
});

describe('NodePorts', () => {
  const plugin = createNodePorts();
  const refused = "Unschedulable: node(s) didn't have free ports for the requested pod ports";
  table(plugin, [
    { what: 'no ports', says: 'Skip' },
    { what: 'a free port', pod: port(8080), says: 'Success' },
    { what: 'a taken port', pod: port(8080), there: [port(8080)], says: refused },
    { what: 'another protocol', pod: port(8080, { protocol: 'UDP' }), there: [port(8080)], says: 'Success' },
    { what: 'one address against all', pod: port(8080, { hostIP: '127.0.0.1' }), there: [port(8080)], says: refused },
    { what: 'all addresses against one', pod: port(8080), there: [port(8080, { hostIP: '127.0.0.1' })], says: refused },
    {
      what: 'two addresses',
      pod: port(8080, { hostIP: '10.0.0.1' }),
      there: [port(8080, { hostIP: '127.0.0.1' })],
      says: 'Success',
    },
    {
      what: 'an init container',
      pod: { spec: { initContainers: [newContainer({}, { ports: [{ containerPort: 1, hostPort: 8080 }] })] } },
      there: [port(8080)],
      says: 'Skip',
    },
    {
      what: 'a sidecar',
      pod: {
        spec: {
          initContainers: [
            newContainer({}, { restartPolicy: 'Always', ports: [{ containerPort: 1, hostPort: 8080 }] }),
          ],
        },
      },
      there: [port(8080)],
      says: refused,
    },
  ]);
  it('asks for another try only when a conflicting port becomes free', () => {
    const hint = (parts: PodParts): string =>
      hintOf(plugin, newPodInfo('p', port(8080)), { resource: 'Pod', action: actions.delete, old: newPod('o', parts) });
    const bound = (parts: PodParts): PodParts => ({ spec: { ...parts.spec, nodeName: 'n' } });
    assert.deepEqual([hint(bound(port(8080))), hint(bound(port(9090))), hint(port(8080))], ['Queue', 'Skip', 'Skip']);
  });
});

describe('NodeDeclaredFeatures', () => {
  const plugin = createNodeDeclaredFeatures();
  const pod: PodParts = { spec: { hostNetwork: true, hostUsers: false } };
  table(plugin, [
    { what: 'no needs', says: 'Skip' },
    {
      what: 'a missing feature',
      pod,
      says: "UnschedulableAndUnresolvable: node(s) didn't match Pod's required features",
    },
    {
      what: 'a declared one',
      pod,
      node: { status: { declaredFeatures: ['UserNamespacesHostNetworkSupport'] } },
      says: 'Success',
    },
  ]);
});
