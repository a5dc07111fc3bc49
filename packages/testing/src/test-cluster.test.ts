import { deployments, namespaces, pods } from '@homeostat/client/resources';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestCluster } from './test-cluster.ts';

const web = {
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
  },
} as never;

describe('createTestCluster()', () => {
  it('runs a whole cluster whose time is the test’s', async () => {
    await using cluster = await createTestCluster({ nodes: 2 });
    await cluster.run(cluster.admin.create(deployments, { object: web }));
    await cluster.waitFor(() => cluster.get(deployments, 'default', 'web')?.status?.availableReplicas === 2);
    const beforeMs = cluster.clock.nowMs();
    await cluster.advance(3_600_000);
    assert.equal(cluster.clock.nowMs() - beforeMs, 3_600_000);
    await cluster.quiesce();
    assert.deepEqual(await cluster.check(), []);
    const created = (await cluster.history()).filter(
      ({ key, type }) => key.startsWith('/registry/pods/') && type === 'put',
    );
    assert.ok(created.length >= 2);
  });

  it('gives every test a cluster of its own', async () => {
    await using first = await createTestCluster({ controllerManagers: false });
    await using second = await createTestCluster({ controllerManagers: false });
    await first.run(first.admin.create(namespaces, { object: { metadata: { name: 'mine' } } as never }));
    assert.ok(first.get(namespaces, undefined, 'mine') !== undefined);
    assert.equal(second.get(namespaces, undefined, 'mine'), undefined);
  });

  it('says what it waited for in vain, and the seed', async () => {
    await using cluster = await createTestCluster({ seed: 42, controllerManagers: false });
    await assert.rejects(
      cluster.waitFor(() => cluster.list(pods).length > 0, { limitMs: 5_000, what: 'a pod' }),
      /waited \d+ virtual ms in vain for a pod \(seed 42\)/,
    );
  });

  it('says what keeps a cluster from rest', async () => {
    await using cluster = await createTestCluster({ seed: 7 });
    cluster.faults.add({
      match: ({ resource, verb }) => resource === 'pods' && verb === 'create',
      fault: { kind: 'answer', status: 500 },
    });
    await cluster.run(cluster.admin.create(deployments, { object: web }));
    await assert.rejects(
      cluster.quiesce({ limitMs: 20_000 }),
      /not at rest .*seed 7.*\n.*replicaset-controller has something to do for default\/web-/s,
    );
  });

  it('ends with nothing left running, whatever was under way', async () => {
    const cluster = await createTestCluster({ nodes: 1 });
    cluster.faults.add({ fault: { kind: 'slow', delayMs: 5_000, when: 'after' } });
    await cluster.run(cluster.admin.create(deployments, { object: web }));
    await cluster.stop();
  });
});
