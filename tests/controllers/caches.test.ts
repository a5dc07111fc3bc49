// What caches owe controllers, on the whole stack: never back in time (B1), never a ghost for ever (B29).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPodActive } from '@homeostat/api';
import { configMaps, pods, replicaSets } from '@homeostat/client/resources';
import { checkCaches, StoreState } from '@homeostat/testing';
import { newReplicaSet } from './fixtures/objects.ts';
import { scenario, type Scenario } from './fixtures/scenario.ts';

const repairMs = 600_000;
const ofManager = (resource: string) => (target: { resource: string; verb: string; userAgent: string }) =>
  target.resource === resource && target.verb === 'watch' && target.userAgent.startsWith('kube-controller-manager');

async function caches(s: Scenario): Promise<readonly string[]> {
  const informers = s.cluster.processes.findLast((process) => process.alive)?.parts.informers;
  assert.ok(informers !== undefined);
  return checkCaches(informers, await s.cluster.run(StoreState.read(s.cluster.store)));
}

describe('B1: a controller manager that restarts while reads are stale', () => {
  it('sees nothing older than what was written, and makes no pod twice', () =>
    scenario(async (s) => {
      await s.create(replicaSets, newReplicaSet('web', { replicas: 6 }));
      await s.until(() => s.get(replicaSets, 'web')?.status?.readyReplicas === 6);
      await s.merge(replicaSets, 'web', { spec: { replicas: 2 } });
      await s.until(() => s.list(pods).length === 2);
      const uids = s.list(pods).map((pod) => pod.metadata?.uid);
      await s.cluster.run(s.cluster.processes[0]?.crash() ?? Promise.resolve());
      s.cluster.faults.add({ match: ({ verb }) => verb === 'list', fault: { kind: 'stale-read', revisions: 40 } });
      s.cluster.faults.add({ match: ({ verb }) => verb === 'watch', fault: { kind: 'lag-watch', delayMs: 5_000 } });
      const touched: string[] = [];
      s.cluster.startControllerManager({
        identity: 'kcm-2',
        onAction: ({ outcome }) => {
          const { action } = outcome;
          if ('resource' in action && action.resource.resource === 'pods') touched.push(action.verb);
        },
      });
      await s.advance(120);
      assert.deepEqual(touched, []);
      assert.deepEqual(
        s.list(pods).map((pod) => pod.metadata?.uid),
        uids,
      );
    }));
});

describe('B29: an event that was lost', () => {
  it('of a deletion leaves no ghost: what was deleted is made again within one comparison', () =>
    scenario(
      async (s) => {
        s.cluster.faults.add({
          match: ofManager('configmaps'),
          fault: { kind: 'swallow-event', afterEvents: 0, type: 'DELETED' },
        });
        s.cluster.startControllerManager({ identity: 'kcm-1' });
        await s.advance(5);
        await s.delete(configMaps, 'kube-root-ca.crt');
        await s.advance(5);
        assert.equal(s.list(configMaps).length, 0, 'nobody told the controller');
        assert.notDeepEqual(await caches(s), []);
        await s.cluster.advance(repairMs);
        assert.equal(s.list(configMaps).length, 1);
        assert.deepEqual(await caches(s), []);
      },
      { controllerManagers: false },
    ));

  it('of a creation is found, however often watches break', () =>
    scenario(
      async (s) => {
        s.cluster.faults.add({
          match: ofManager('replicasets'),
          fault: { kind: 'swallow-event', afterEvents: 0 },
          times: 1,
        });
        s.cluster.faults.add({
          match: ofManager('pods'),
          fault: (random) => ({
            kind: 'cut-watch',
            afterEvents: random.int(3),
            how: random.int(2) === 0 ? 'reset' : 'end',
          }),
        });
        s.cluster.startControllerManager({ identity: 'kcm-1' });
        await s.create(replicaSets, newReplicaSet('web', { replicas: 4 }));
        await s.cluster.advance(repairMs + 60_000);
        assert.equal(s.get(replicaSets, 'web')?.status?.readyReplicas, 4);
        s.cluster.faults.clear();
        await s.cluster.quiesce();
        assert.deepEqual(await caches(s), []);
      },
      { controllerManagers: false },
    ));

  it('is no matter when the cache starts over: what came and went meanwhile is told as gone', () =>
    scenario(async (s) => {
      await s.create(replicaSets, newReplicaSet('web', { replicas: 3 }));
      await s.until(() => s.get(replicaSets, 'web')?.status?.readyReplicas === 3);
      const deleted = s.list(pods)[0]?.metadata?.name ?? '';
      // The watch breaks, and for a while nobody can open another; then history is gone and the cache starts over.
      const stop = s.cluster.faults.add({ match: ofManager('pods'), fault: { kind: 'answer', status: 410 } });
      await s.cluster.run(s.cluster.processes[0]?.crash() ?? Promise.resolve());
      s.cluster.startControllerManager({ identity: 'kcm-2' });
      await s.delete(pods, deleted, { gracePeriodSeconds: 0 });
      await s.advance(20);
      stop();
      await s.advance(60);
      assert.equal(s.get(pods, deleted), undefined);
      assert.equal(s.list(pods).filter(isPodActive).length, 3);
      assert.deepEqual(await caches(s), []);
    }));
});
