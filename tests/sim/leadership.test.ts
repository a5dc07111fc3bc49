// Two controller managers and one lease: whatever the network does, a write of one that does not hold the lease never reaches the server.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import { createSeededRandom } from '@homeostat/base';
import { deployments } from '@homeostat/client/resources';
import {
  createTestCluster,
  type FaultTarget,
  randomFaults,
  standardCheckers,
  type TestCluster,
} from '@homeostat/testing';
import { newDeployment } from '../controllers/fixtures/objects.ts';

const seeds = Number(process.env['SIM_SEEDS'] ?? 4);
const first = Number(process.env['SIM_FIRST'] ?? 1);
const identities = ['kcm-1', 'kcm-2'] as const;
const leaseKey = '/registry/leases/kube-system/kube-controller-manager';

interface Act {
  readonly identity: string;
  readonly startedMs: number;
  readonly what: string;
}

async function withPair(
  seed: number,
  test: (cluster: TestCluster, acts: readonly Act[]) => Promise<void>,
): Promise<void> {
  const acts: Act[] = [];
  await using cluster = await createTestCluster({
    seed,
    nodes: 2,
    controllerManagers: identities.map((identity) => ({
      identity,
      election: true,
      onAction: ({ outcome, startedMs, controller, key }) => {
        const { verb } = outcome.action;
        if (verb === 'event' || verb === 'get' || verb === 'list' || outcome.status === 'skipped') return;
        acts.push({ identity, startedMs, what: `${controller} ${verb} ${key}` });
      },
    })),
  });
  await test(cluster, acts);
}

/** Acts begun by somebody who did not hold the lease then, or whose lease had run out. */
async function usurpations(cluster: TestCluster, acts: readonly Act[]): Promise<readonly string[]> {
  const held: { readonly atMs: number; readonly holder: string }[] = [];
  for (const { key, type, value } of await cluster.history()) {
    if (key !== leaseKey || type !== 'put') continue;
    const { spec } = JSON.parse(value) as Lease;
    held.push({ atMs: Date.parse(spec?.renewTime ?? ''), holder: spec?.holderIdentity ?? '' });
  }
  return acts.flatMap(({ identity, startedMs, what }) => {
    const last = held.findLast(({ atMs }) => atMs <= startedMs);
    if (last?.holder === identity && startedMs - last.atMs <= 15_000) return [];
    return [
      `${identity} did ${what} at ${new Date(startedMs).toISOString()}; the lease was ${last?.holder ?? 'nobody'}'s`,
    ];
  });
}

const isOf = (identity: string) => (target: FaultTarget) => target.userAgent.endsWith(`/${identity}`);
const leader = (cluster: TestCluster): string | undefined => cluster.processes.find((each) => each.leading)?.identity;

describe('two controller managers', () => {
  it('hand over when the leader is cut off, and the one that was cut off never acts again', async () => {
    for (let seed = first; seed < first + seeds; seed++) {
      await withPair(seed, async (cluster, acts) => {
        await cluster.waitFor(() => leader(cluster) !== undefined);
        const one = leader(cluster) ?? '';
        const other = identities.find((identity) => identity !== one) ?? '';
        await cluster.run(cluster.admin.create(deployments, { object: newDeployment('web', { replicas: 5 }) }));
        await cluster.advance(5_000);
        cluster.faults.add({ match: isOf(one), fault: { kind: 'reset', when: 'before' } });
        // Watches that are open go on; nothing it writes arrives.
        await cluster.run(
          cluster.admin.patch(deployments, {
            namespace: 'default',
            name: 'web',
            type: 'merge',
            patch: { spec: { replicas: 9 } },
          }),
        );
        await cluster.waitFor(() => leader(cluster) === other, { limitMs: 60_000 });
        await cluster.waitFor(() => cluster.get(deployments, 'default', 'web')?.status?.availableReplicas === 9);
        cluster.faults.clear();
        await cluster.advance(60_000);
        assert.deepEqual(await usurpations(cluster, acts), [], `seed ${seed}`);
        assert.ok(!cluster.processes.find(({ identity }) => identity === one)?.leading);
      });
    }
  });

  it('never act both, in a network that fails often', async () => {
    for (let seed = first; seed < first + seeds; seed++) {
      await withPair(seed, async (cluster, acts) => {
        const random = createSeededRandom(seed);
        for (const rule of randomFaults({ rate: 0.25, delayMaxMs: 8_000 })) cluster.faults.add(rule);
        await cluster.run(cluster.admin.create(deployments, { object: newDeployment('web') }));
        for (let step = 0; step < 10; step++) {
          const patch = {
            spec: { replicas: random.int(8), template: { metadata: { annotations: { step: String(step) } } } },
          };
          await cluster.run(
            cluster.admin.patch(deployments, { namespace: 'default', name: 'web', type: 'merge', patch }),
          );
          await cluster.advance(random.int(30_000));
          // Who lost the lease ended; another takes its place.
          for (const { identity, alive } of [...cluster.processes])
            if (!alive && !cluster.processes.some((each) => each.identity === `${identity}'`))
              cluster.startControllerManager({
                identity: `${identity}'`,
                election: true,
                onAction: ({ outcome, startedMs, controller, key }) => {
                  const { verb } = outcome.action;
                  if (verb === 'event' || verb === 'get' || verb === 'list' || outcome.status === 'skipped') return;
                  (acts as Act[]).push({ identity: `${identity}'`, startedMs, what: `${controller} ${verb} ${key}` });
                },
              });
        }
        cluster.faults.clear();
        // While nobody leads all is quiet, and nothing is done.
        await cluster.waitFor(() => leader(cluster) !== undefined, { limitMs: 60_000 });
        await cluster.quiesce();
        assert.deepEqual(await cluster.check(standardCheckers), [], `seed ${seed}`);
        assert.deepEqual(await usurpations(cluster, acts), [], `seed ${seed}`);
      });
    }
  });
});
