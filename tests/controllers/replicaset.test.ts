// ReplicaSets in virtual time: the scenarios of spec/workloads.md §2.10.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPodActive } from '@homeostat/api';
import { nodes, pods, replicaSets } from '@homeostat/client/resources';
import { controllerOf } from '@homeostat/runtime';
import { newPod, newReplicaSet } from './fixtures/objects.ts';
import { scenario, type Scenario } from './fixtures/scenario.ts';

const status = (s: Scenario, name = 'web') => s.must(replicaSets, name).status;
const active = (s: Scenario) => s.list(pods).filter(isPodActive);

describe('a ReplicaSet', () => {
  it('1: makes its pods, owned and named after it, and counts them', () =>
    scenario(async (s) => {
      const set = await s.create(replicaSets, newReplicaSet('web', { replicas: 2 }));
      await s.until(() => status(s)?.availableReplicas === 2);
      const made = s.list(pods);
      assert.equal(made.length, 2);
      for (const pod of made) {
        assert.match(pod.metadata?.name ?? '', /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        assert.deepEqual(pod.metadata?.ownerReferences, [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: 'web',
            uid: set.metadata?.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ]);
      }
      assert.deepEqual(status(s), {
        replicas: 2,
        fullyLabeledReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        terminatingReplicas: 0,
        observedGeneration: 1,
      });
      assert.deepEqual(
        s.events('SuccessfulCreate').toSorted(),
        made.map((pod) => `Normal Created pod: ${pod.metadata?.name}`).toSorted(),
      );
    }));

  it('2, 20: follows its size up and down, through the scale subresource too', () =>
    scenario(async (s) => {
      await s.create(replicaSets, newReplicaSet('web', { replicas: 2 }));
      await s.until(() => status(s)?.readyReplicas === 2);
      for (const replicas of [5, 10, 1, 0]) {
        await s.merge(replicaSets, 'web', { spec: { replicas } }, { subresource: 'scale' });
        await s.until(() => status(s)?.readyReplicas === replicas || (replicas === 0 && status(s)?.replicas === 0));
        assert.equal(active(s).length, replicas);
        assert.equal(status(s)?.observedGeneration, s.must(replicaSets, 'web').metadata?.generation);
      }
      assert.equal(s.events('SuccessfulDelete').length, 10);
    }));

  it('4, 5: adopts matching orphans, lets go what no longer matches and replaces it', () =>
    scenario(async (s) => {
      await s.create(pods, newPod('orphan', { app: 'web' }));
      const set = await s.create(replicaSets, newReplicaSet('web', { replicas: 1 }));
      await s.until(() => status(s)?.readyReplicas === 1);
      assert.equal(s.list(pods).length, 1);
      assert.equal(controllerOf(s.must(pods, 'orphan'))?.uid, set.metadata?.uid);
      await s.merge(pods, 'orphan', { metadata: { labels: { app: 'other' } } });
      await s.until(() => s.list(pods).length === 2);
      assert.equal(s.must(pods, 'orphan').metadata?.ownerReferences, undefined);
      await s.until(() => status(s)?.readyReplicas === 1);
      assert.equal(s.list(pods).length, 2);
    }));

  it('adopts and deletes orphans it does not need', () =>
    scenario(async (s) => {
      await s.create(pods, newPod('orphan', { app: 'web' }));
      await s.create(replicaSets, newReplicaSet('web', { replicas: 0 }));
      await s.until(() => s.list(pods).length === 0);
    }));

  it('10: the pod whose deletion costs most stays', () =>
    scenario(async (s) => {
      await s.create(replicaSets, newReplicaSet('web', { replicas: 4 }));
      await s.until(() => status(s)?.readyReplicas === 4);
      const names = s.list(pods).map((pod) => pod.metadata?.name ?? '');
      const costs = ['1', '-100', '0', '100'];
      for (const [index, name] of names.entries())
        await s.merge(pods, name, {
          metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': costs[index] } },
        });
      await s.merge(replicaSets, 'web', { spec: { replicas: 1 } });
      await s.until(() => s.list(pods).length === 1);
      assert.equal(s.list(pods)[0]?.metadata?.name, names[3]);
    }));

  it('11: pods that are being terminated are not counted and not waited for', () =>
    scenario(
      async (s) => {
        await s.create(replicaSets, newReplicaSet('web', { replicas: 10 }));
        await s.until(() => status(s)?.readyReplicas === 10);
        await s.merge(replicaSets, 'web', { spec: { replicas: 5 } });
        await s.until(() => status(s)?.replicas === 5);
        assert.equal(status(s)?.terminatingReplicas, 5);
        await s.merge(replicaSets, 'web', { spec: { replicas: 10 } });
        await s.until(() => status(s)?.replicas === 10);
        assert.equal(s.list(pods).length, 15);
      },
      { nodes: { stopMs: 100_000 } },
    ));

  it('12: pods are available after they were ready for minReadySeconds, without any event', () =>
    scenario(async (s) => {
      await s.create(replicaSets, newReplicaSet('web', { replicas: 2, spec: { minReadySeconds: 3600 } }));
      await s.until(() => status(s)?.readyReplicas === 2);
      assert.equal(status(s)?.availableReplicas ?? 0, 0);
      await s.advance(3500);
      assert.equal(status(s)?.availableReplicas ?? 0, 0);
      await s.advance(110);
      assert.equal(status(s)?.availableReplicas, 2);
    }));

  it('13: one that is deleted in the foreground adopts and makes nothing', () =>
    scenario(
      async (s) => {
        await s.create(replicaSets, newReplicaSet('web', { replicas: 2 }));
        await s.until(() => status(s)?.readyReplicas === 2);
        await s.delete(replicaSets, 'web', { propagationPolicy: 'Foreground' });
        await s.create(pods, newPod('orphan', { app: 'web' }));
        await s.advance(30);
        assert.ok(s.get(replicaSets, 'web') !== undefined, 'pods that are terminating hold it');
        assert.equal(controllerOf(s.must(pods, 'orphan')), undefined);
        assert.equal(s.list(pods).length, 3);
        await s.until(() => s.get(replicaSets, 'web') === undefined);
        assert.deepEqual(
          s.list(pods).map((pod) => pod.metadata?.name),
          ['orphan'],
        );
      },
      { nodes: { stopMs: 60_000 } },
    ));

  it('15: a set that was replaced by another of its name adopts nothing', () =>
    scenario(async (s) => {
      // The cache still has the old one: its watch lags behind.
      await s.create(replicaSets, newReplicaSet('web', { replicas: 0 }));
      await s.advance(1);
      s.cluster.faults.add({
        match: (target) => target.resource === 'replicasets' && target.verb === 'watch',
        fault: { kind: 'lag-watch', delayMs: 20_000 },
      });
      s.cluster.faults.add({
        match: (target) => target.resource === 'replicasets' && target.verb === 'watch',
        times: 1,
        fault: { kind: 'cut-watch', afterEvents: 0, how: 'reset' },
      });
      const old = s.must(replicaSets, 'web').metadata?.uid;
      await s.delete(replicaSets, 'web', { propagationPolicy: 'Orphan' });
      await s.create(replicaSets, newReplicaSet('web', { replicas: 1 }));
      await s.create(pods, newPod('orphan', { app: 'web' }));
      await s.advance(60);
      assert.notEqual(controllerOf(s.must(pods, 'orphan'))?.uid, old);
      assert.equal(controllerOf(s.must(pods, 'orphan'))?.uid, s.must(replicaSets, 'web').metadata?.uid);
    }));

  it('17: takes pods in the order unscheduled, pending, not ready, young, old', () =>
    scenario(
      async (s) => {
        await s.create(nodes, { metadata: { name: 'n' } } as never);
        const running = (ready: boolean, since: string) => ({
          status: {
            phase: 'Running',
            conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
          },
        });
        const make = async (name: string, bound: boolean, patch?: object): Promise<void> => {
          await s.create(pods, newPod(name, { app: 'web' }, bound ? { nodeName: 'n' } : {}));
          if (patch !== undefined) await s.merge(pods, name, patch, { subresource: 'status' });
        };
        await make('ready-old', true, running(true, '2025-12-31T00:00:00Z'));
        await make('ready-young', true, running(true, '2026-01-01T00:00:00Z'));
        await make('not-ready', true, running(false, '2026-01-01T00:00:00Z'));
        await make('pending', true);
        await make('unscheduled', false);
        await s.create(replicaSets, newReplicaSet('web', { replicas: 5 }));
        await s.advance(10);
        const left = () =>
          s
            .list(pods)
            .filter(isPodActive)
            .map((pod) => pod.metadata?.name)
            .toSorted();
        const order = ['unscheduled', 'pending', 'not-ready', 'ready-young', 'ready-old'];
        for (let replicas = 4; replicas >= 0; replicas--) {
          await s.merge(replicaSets, 'web', { spec: { replicas } });
          await s.advance(5);
          assert.deepEqual(left(), order.slice(5 - replicas).toSorted());
        }
      },
      { nodes: false },
    ));

  it('19: its status follows the readiness of a pod within one sync', () =>
    scenario(async (s) => {
      await s.create(replicaSets, newReplicaSet('web', { replicas: 1 }));
      await s.until(() => status(s)?.readyReplicas === 1);
      const name = s.list(pods)[0]?.metadata?.name ?? '';
      for (const ready of ['False', 'True'] as const) {
        await s.strategic(
          pods,
          name,
          { status: { conditions: [{ type: 'Ready', status: ready }] } },
          { subresource: 'status' },
        );
        await s.cluster.settle();
        assert.equal(status(s)?.readyReplicas ?? 0, ready === 'True' ? 1 : 0);
      }
    }));

  it('leaves pods that have ended alone, and replaces them at once', () =>
    scenario(async (s) => {
      await s.create(replicaSets, newReplicaSet('web', { replicas: 2 }));
      await s.until(() => status(s)?.readyReplicas === 2);
      const name = s.list(pods)[0]?.metadata?.name ?? '';
      await s.merge(pods, name, { status: { phase: 'Failed' } }, { subresource: 'status' });
      await s.until(() => status(s)?.readyReplicas === 2 && s.list(pods).length === 3);
      assert.equal(s.must(pods, name).metadata?.deletionTimestamp, undefined);
    }));

  it('9: a delete that fails is tried again, and told', () =>
    scenario(async (s) => {
      await s.create(replicaSets, newReplicaSet('web', { replicas: 2 }));
      await s.until(() => status(s)?.readyReplicas === 2);
      s.cluster.faults.add({
        match: ({ verb, resource }) => verb === 'delete' && resource === 'pods',
        times: 2,
        fault: { kind: 'answer', status: 500 },
      });
      await s.merge(replicaSets, 'web', { spec: { replicas: 0 } });
      await s.until(() => s.list(pods).length === 0);
      assert.deepEqual(s.events('FailedDelete'), ['Warning Error deleting: injected: internal error ×2']);
      await s.advance(1);
      assert.equal(status(s)?.conditions, undefined);
    }));

  it('3: what keeps it from making pods is a condition, as long as it lasts', () =>
    scenario(async (s) => {
      const stop = s.cluster.faults.add({
        match: ({ verb, resource }) => verb === 'create' && resource === 'pods',
        fault: { kind: 'answer', status: 403 },
      });
      await s.create(replicaSets, newReplicaSet('web', { replicas: 3 }));
      await s.until(() => status(s)?.conditions !== undefined);
      const [condition] = status(s)?.conditions ?? [];
      assert.equal(`${condition?.type} ${condition?.status} ${condition?.reason}`, 'ReplicaFailure True FailedCreate');
      assert.match(condition?.message ?? '', /injected: forbidden/);
      assert.match(s.events('FailedCreate')[0] ?? '', /^Warning Error creating: injected: forbidden/);
      stop();
      await s.until(() => status(s)?.readyReplicas === 3);
      assert.equal(status(s)?.conditions, undefined);
    }));
});

describe('B2: creates that the cache does not show yet', () => {
  it('are not made again, however late the watch is', () =>
    scenario(
      async (s) => {
        s.cluster.faults.add({
          match: ({ verb, resource, userAgent }) =>
            verb === 'watch' && resource === 'pods' && userAgent.startsWith('kube-controller-manager'),
          fault: { kind: 'lag-watch', delayMs: 400_000 },
        });
        s.cluster.startControllerManager({ identity: 'kcm-1' });
        await s.advance(500);
        await s.create(replicaSets, newReplicaSet('web', { replicas: 7 }));
        await s.advance(1200);
        assert.equal(active(s).length, 7);
        await s.advance(1200);
        assert.equal(active(s).length, 7);
        assert.equal(status(s)?.replicas, 7);
      },
      { controllerManagers: false, nodes: false },
    ));

  it('are not made again when the answer was lost', () =>
    scenario(async (s) => {
      s.cluster.faults.add({
        match: ({ verb, resource }) => verb === 'create' && resource === 'pods',
        probability: 0.5,
        fault: { kind: 'reset', when: 'after' },
      });
      await s.create(replicaSets, newReplicaSet('web', { replicas: 20 }));
      await s.until(() => status(s)?.readyReplicas === 20);
      assert.equal(s.list(pods).length, 20);
    }));
});
