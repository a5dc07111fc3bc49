// What watchers see of simulated nodes: registration, leases, silence and return, in virtual time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '@homeostat/api/types/core-v1';
import { leases, nodes, pods } from '@homeostat/client/resources';
import { parseMicroTime } from '@homeostat/machinery';
import { simulated, startNodes } from './fixture.ts';

function readyOf(node: Node | undefined): string | undefined {
  return node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

test('a fresh node: not ready first, ready at once, five labels, six events', async () => {
  await using cluster = await startNodes([
    {
      name: 'node-1',
      labels: { 'topology.kubernetes.io/zone': 'a', 'node-role.kubernetes.io/worker': '', disk: 'fast' },
      taints: [{ key: 'dedicated', value: 'x', effect: 'PreferNoSchedule' }],
    },
  ]);
  const node = cluster.test.get(nodes, undefined, 'node-1');
  assert.deepEqual(node?.metadata?.labels, {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    disk: 'fast',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': 'node-1',
    'kubernetes.io/os': 'linux',
    'node-role.kubernetes.io/worker': '',
    'topology.kubernetes.io/zone': 'a',
  });
  assert.ok(node.spec?.taints?.some(({ key }) => key === 'dedicated'));
  assert.deepEqual(
    node.status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [
      ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
      ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
      ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
      ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
    ],
  );
  const history = await cluster.test.history();
  const first = history.find(({ key, type }) => type === 'put' && key.endsWith('/node-1') && !key.includes('lease'));
  assert.match(first?.value ?? '', /container runtime status check may not have completed yet/);
  assert.equal(node.status.allocatable?.['memory'], '32668Mi');
  assert.equal(node.status.allocatable?.['ephemeral-storage'], '96636764160');
  assert.equal(node.status.nodeInfo?.kubeletVersion, 'v1.36.2');
  assert.equal(node.status.nodeInfo.kubeProxyVersion, '');
  const told = cluster.eventsOf('node-1').filter(({ source }) => source?.component === 'kubelet');
  assert.deepEqual(
    told.map(({ reason }) => reason),
    [
      'Starting',
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
      'NodeAllocatableEnforced',
      'NodeReady',
    ],
  );
});

test('a steady node: a lease every ten seconds out of step with others, a status every five minutes', async () => {
  await using cluster = await startNodes(3);
  const watchedLeases = await cluster.watch(leases);
  const watchedNodes = await cluster.watch(nodes);
  await cluster.test.advance(12 * 60_000);
  for (const name of ['node-1', 'node-2', 'node-3']) {
    const beats = watchedLeases.seen
      .map(({ event }) => event.object)
      .filter(({ metadata }) => metadata?.name === name)
      .map(({ spec }) => parseMicroTime(spec?.renewTime ?? ''));
    const gaps = beats.slice(3).map((beat, index) => beat - (beats[index + 2] ?? 0));
    assert.ok(beats.length >= 68 && beats.length <= 75, `${beats.length} renewals`);
    assert.ok(gaps.every((gap) => gap >= 10_000 && gap <= 10_400.001));
  }
  await cluster.test.advance(6 * 60_000);
  for (const name of ['node-1', 'node-2', 'node-3']) {
    // The first report comes 2.5 to 7.5 minutes after the node became ready, the others every 5 minutes, at the next look.
    const reports = watchedNodes.seen
      .filter(({ event }) => event.type === 'MODIFIED' && event.object.metadata?.name === name)
      .map(({ event }) => event.object.status?.conditions?.find(({ type }) => type === 'Ready'))
      .map((ready) => Date.parse(ready?.lastHeartbeatTime ?? ''));
    const gaps = reports.slice(1).map((report, index) => report - (reports[index] ?? 0));
    assert.ok(gaps.length >= 1 && gaps.length <= 3, `${reports.length} status writes`);
    assert.ok(
      gaps.slice(1).every((gap) => gap >= 300_000 && gap <= 312_000),
      gaps.join(' '),
    );
  }
  const phases = new Set(
    ['node-1', 'node-2', 'node-3'].map((name) => cluster.test.get(leases, 'kube-node-lease', name)?.spec?.renewTime),
  );
  assert.equal(phases.size, 3);
  const [owner] = cluster.test.get(leases, 'kube-node-lease', 'node-1')?.metadata?.ownerReferences ?? [];
  assert.equal(owner?.uid, cluster.test.get(nodes, undefined, 'node-1')?.metadata?.uid);
});

test('a deleted lease comes back with its owner', async () => {
  await using cluster = await startNodes(1);
  await cluster.test.advance(30_000);
  await cluster.test.run(cluster.client.delete(leases, { namespace: 'kube-node-lease', name: 'node-1' }));
  await cluster.test.advance(10_400);
  assert.equal(cluster.test.get(leases, 'kube-node-lease', 'node-1')?.metadata?.ownerReferences?.length, 1);
});

test('a node that falls silent is unknown after 50 seconds, its Pods stay; it returns as it was', async () => {
  await using cluster = await startNodes(3);
  await cluster.createPod('stays', { spec: { tolerations: [{ operator: 'Exists' }] } });
  await cluster.test.advance(60_000);
  const before = cluster.pod('stays');
  cluster.pool.stopNode('node-1');
  assert.equal(cluster.pool.isRunning('node-1'), false);
  const stoppedMs = cluster.test.clock.monotonicMs();
  const node = () => cluster.test.get(nodes, undefined, 'node-1');
  await cluster.test.waitFor(() => readyOf(node()) === 'Unknown', { limitMs: 120_000 });
  const silentMs = cluster.test.clock.monotonicMs() - stoppedMs;
  assert.ok(silentMs >= 39_000 && silentMs <= 56_000, `unknown after ${silentMs} ms`);
  assert.equal(cluster.pod('stays')?.status?.phase, 'Running');
  assert.deepEqual(cluster.pod('stays')?.status?.containerStatuses, before?.status?.containerStatuses);
  await cluster.test.advance(10_000);
  cluster.pool.startNode('node-1');
  await cluster.test.waitFor(() => readyOf(node()) === 'True', { limitMs: 1_000 });
  await cluster.test.waitFor(
    () => cluster.pod('stays')?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
    { limitMs: 20_000 },
  );
  assert.deepEqual(cluster.pod('stays')?.status?.containerStatuses, before?.status?.containerStatuses);
});

test('Pods deleted while their node is silent end when it returns', async () => {
  await using cluster = await startNodes(2);
  await cluster.createPod('p', {});
  await cluster.createPod('forced', {});
  await cluster.test.advance(5_000);
  cluster.pool.stopNode('node-1');
  await cluster.deletePod('p');
  await cluster.deletePod('forced', 0);
  await cluster.test.advance(20_000);
  assert.notEqual(cluster.pod('p'), undefined);
  cluster.pool.startNode('node-1');
  await cluster.test.waitFor(() => cluster.pod('p') === undefined, { limitMs: 5_000 });
});

test('cordon is told as an event; a deleted node is not registered again', async () => {
  await using cluster = await startNodes(1);
  const cordon = (unschedulable: boolean) =>
    cluster.test.run(
      cluster.client.patch(nodes, { name: 'node-1', type: 'merge', patch: { spec: { unschedulable } } }),
    );
  await cluster.test.advance(15_000);
  await cordon(true);
  await cluster.test.advance(11_000);
  await cordon(false);
  await cluster.test.advance(11_000);
  const reasons = cluster.eventsOf('node-1').map(({ reason }) => reason);
  assert.ok(reasons.includes('NodeNotSchedulable') && reasons.includes('NodeSchedulable'));
  await cluster.test.run(cluster.client.delete(nodes, { name: 'node-1' }));
  await cluster.test.advance(700_000);
  assert.equal(cluster.test.get(nodes, undefined, 'node-1'), undefined);
});

test('NoExecute taints are enforced at the door, NoSchedule taints are not; a selector that does not match is', async () => {
  await using cluster = await startNodes(1);
  const taint = (effect: 'NoExecute' | 'NoSchedule') =>
    cluster.test.run(
      cluster.client.patch(nodes, {
        name: 'node-1',
        type: 'merge',
        patch: { spec: { taints: [{ key: 'x', value: 'y', effect }] } },
      }),
    );
  await taint('NoSchedule');
  await cluster.createPod('selector', { spec: { nodeSelector: { disk: 'fast' } } });
  await cluster.createPod('ignores', {});
  await cluster.test.advance(100);
  assert.equal(cluster.pod('ignores')?.status?.phase, 'Running');
  assert.equal(cluster.pod('selector')?.status?.reason, 'NodeAffinity');
  assert.equal(
    cluster.pod('selector')?.status?.message,
    "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  );
});

test('host ports are taken once; Pods on the host network have its address', async () => {
  await using cluster = await startNodes(1);
  const containers = [{ name: 'c', image: 'nginx:1.27', ports: [{ containerPort: 80, hostPort: 80 }] }];
  await cluster.createPod('first', { spec: { hostNetwork: true, containers } });
  await cluster.createPod('second', { spec: { containers } });
  await cluster.test.advance(100);
  assert.equal(cluster.pod('first')?.status?.podIP, '172.18.0.2');
  assert.equal(cluster.pod('second')?.status?.reason, 'NodePorts');
});

test('ready false keeps a Pod unready, and can be taken back', async () => {
  await using cluster = await startNodes(1);
  const ready = () => cluster.pod('p')?.status?.containerStatuses?.[0]?.ready;
  await cluster.createPod('p', { annotations: simulated({ ready: 'false' }) });
  await cluster.test.advance(30_000);
  assert.equal(cluster.pod('p')?.status?.phase, 'Running');
  assert.equal(ready(), false);
  await cluster.test.run(
    cluster.client.patch(pods, {
      namespace: 'default',
      name: 'p',
      type: 'merge',
      patch: { metadata: { annotations: simulated({ ready: 'true' }) } },
    }),
  );
  await cluster.test.waitFor(() => ready() === true, { limitMs: 2_000 });
});
