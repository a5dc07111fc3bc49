// One seed, one history, byte for byte: the same scenario twice gives the same bytes in the store, faults included; another seed gives others.

import { deployments, pods, services } from '@homeostat/client/resources';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestCluster, firstDifference, type HistoryEntry, randomFaults } from '@homeostat/testing';
import { newDeployment, newService } from '../controllers/fixtures/objects.ts';

async function story(seed: number, faulty: boolean): Promise<readonly HistoryEntry[]> {
  await using cluster = await createTestCluster({ seed, nodes: 3 });
  if (faulty) for (const rule of randomFaults()) cluster.faults.add(rule);
  const { admin } = cluster;
  const target = { namespace: 'default', name: 'web' };
  const patch = (body: object): Promise<unknown> =>
    cluster.run(admin.patch(deployments, { ...target, type: 'strategic', patch: body as never }));
  const allReady = (replicas: number) => (): boolean => {
    const { status, metadata } = cluster.get(deployments, 'default', 'web') ?? {};
    return (
      status?.observedGeneration === metadata?.generation &&
      status?.updatedReplicas === replicas &&
      status.availableReplicas === replicas &&
      status.replicas === replicas
    );
  };
  await cluster.run(admin.create(deployments, { object: newDeployment('web') }));
  await cluster.run(admin.create(services, { object: newService('web', { app: 'web' }) }));
  await cluster.waitFor(allReady(3));
  await patch({ spec: { replicas: 8 } });
  await cluster.waitFor(allReady(8));
  await patch({ spec: { template: { spec: { containers: [{ name: 'main', image: 'good:2' }] } } } });
  await cluster.waitFor(allReady(8));
  cluster.nodes.stopNode('node-1');
  await cluster.advance(400_000);
  await cluster.run(admin.delete(pods, { namespace: 'default', name: cluster.list(pods)[0]?.metadata?.name ?? '' }));
  await cluster.advance(10_000);
  await cluster.run(admin.delete(deployments, target));
  await cluster.advance(60_000);
  return cluster.history();
}

describe('a cluster from a seed', () => {
  for (const faulty of [false, true]) {
    it(`has one history${faulty ? ', with faults' : ''}`, async () => {
      const first = await story(7, faulty);
      const second = await story(7, faulty);
      assert.ok(first.length > 200, `only ${first.length} changes`);
      assert.equal(firstDifference(first, second), undefined);
      const other = await story(8, faulty);
      assert.notEqual(firstDifference(first, other), undefined);
    });
  }
});
