// What a node refuses (spec/node.md §2.2, §2.3).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { container, podOf } from '../pod/fixture.ts';
import { refusalOf } from './admit-pod.ts';
import { NodeUsage } from './pod-resources.ts';

const node: Node = {
  metadata: { name: 'n', labels: { 'kubernetes.io/os': 'linux', disk: 'ssd' } },
  spec: {},
  status: {
    allocatable: { cpu: '2', memory: '1Gi', pods: '3' },
    nodeInfo: { operatingSystem: 'linux' } as never,
  },
};

function asking(requests: Readonly<Record<string, string>>): Pod {
  return podOf({ containers: [container('c', { resources: { requests } })] });
}

function withPorts(hostPort: number, hostIP?: string): Pod {
  const port = { containerPort: 1, hostPort, ...(hostIP === undefined ? {} : { hostIP }) };
  return podOf({ containers: [container('c', { ports: [port] })] });
}

const tainted = (effect: 'NoExecute' | 'NoSchedule'): Node => ({
  ...node,
  spec: { taints: [{ key: 'x', value: 'y', effect }] },
});

describe('refusals', () => {
  const table: readonly (readonly [string, Pod, Node, readonly Pod[], string | undefined])[] = [
    ['nothing', podOf(), node, [], undefined],
    [
      'cpu',
      asking({ cpu: '1' }),
      node,
      [asking({ cpu: '1500m' })],
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
    ],
    [
      'memory',
      asking({ memory: '2Gi' }),
      node,
      [],
      "OutOfmemory: Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    ],
    [
      'pods',
      podOf(),
      node,
      [podOf(), podOf(), podOf()],
      "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    ],
    ['an extended resource nobody knows', asking({ 'example.com/gpu': '1' }), node, [], undefined],
    [
      'an extended resource that is used up',
      asking({ 'example.com/gpu': '2' }),
      { ...node, status: { ...node.status, allocatable: { ...node.status?.allocatable, 'example.com/gpu': '1' } } },
      [],
      "OutOfexample.com/gpu: Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1",
    ],
    ['a label that matches', podOf({ nodeSelector: { disk: 'ssd' } }), node, [], undefined],
    [
      'a label that does not',
      podOf({ nodeSelector: { disk: 'hdd' } }),
      node,
      [],
      "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'a host port that is taken on all addresses',
      withPorts(80),
      node,
      [withPorts(80, '10.0.0.1')],
      "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ],
    ['the same port on another address', withPorts(80, '10.0.0.2'), node, [withPorts(80, '10.0.0.1')], undefined],
    [
      'a NoExecute taint',
      podOf(),
      tainted('NoExecute'),
      [],
      "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    ],
    ['a NoSchedule taint', podOf(), tainted('NoSchedule'), [], undefined],
    [
      'a NoExecute taint that is tolerated',
      podOf({ tolerations: [{ operator: 'Exists' }] }),
      tainted('NoExecute'),
      [],
      undefined,
    ],
    [
      'another operating system',
      podOf({ os: { name: 'windows' } }),
      node,
      [],
      "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS",
    ],
    [
      'a sysctl that is not safe',
      podOf({ securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }),
      node,
      [],
      'SysctlForbidden: forbidden sysctl: "kernel.msgmax" not allowlisted',
    ],
  ];
  for (const [name, pod, on, before, refusal] of table) {
    it(name, () => {
      const usage = new NodeUsage();
      for (const [index, other] of before.entries()) usage.add(`other-${index}`, other);
      const verdict = refusalOf(pod, { node: on, usage });
      assert.equal(verdict === undefined ? undefined : `${verdict.reason}: ${verdict.message}`, refusal);
    });
  }
});

it('a Pod that is over makes room, whatever its spec has become', () => {
  const usage = new NodeUsage();
  usage.add('a', asking({ cpu: '2' }));
  assert.equal(usage.of('cpu'), 2000);
  usage.add('a', asking({ cpu: '1' }));
  assert.equal(usage.of('cpu'), 1000);
  usage.remove('a');
  usage.remove('a');
  assert.deepEqual([usage.of('cpu'), usage.pods], [0, 0]);
});
