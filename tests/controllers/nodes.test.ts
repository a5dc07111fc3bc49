// Nodes that fall silent, in virtual time: the scenarios of spec/infrastructure.md §4.10, §5.5, §6.3 and §16.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { isPodReady } from '@homeostat/api';
import { deployments, nodes, pods } from '@homeostat/client/resources';
import { formatTime } from '@homeostat/machinery';
import { newDeployment, newPod } from './fixtures/objects.ts';
import { scenario, type Scenario, type ScenarioOptions } from './fixtures/scenario.ts';

const none: ScenarioOptions = { nodes: false };
const conditionOf = (s: Scenario, node: string, type = 'Ready') =>
  s.must(nodes, node).status?.conditions?.find((condition) => condition.type === type);
const taintsOf = (s: Scenario, node: string): readonly string[] =>
  (s.must(nodes, node).spec?.taints ?? [])
    .map((taint) => `${taint.key.replace('node.kubernetes.io/', '')}:${taint.effect}`)
    .toSorted();

async function addNode(s: Scenario, name: string, labels: object = {}, ready: string | null = 'True'): Promise<void> {
  const time = formatTime(s.cluster.clock.nowMs());
  const conditions =
    ready === null ? [] : [{ type: 'Ready', status: ready, lastHeartbeatTime: time, lastTransitionTime: time }];
  await s.create(nodes, { metadata: { name, labels }, status: { conditions } } as unknown as Node);
}

/** Says for the node what it is, as its agent would. */
async function report(s: Scenario, name: string, ready: 'True' | 'False'): Promise<void> {
  const time = formatTime(s.cluster.clock.nowMs());
  const conditions = [{ type: 'Ready', status: ready, lastHeartbeatTime: time, lastTransitionTime: time }];
  await s.strategic(nodes, name, { status: { conditions } }, { subresource: 'status' });
}

async function runPod(s: Scenario, name: string, node: string, spec = {}): Promise<void> {
  await s.create(pods, newPod(name, {}, { nodeName: node, ...spec }));
  const conditions = [{ type: 'Ready', status: 'True' }];
  await s.strategic(pods, name, { status: { phase: 'Running', conditions } }, { subresource: 'status' });
}

for (const [grace, settings] of [
  [50, {}],
  [40, { nodeMonitor: { gracePeriodMs: 40_000 } }],
] as const) {
  describe(`a node that falls silent, with a grace of ${grace} s`, () => {
    it('1, 7: is given up after the grace and one period; its pods are no longer ready, and both are told', () =>
      scenario(
        async (s) => {
          await s.create(deployments, newDeployment('web', { replicas: 6 }));
          await s.until(() => s.get(deployments, 'web')?.status?.availableReplicas === 6);
          // The lease was last renewed less than ten seconds ago.
          s.nodes.dead.add('node-1');
          await s.advance(grace - 11);
          assert.equal(conditionOf(s, 'node-1')?.status, 'True');
          await s.advance(17);
          for (const type of ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']) {
            const condition = conditionOf(s, 'node-1', type);
            assert.equal(
              `${condition?.status} ${condition?.reason} ${condition?.message}`,
              'Unknown NodeStatusUnknown Kubelet stopped posting node status.',
            );
          }
          assert.deepEqual(s.events('NodeNotReady', 'node-1'), ['Normal Node node-1 status is now: NodeNotReady']);
          const lost = s.list(pods).filter((pod) => pod.spec?.nodeName === 'node-1');
          assert.equal(lost.length, 2);
          assert.ok(lost.every((pod) => !isPodReady(pod)));
          assert.deepEqual(s.events('NodeNotReady', lost[0]?.metadata?.name), ['Warning Node is not ready']);
          assert.ok(taintsOf(s, 'node-1').includes('unreachable:NoSchedule'));
          // The eviction rate is one node in ten seconds, after the next pass.
          await s.advance(20);
          assert.deepEqual(taintsOf(s, 'node-1'), ['unreachable:NoExecute', 'unreachable:NoSchedule']);
          // 300 s later its pods have to go; others take their place.
          await s.advance(310);
          assert.ok(
            s
              .list(pods)
              .filter((pod) => pod.spec?.nodeName === 'node-1')
              .every((pod) => pod.metadata?.deletionTimestamp !== undefined),
          );
          await s.until(() => s.get(deployments, 'web')?.status?.availableReplicas === 6);
          // 6: it comes back.
          s.nodes.dead.delete('node-1');
          await s.advance(30);
          await report(s, 'node-1', 'True');
          await s.advance(10);
          assert.deepEqual(taintsOf(s, 'node-1'), []);
        },
        { settings },
      ));
  });
}

describe('the node lifecycle controller', () => {
  it('2: gives a node that never spoke the time to start', () =>
    scenario(async (s) => {
      await addNode(s, 'n', {}, null);
      await s.advance(55);
      assert.equal(conditionOf(s, 'n'), undefined);
      await s.advance(12);
      assert.equal(`${conditionOf(s, 'n')?.status} ${conditionOf(s, 'n')?.reason}`, 'Unknown NodeStatusNeverUpdated');
    }, none));

  it('3: takes the lease alone for a sign of life', () =>
    scenario(async (s) => {
      await s.advance(1200);
      for (const node of s.list(nodes)) assert.equal(conditionOf(s, node.metadata?.name ?? '')?.status, 'True');
      assert.deepEqual(s.events('NodeNotReady'), []);
    }));

  it('4, 5: taints a node that says it is not ready, at once against new pods, paced against running ones; never both keys', () =>
    scenario(async (s) => {
      await addNode(s, 'well');
      await addNode(s, 'ill');
      await s.advance(6);
      await report(s, 'ill', 'False');
      await s.cluster.settle();
      assert.ok(taintsOf(s, 'ill').includes('not-ready:NoSchedule'));
      await s.advance(16);
      assert.deepEqual(taintsOf(s, 'ill'), ['not-ready:NoExecute', 'not-ready:NoSchedule']);
      for (let second = 0; second < 50; second += 5) {
        await report(s, 'well', 'True');
        await s.advance(5);
      }
      await report(s, 'well', 'True');
      await s.advance(6);
      assert.deepEqual(taintsOf(s, 'ill'), ['unreachable:NoExecute', 'unreachable:NoSchedule']);
    }, none));

  it('8: evicts from nobody while most of a small zone is down', () =>
    scenario(
      async (s) => {
        for (let i = 1; i <= 6; i++) s.nodes.dead.add(`node-${i}`);
        await s.advance(200);
        const lost = s.list(nodes).filter((node) => conditionOf(s, node.metadata?.name ?? '')?.status === 'Unknown');
        assert.equal(lost.length, 6);
        for (const node of lost) assert.deepEqual(taintsOf(s, node.metadata?.name ?? ''), ['unreachable:NoSchedule']);
      },
      { nodes: { count: 10 } },
    ));

  it('10: evicts at its pace from a zone that is dead while others live', () =>
    scenario(
      async (s) => {
        for (const name of ['node-1', 'node-2']) s.nodes.dead.add(name);
        await s.advance(90);
        for (const name of ['node-1', 'node-2']) assert.ok(taintsOf(s, name).includes('unreachable:NoExecute'), name);
      },
      {
        nodes: {
          count: 6,
          labelsOf: (name) => ({ 'topology.kubernetes.io/zone': `z${(Number(name.slice(5)) - 1) >> 1}` }),
        },
      },
    ));

  it('B14: deletes nobody’s pods when every node seems gone: more likely the controller is deaf', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web', { replicas: 6 }));
      await s.until(() => s.get(deployments, 'web')?.status?.availableReplicas === 6);
      const before = s.list(pods).map((pod) => pod.metadata?.uid);
      for (const { metadata } of s.list(nodes)) s.nodes.dead.add(metadata?.name ?? '');
      await s.advance(1200);
      for (const { metadata } of s.list(nodes)) {
        assert.equal(conditionOf(s, metadata?.name ?? '')?.status, 'Unknown');
        assert.deepEqual(taintsOf(s, metadata?.name ?? ''), ['unreachable:NoSchedule']);
      }
      assert.deepEqual(
        s.list(pods).map((pod) => pod.metadata?.uid),
        before,
      );
      assert.ok(s.list(pods).every((pod) => pod.metadata?.deletionTimestamp === undefined));
    }));

  it('B14: a fresh controller that finds only old leases gives every node its full grace', () =>
    scenario(async (s) => {
      await s.advance(60);
      await s.cluster.run(s.cluster.processes[0]?.crash() ?? Promise.resolve());
      await s.advance(600);
      s.nodes.dead.add('node-1');
      s.cluster.startControllerManager({ identity: 'kcm-2' });
      await s.advance(45);
      assert.equal(conditionOf(s, 'node-1')?.status, 'True');
      await s.advance(15);
      assert.equal(conditionOf(s, 'node-1')?.status, 'Unknown');
    }));

  it('9: the first that comes back gives all others a fresh grace', () =>
    scenario(async (s) => {
      for (const name of ['node-1', 'node-2', 'node-3']) s.nodes.dead.add(name);
      await s.advance(120);
      s.nodes.dead.clear();
      s.nodes.dead.add('node-3');
      await s.advance(10);
      for (const name of ['node-1', 'node-2']) await report(s, name, 'True');
      await s.advance(60);
      assert.ok(taintsOf(s, 'node-3').includes('unreachable:NoExecute'));
      assert.deepEqual([taintsOf(s, 'node-1'), taintsOf(s, 'node-2')], [[], []]);
    }));

  it('B15: pods of a node that was given up just before a crash are marked by the next controller', () =>
    scenario(async (s) => {
      await s.create(deployments, newDeployment('web', { replicas: 3 }));
      await s.until(() => s.get(deployments, 'web')?.status?.availableReplicas === 3);
      const stop = s.cluster.faults.add({
        match: ({ resource, subresource, verb, userAgent }) =>
          resource === 'pods' &&
          subresource === 'status' &&
          verb === 'update' &&
          userAgent.startsWith('kube-controller-manager'),
        fault: { kind: 'reset', when: 'before' },
      });
      s.nodes.dead.add('node-1');
      await s.until(() => conditionOf(s, 'node-1')?.status === 'Unknown');
      await s.cluster.run(s.cluster.processes[0]?.crash() ?? Promise.resolve());
      stop();
      const onDead = (): Pod | undefined => s.list(pods).find((pod) => pod.spec?.nodeName === 'node-1');
      assert.ok(isPodReady(onDead() as Pod));
      s.cluster.startControllerManager({ identity: 'kcm-2' });
      await s.advance(10);
      assert.ok(!isPodReady(onDead() as Pod));
    }));

  it('11, 13, 15: follows unschedulable, keeps old labels, leaves foreign taints alone', () =>
    scenario(async (s) => {
      await addNode(s, 'n', { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' });
      await s.cluster.settle();
      const labels = s.must(nodes, 'n').metadata?.labels ?? {};
      assert.deepEqual([labels['beta.kubernetes.io/os'], labels['beta.kubernetes.io/arch']], ['linux', 'arm64']);
      await s.merge(nodes, 'n', {
        spec: { taints: [{ key: 'example', value: 'x', effect: 'NoSchedule' }], unschedulable: true },
      });
      await s.cluster.settle();
      assert.deepEqual(taintsOf(s, 'n'), ['example:NoSchedule', 'unschedulable:NoSchedule']);
      await s.merge(nodes, 'n', { spec: { unschedulable: null } });
      await s.cluster.settle();
      assert.deepEqual(taintsOf(s, 'n'), ['example:NoSchedule']);
    }, none));

  it('14: a controller that starts takes NoExecute taints away and, where they are deserved, gives them back', () =>
    scenario(async (s) => {
      s.nodes.dead.add('node-1');
      await s.advance(90);
      assert.ok(taintsOf(s, 'node-1').includes('unreachable:NoExecute'));
      await s.cluster.run(s.cluster.processes[0]?.crash() ?? Promise.resolve());
      s.cluster.startControllerManager({ identity: 'kcm-2' });
      await s.cluster.settle();
      assert.deepEqual(taintsOf(s, 'node-1'), ['unreachable:NoSchedule']);
      await s.advance(20);
      assert.ok(taintsOf(s, 'node-1').includes('unreachable:NoExecute'));
    }));

  it('says that nodes come and go', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      await s.advance(6);
      await s.delete(nodes, 'n');
      await s.advance(6);
      assert.deepEqual(s.events('RegisteredNode'), ['Normal Node n event: Registered Node n in Controller']);
      assert.deepEqual(s.events('RemovingNode'), ['Normal Node n event: Removing Node n from Controller']);
    }, none));
});

describe('taint eviction', () => {
  const taint = (s: Scenario, ...keys: readonly string[]): Promise<unknown> =>
    s.merge(nodes, 'n', { spec: { taints: keys.map((key) => ({ key, effect: 'NoExecute' })) } });
  const tolerate = (key: string, seconds?: number) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
  });
  const left = (s: Scenario): readonly string[] =>
    s
      .list(pods)
      .filter((pod) => pod.metadata?.deletionTimestamp === undefined)
      .map((pod) => pod.metadata?.name ?? '');
  const quiet: ScenarioOptions = {
    nodes: false,
    controllerManagers: [{ identity: 'kcm-1', controllers: ['*', '-nodelifecycle', '-podgc'] }],
  };
  const slow = { terminationGracePeriodSeconds: 600 };

  it('1, 2, 3, 5: at once without a toleration, later with one that ends, never with one that does not', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      await runPod(s, 'none', 'n', slow);
      await runPod(s, 'five', 'n', { ...slow, tolerations: [tolerate('bad', 5)] });
      await runPod(s, 'forever', 'n', { ...slow, tolerations: [tolerate('bad')] });
      await runPod(s, 'all', 'n', { ...slow, tolerations: [{ operator: 'Exists' }] });
      await taint(s, 'bad');
      await s.cluster.settle();
      assert.deepEqual(left(s), ['all', 'five', 'forever']);
      const condition = s.must(pods, 'none').status?.conditions?.find((each) => each.type === 'DisruptionTarget');
      assert.equal(condition?.reason, 'DeletionByTaintManager');
      assert.deepEqual(s.events('TaintManagerEviction'), ['Normal Marking for deletion Pod default/none']);
      await s.advance(4);
      assert.equal(left(s).length, 3);
      await s.advance(2);
      assert.deepEqual(left(s), ['all', 'forever']);
      await s.advance(1000);
      assert.deepEqual(left(s), ['all', 'forever']);
    }, quiet));

  it('4, 8, 9: is cancelled when the taint goes, or when the pod comes to tolerate it', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      await runPod(s, 'p', 'n', { tolerations: [tolerate('bad', 60)] });
      await runPod(s, 'q', 'n', { tolerations: [tolerate('bad', 60)] });
      await taint(s, 'bad');
      await s.advance(15);
      const tolerations = [...(s.must(pods, 'q').spec?.tolerations ?? []), tolerate('bad')];
      await s.merge(pods, 'q', { spec: { tolerations: [{ key: 'bad', operator: 'Exists' }, ...tolerations] } });
      await s.advance(1);
      await taint(s);
      await s.advance(200);
      assert.deepEqual(left(s), ['p', 'q']);
      assert.deepEqual(s.events('TaintManagerEviction').toSorted(), [
        'Normal Cancelling deletion of Pod default/p',
        'Normal Cancelling deletion of Pod default/q',
      ]);
    }, quiet));

  it('6: hits a pod that is bound to a tainted node', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      await taint(s, 'bad');
      await runPod(s, 'late', 'n', slow);
      await s.cluster.settle();
      assert.deepEqual(left(s), []);
    }, quiet));

  it('7: a later taint does not postpone it, and one that is not tolerated hastens it', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      await runPod(s, 'p', 'n', { ...slow, tolerations: [tolerate('bad', 60), tolerate('worse', 200)] });
      await runPod(s, 'q', 'n', { ...slow, tolerations: [tolerate('bad', 60)] });
      await taint(s, 'bad');
      await s.advance(30);
      await taint(s, 'bad', 'worse');
      await s.cluster.settle();
      assert.deepEqual(left(s), ['p']);
      await s.advance(31);
      assert.deepEqual(left(s), []);
    }, quiet));

  it('10: goes on when its node is deleted meanwhile', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      await runPod(s, 'p', 'n', { ...slow, tolerations: [tolerate('bad', 30)] });
      await taint(s, 'bad');
      await s.advance(10);
      await s.delete(nodes, 'n');
      await s.advance(10);
      assert.deepEqual(left(s), ['p']);
      await s.advance(11);
      assert.deepEqual(left(s), []);
    }, quiet));
});

describe('the pod garbage collector', () => {
  const gc = (threshold?: number): ScenarioOptions => ({
    nodes: false,
    controllerManagers: [
      {
        identity: 'kcm-1',
        controllers: ['podgc', 'serviceaccount'],
        ...(threshold === undefined ? {} : { settings: { terminatedPodGcThreshold: threshold } }),
      },
    ],
  });
  const hold = { finalizers: ['test/hold'] };

  it('1, 2, 3: fails and deletes pods of a node that is gone, after a quarantine; those that have ended it only deletes', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      for (const name of ['pending', 'succeeded']) await s.create(pods, newPod(name, {}, { nodeName: 'n' }, hold));
      await s.merge(pods, 'succeeded', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
      await s.delete(nodes, 'n');
      await s.advance(35);
      assert.equal(s.must(pods, 'pending').metadata?.deletionTimestamp, undefined);
      await s.advance(50);
      const { status, metadata } = s.must(pods, 'pending');
      assert.ok(metadata?.deletionTimestamp !== undefined);
      assert.equal(status?.phase, 'Failed');
      const condition = status?.conditions?.find((each) => each.type === 'DisruptionTarget');
      assert.equal(`${condition?.reason}: ${condition?.message}`, 'DeletionByPodGC: PodGC: node no longer exists');
      const ended = s.must(pods, 'succeeded');
      assert.deepEqual([ended.status?.phase, ended.status?.conditions], ['Succeeded', undefined]);
      assert.ok(ended.metadata?.deletionTimestamp !== undefined);
    }, gc()));

  it('9, 10: keeps pods whose node comes back in time, or is only missing from its cache', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      await s.create(pods, newPod('p', {}, { nodeName: 'n' }));
      await s.advance(21);
      await s.delete(nodes, 'n');
      await s.advance(30);
      await addNode(s, 'n');
      await s.advance(100);
      assert.equal(s.must(pods, 'p').metadata?.deletionTimestamp, undefined);
    }, gc()));

  it('4, 5, 7: forces pods off a node out of service, and those that never had a node', () =>
    scenario(async (s) => {
      await addNode(s, 'out', {}, 'False');
      await addNode(s, 'well');
      for (const name of ['out', 'well'])
        await s.create(pods, newPod(name, {}, { nodeName: name, terminationGracePeriodSeconds: 300 }));
      await s.create(pods, newPod('never', {}, {}, hold));
      for (const name of ['out', 'well', 'never']) await s.delete(pods, name);
      const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
      for (const name of ['out', 'well']) await s.merge(nodes, name, { spec: { taints } });
      await s.advance(41);
      assert.equal(s.get(pods, 'out'), undefined);
      assert.equal(s.must(pods, 'well').status?.phase, 'Pending');
      assert.equal(s.must(pods, 'never').status?.phase, 'Failed');
    }, gc()));

  it('8, 11: keeps so many pods that have ended; evicted ones go first, then the oldest', () =>
    scenario(async (s) => {
      await addNode(s, 'n');
      for (let i = 1; i <= 5; i++) {
        await s.create(pods, newPod(`t${i}`, {}, { nodeName: 'n' }));
        const status = { phase: 'Failed', ...(i === 3 ? { reason: 'Evicted' } : {}) };
        await s.merge(pods, `t${i}`, { status }, { subresource: 'status' });
        await s.advance(2);
      }
      await s.advance(45);
      assert.deepEqual(
        s.list(pods).map((pod) => pod.metadata?.name),
        ['t4', 't5'],
      );
    }, gc(2)));
});

describe('the TTL controller', () => {
  it('16: tells nodes how long to cache by the size of the cluster, and what users write there is put right', () =>
    scenario(
      async (s) => {
        const ttl = (name: string): string | undefined =>
          s.must(nodes, name).metadata?.annotations?.['node.alpha.kubernetes.io/ttl'];
        for (let i = 0; i < 101; i++) await addNode(s, `n${i}`);
        await s.cluster.settle();
        assert.deepEqual([ttl('n0'), ttl('n100')], ['0', '15']);
        await s.merge(nodes, 'n100', { metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': 'soon' } } });
        await s.cluster.settle();
        assert.equal(ttl('n100'), '15');
        for (let i = 0; i < 12; i++) await s.delete(nodes, `n${i}`);
        await s.merge(nodes, 'n100', { metadata: { labels: { x: 'y' } } });
        await s.cluster.settle();
        assert.equal(ttl('n100'), '0');
      },
      { nodes: false, controllerManagers: [{ identity: 'kcm-1', controllers: ['ttl'] }] },
    ));
});
