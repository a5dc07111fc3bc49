// Law 3's promise: what a controller's plan does leads to a state in which its plan is empty. For random states of the cluster, each
// controller alone: plan, act against the real API server, look again; after a bounded number of rounds nothing is left to do.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createVirtualEnv, Scope } from '@homeostat/base';
import { controllerManagerUser, discoverWith } from '@homeostat/cluster';
import { createControllerManager } from '@homeostat/controllers';
import { act, type Controller, isIdle, type Plan } from '@homeostat/runtime';
import { createTestCluster, type TestCluster } from '@homeostat/testing';
import { makeWorld, type World, world } from './fixtures/random-world.ts';

/** Rounds that a key may take: a Deployment writes one kind of thing a round. */
const rounds: Readonly<Record<string, number>> = {
  deployment: 12,
  // One lets a pod go, another adopts and deletes it, and counts.
  replicaset: 4,
  replicationcontroller: 4,
  endpoint: 1,
  endpointslice: 1,
  endpointslicemirroring: 1,
  // admin is made of edit, which is made of view.
  'clusterrole-aggregation': 4,
  serviceaccount: 1,
  'root-ca-cert-publisher': 1,
  'serviceaccount-token': 1,
  resourcequota: 1,
  ttl: 1,
  nodelifecycle: 2,
  'taint-eviction-controller': 1,
};

/** Parts of controllers that act in passes, for ever. */
const passes: ReadonlySet<string> = new Set(['node-lifecycle-controller', 'node-lifecycle-pods']);

async function toRest(cluster: TestCluster, name: string): Promise<void> {
  const client = cluster.clientAs({ ...controllerManagerUser, groups: ['system:masters'] });
  const env = { ...createVirtualEnv(), clock: cluster.clock };
  const { controllers, informers, runnables } = createControllerManager({
    env,
    client,
    discover: discoverWith(client),
    controllers: [name],
    settings: { rootCa: 'CA', tokenSigner: { sign: () => 'token', rootCa: 'CA' } },
    freeze: true,
  });
  const scope = new Scope();
  scope.spawn('informers', (signal) => informers.run({ signal }));
  for (const part of runnables) scope.spawn(part.name, (signal) => part.run({ signal }));
  await cluster.settle();
  await cluster.run(informers.waitForSync(scope.signal));
  try {
    for (const controller of controllers.filter((each) => !passes.has(each.name)))
      await settle(cluster, controller, rounds[name] ?? 0);
  } finally {
    await cluster.run(scope.close());
  }

  async function settle(test: TestCluster, controller: Controller, roundsMax: number): Promise<void> {
    const left = new Map<string, Plan>();
    for (let round = 0; round <= roundsMax; round++) {
      left.clear();
      for (const key of controller.keys()) {
        const plan = controller.plan(key);
        if (plan !== undefined && !isIdle(plan)) left.set(key, plan);
      }
      if (left.size === 0) return;
      if (round === roundsMax) break;
      for (const plan of left.values()) await test.run(act(plan, { client, env, signal: scope.signal }));
      await test.settle();
    }
    const plans = [...left].map(
      ([key, plan]) => `${key}: ${JSON.stringify(plan.steps.flatMap((step) => step.actions))}`,
    );
    assert.fail(`${controller.name} is not done after ${roundsMax} rounds:\n${plans.join('\n')}`);
  }
}

describe('every plan leads to rest', () => {
  for (const name of Object.keys(rounds)) {
    it(name, async () => {
      await fc.assert(
        fc.asyncProperty(world, async (wanted: World) => {
          await using cluster = await createTestCluster({
            controllerManagers: [{ identity: 'setup', controllers: ['serviceaccount'] }],
          });
          await makeWorld(cluster, wanted);
          await cluster.run(cluster.processes[0]?.stop() ?? Promise.resolve());
          await toRest(cluster, name);
        }),
        { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 25) },
      );
    });
  }
});
