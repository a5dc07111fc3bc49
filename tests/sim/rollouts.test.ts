// What a rolling update promises, at every revision of the store and in bad weather: never fewer Pods ready than it says, never more asked
// for. Nobody else touches the Pods here.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodReady } from '@homeostat/api';
import { createSeededRandom } from '@homeostat/base';
import { deployments } from '@homeostat/client/resources';
import { scaledIntOrPercent } from '@homeostat/machinery';
import { createTestCluster, type HistoryEntry, randomFaults } from '@homeostat/testing';
import { newDeployment } from '../controllers/fixtures/objects.ts';

const seeds = Number(process.env['SIM_SEEDS'] ?? 20);
const first = Number(process.env['SIM_FIRST'] ?? 1);

interface Bounds {
  readonly readyMin: number;
  readonly askedMax: number;
}

/** Revisions at which a promise was broken. The history begins with all Pods ready. */
function broken(history: readonly HistoryEntry[], from: number, { readyMin, askedMax }: Bounds): readonly string[] {
  const ready = new Set<string>();
  const asked = new Map<string, number>();
  const problems: string[] = [];
  for (const { key, type, value, revision } of history) {
    if (key.startsWith('/registry/pods/default/')) {
      const pod = type === 'put' ? (JSON.parse(value) as Pod) : undefined;
      const counts = pod !== undefined && isPodReady(pod) && pod.metadata?.deletionTimestamp === undefined;
      if (counts) ready.add(key);
      else ready.delete(key);
    }
    if (key.startsWith('/registry/replicasets/default/')) {
      if (type === 'put') asked.set(key, (JSON.parse(value) as ReplicaSet).spec?.replicas ?? 1);
      else asked.delete(key);
    }
    if (revision <= from) continue;
    const sum = [...asked.values()].reduce((total, size) => total + size, 0);
    if (ready.size < readyMin)
      problems.push(`revision ${revision}: ${ready.size} ready, promised ${readyMin} (${key})`);
    if (sum > askedMax) problems.push(`revision ${revision}: ${sum} asked for, promised ${askedMax} (${key})`);
  }
  return problems;
}

describe('rolling updates', () => {
  it(`keep their promises (seeds ${first} to ${first + seeds - 1})`, async () => {
    for (let seed = first; seed < first + seeds; seed++) {
      const random = createSeededRandom(seed);
      const pick = <T>(items: readonly T[]): T => items[random.int(items.length)] as T;
      const replicas = 2 + random.int(9);
      const maxSurge = pick([0, 1, 2, '25%', '50%']);
      const maxUnavailable = pick([0, 1, 2, '25%', '50%']);
      const strategy = {
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable },
      };
      await using cluster = await createTestCluster({ seed, nodes: 3 });
      const spec = { strategy, minReadySeconds: pick([0, 0, 3]) };
      await cluster.run(cluster.admin.create(deployments, { object: newDeployment('web', { replicas, spec }) }));
      const isDone = (): boolean => {
        const { status, metadata } = cluster.get(deployments, 'default', 'web') ?? {};
        return (
          status?.observedGeneration === metadata?.generation &&
          status?.updatedReplicas === replicas &&
          status.availableReplicas === replicas &&
          status.replicas === replicas
        );
      };
      await cluster.waitFor(isDone);
      const from = cluster.store.revision;
      // ReplicaSets that are slow to follow and to tell are what tempts a Deployment to spend availability twice.
      cluster.faults.add({
        match: ({ verb, resource, subresource }) =>
          (verb === 'delete' && resource === 'pods') || (resource === 'replicasets' && subresource === 'status'),
        probability: 0.4,
        fault: (draw) => ({ kind: 'slow', delayMs: draw.int(8_000), when: draw.int(2) === 0 ? 'before' : 'after' }),
      });
      for (const rule of randomFaults({ rate: 0.1, delayMaxMs: 4_000 })) cluster.faults.add(rule);
      // Watches that are open are cut, so that the ones that follow lag.
      await cluster.run(cluster.processes[0]?.crash() ?? Promise.resolve());
      cluster.startControllerManager({ identity: 'kcm-2' });
      for (let version = 2; version < 5; version++) {
        const template = { spec: { containers: [{ name: 'main', image: `good:${version}` }] } };
        await cluster.run(
          cluster.admin.patch(deployments, {
            namespace: 'default',
            name: 'web',
            type: 'strategic',
            patch: { spec: { template } },
          }),
        );
        // Sometimes the next one comes before the last is done.
        if (random.int(3) > 0) await cluster.waitFor(isDone, { limitMs: 3_600_000, what: 'the rollout' });
        else await cluster.advance(random.int(3_000));
      }
      cluster.faults.clear();
      await cluster.waitFor(isDone, { limitMs: 3_600_000, what: 'the last rollout' });
      const surge = scaledIntOrPercent(maxSurge, replicas, true);
      const floor = scaledIntOrPercent(maxUnavailable, replicas, false);
      const unavailable = surge === 0 && floor === 0 ? 1 : floor;
      const problems = broken(await cluster.history(), from, {
        readyMin: replicas - unavailable,
        askedMax: replicas + surge,
      });
      assert.deepEqual(
        problems.slice(0, 5),
        [],
        `seed ${seed}: ${replicas} replicas, surge ${maxSurge}, unavailable ${maxUnavailable}`,
      );
    }
  });
});
