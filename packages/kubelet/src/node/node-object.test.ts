// The Node and its writes (spec/node.md §1.1–1.4, §1.8).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '@homeostat/api/types/core-v1';
import { schemaFor } from '../schemas.ts';
import type { NodeIdentity } from './node-definition.ts';
import { defaultLabels, initialNode, nodeStatus, ownLabels } from './node-object.ts';
import { nodePatch, nodeStatusDiffers, reconcileNode } from './node-write.ts';

const nowMs = Date.UTC(2026, 0, 1);
const identity: NodeIdentity = {
  definition: { name: 'n', capacity: { cpu: '4', memory: '8Gi', 'example.com/gpu': '2' } },
  hostIP: '172.18.0.2',
  bootId: 'boot',
  machineId: 'machine',
  systemUuid: 'uuid',
  operatingSystem: 'linux',
  architecture: 'arm64',
  runtimeVersion: 'homeostat://simulated',
  osImage: 'os',
  kernelVersion: '6',
};
const initial = initialNode(identity, nowMs);

it('capacity and allocatable', () => {
  const { capacity, allocatable } = initial.status ?? {};
  assert.deepEqual(capacity, {
    cpu: '4',
    'ephemeral-storage': '100Gi',
    'hugepages-1Gi': '0',
    'hugepages-2Mi': '0',
    memory: '8Gi',
    pods: '110',
    'example.com/gpu': '2',
  });
  assert.deepEqual(
    [allocatable?.['memory'], allocatable?.['ephemeral-storage'], allocatable?.['example.com/gpu']],
    ['8092Mi', '96636764160', '2'],
  );
});

it('what an administrator added to the capacity stays', () => {
  const old = { ...initial.status, capacity: { ...initial.status?.capacity, 'example.com/dongle': '4' } };
  assert.equal(nodeStatus(identity, old, { ready: true }, nowMs).capacity?.['example.com/dongle'], '4');
});

it('conditions: order, foreign ones in place, transitions', () => {
  const unknown = initial.status?.conditions?.map((condition) => ({
    ...condition,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  }));
  const foreign = { type: 'NetworkUnavailable', status: 'False' };
  const status = nodeStatus(identity, { conditions: [foreign, ...(unknown ?? [])] }, { ready: true }, nowMs + 60_000);
  assert.deepEqual(
    status.conditions?.map(({ type, status: value, reason }) => [type, value, reason]),
    [
      ['NetworkUnavailable', 'False', undefined],
      ['MemoryPressure', 'False', 'KubeletHasSufficientMemory'],
      ['DiskPressure', 'False', 'KubeletHasNoDiskPressure'],
      ['PIDPressure', 'False', 'KubeletHasSufficientPID'],
      ['Ready', 'True', 'KubeletReady'],
    ],
  );
  assert.ok(
    status.conditions?.slice(1).every(({ lastTransitionTime }) => lastTransitionTime === '2026-01-01T00:01:00Z'),
  );
});

describe('writes', () => {
  const ready: Node = { ...initial, status: nodeStatus(identity, initial.status, { ready: true }, nowMs) };
  const later: Node = { ...ready, status: nodeStatus(identity, ready.status, { ready: true }, nowMs + 10_000) };

  it('a heartbeat alone is no difference', () => {
    assert.equal(nodeStatusDiffers(ready, later), false);
    assert.equal(nodeStatusDiffers(initial, ready), true);
  });

  it('a heartbeat is a patch of four times', () => {
    const patch = nodePatch(ready, later, schemaFor('Node'));
    assert.deepEqual(Object.keys(patch ?? {}), ['status']);
    const { conditions } = (patch as { status: { conditions: readonly object[] } }).status;
    assert.deepEqual(
      conditions.map((condition) => Object.keys(condition).sort()),
      Array.from({ length: 4 }, () => ['lastHeartbeatTime', 'type']),
    );
  });

  it('addresses are replaced as a whole', () => {
    const moved: Node = {
      ...ready,
      status: { ...ready.status, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    };
    const patch = nodePatch(ready, moved, schemaFor('Node')) as { status: { addresses: readonly object[] } };
    assert.deepEqual(patch.status.addresses, [{ type: 'InternalIP', address: '10.0.0.1' }, { $patch: 'replace' }]);
  });

  it('of an existing node the kubelet mends its own labels and the annotation, nothing else', () => {
    const existing: Node = {
      metadata: { name: 'n', labels: { a: 'b', 'kubernetes.io/os': 'x' } },
      spec: { taints: [{ key: 't', effect: 'NoSchedule' }] },
    };
    const mended = reconcileNode(existing, initial, defaultLabels(identity));
    assert.equal(mended.metadata?.labels?.['kubernetes.io/os'], 'linux');
    assert.equal(mended.metadata.labels['a'], 'b');
    assert.deepEqual(mended.spec, existing.spec);
  });
});

it('a node gives itself the labels that NodeRestriction allows', () => {
  const labels = {
    disk: 'ssd',
    'node-role.kubernetes.io/worker': '',
    'topology.kubernetes.io/zone': 'a',
    'node.kubernetes.io/anything': 'x',
    'node-restriction.kubernetes.io/x': 'y',
    'example.com/x': 'y',
  };
  assert.deepEqual(Object.keys(ownLabels(labels)), [
    'disk',
    'topology.kubernetes.io/zone',
    'node.kubernetes.io/anything',
    'example.com/x',
  ]);
});
