// A pool that ends and another one that takes its nodes over: what a machine does when it comes up again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, type Env, noMetrics, Scope, silentLogger } from '@homeostat/base';
import { nodePoolUser, nodeUser } from '@homeostat/cluster';
import { createNodePool } from '@homeostat/kubelet';
import type { Pod } from '@homeostat/api/types/core-v1';
import { events, nodes, pods } from '@homeostat/client/resources';
import { createTestCluster } from '@homeostat/testing';
import { simulated } from './fixture.ts';

test('a machine that comes up again starts its Pods anew, leaves those that are over, and ends those that were deleted', async () => {
  await using world = await createTestCluster();
  await world.advance(1_000);
  const env: Env = { clock: world.clock, random: createSeededRandom(5), log: silentLogger, metrics: noMetrics };
  const start = async (): Promise<Scope> => {
    const pool = createNodePool({
      env,
      nodes: [{ name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'a', mine: 'yes' } }],
      client: world.clientAs(nodePoolUser),
      clientFor: (name) => world.clientAs(nodeUser(name)),
    });
    const scope = new Scope();
    scope.spawn('pool', (signal) => pool.run({ signal }));
    await world.run(pool.ready);
    return scope;
  };
  const create = (name: string, spec: Partial<NonNullable<Pod['spec']>>, annotations = {}): Promise<Pod> =>
    world.run(
      world.admin.create(pods, {
        object: {
          metadata: { name, namespace: 'default', annotations },
          spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'nginx:1.27' }], ...spec },
        },
      }),
    );
  const pod = (name: string): Pod | undefined => world.get(pods, 'default', name);

  const first = await start();
  await create('always', {});
  await create('done', { restartPolicy: 'Never' }, simulated({ 'run-for': '1s' }));
  await create('deleted', {});
  await world.advance(5_000);
  await world.run(first.close());
  const done = pod('done');
  assert.equal(done?.status?.phase, 'Succeeded');
  await world.run(world.admin.delete(pods, { namespace: 'default', name: 'deleted' }));
  const labels = { mine: null, 'topology.kubernetes.io/zone': 'b' };
  await world.run(world.admin.patch(nodes, { name: 'node-1', type: 'merge', patch: { metadata: { labels } } }));

  const second = await start();
  await world.waitFor(() => pod('always')?.status?.containerStatuses?.[0]?.restartCount === 1, { limitMs: 5_000 });
  await world.advance(1_000);
  const [status] = pod('always')?.status?.containerStatuses ?? [];
  assert.notEqual(status?.state?.running, undefined);
  assert.equal(status?.lastState?.terminated?.reason, 'ContainerStatusUnknown');
  assert.equal(pod('done')?.metadata?.resourceVersion, done.metadata?.resourceVersion);
  await world.waitFor(() => pod('deleted') === undefined, { limitMs: 5_000 });
  const node = world.get(nodes, undefined, 'node-1');
  assert.equal(node?.metadata?.labels?.['topology.kubernetes.io/zone'], 'a');
  assert.equal(node.metadata.labels['mine'], undefined);
  assert.ok(
    world
      .list(events)
      .some(({ reason, message }) => reason === 'Rebooted' && message?.startsWith('Node node-1 has been rebooted')),
  );
  await world.run(second.close());
});
