// Node agents in bad weather: refused writes, broken connections, late and cut watches. Whatever happens on the way, when it clears
// the cluster comes to what was asked for, and nothing was done twice. Failing seeds are printed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPodReady } from '@homeostat/api';
import { deployments, nodes, pods } from '@homeostat/client/resources';
import { randomFaults } from '@homeostat/testing';
import { simulated, startNodes } from './fixture.ts';

const labels = { app: 'web' };

for (const seed of [1, 2, 3, 4]) {
  test(`a cluster comes through bad weather (seed ${seed})`, async () => {
    await using cluster = await startNodes(4, { seed });
    const { test: world, client } = cluster;
    for (const rule of randomFaults({ rate: 0.1 })) world.faults.add(rule);
    await world.run(
      client.create(deployments, {
        object: {
          metadata: { name: 'web', namespace: 'default' },
          spec: {
            replicas: 12,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels, annotations: simulated({ 'stop-delay': '1s', readiness: 'pass-after=1s' }) },
              spec: {
                containers: [
                  { name: 'c', image: 'nginx:1.27', readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 2 } },
                ],
              },
            },
          },
        },
      }),
    );
    await world.advance(30_000);
    for (const pod of world.list(pods, 'default').slice(0, 4)) await cluster.deletePod(pod.metadata?.name ?? '');
    const template = { metadata: { annotations: { rolled: 'yes' } } };
    await world.run(
      client.patch(deployments, { namespace: 'default', name: 'web', type: 'merge', patch: { spec: { template } } }),
    );
    await world.advance(120_000);
    world.faults.clear();
    await world.waitFor(
      () => {
        const { status, metadata } = world.get(deployments, 'default', 'web') ?? {};
        return (
          status?.observedGeneration === metadata?.generation &&
          status?.updatedReplicas === 12 &&
          status.availableReplicas === 12 &&
          world.list(pods, 'default').length === 12
        );
      },
      { what: 'the Deployment to be rolled out', limitMs: 1_200_000 },
    );
    const made = world.list(pods, 'default');
    assert.ok(made.every((pod) => isPodReady(pod) && pod.metadata?.deletionTimestamp === undefined));
    assert.equal(new Set(made.map(({ status }) => status?.podIP)).size, 12);
    assert.ok(made.every(({ status }) => status?.containerStatuses?.[0]?.restartCount === 0));
    assert.equal(world.list(nodes).length, 4);
    assert.ok(
      world
        .list(nodes)
        .every(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'),
    );
  });
}
