// A new version of an example operator beside the one that runs, against the real API server.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deployments } from '@homeostat/client/resources';
import type { Difference, OperatorShadow, ReconcileController, ShadowPicture } from '@homeostat/runtime';
import { createTestCluster, type TestCluster } from '@homeostat/testing';
import { memcached, memcacheds } from '../../examples/operators/memcached/api.ts';
import { memcachedController } from '../../examples/operators/memcached/controller.ts';
import { heldOperator } from './fixtures/held-operator.ts';

interface Fixture extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly differences: Difference[];
  readonly picture: () => ShadowPicture | undefined;
}

async function start(definition: OperatorShadow['definition']): Promise<Fixture> {
  const differences: Difference[] = [];
  const held = heldOperator({
    name: 'memcached-operator',
    definitions: [memcacheds.definition],
    controllers: ({ events }) => [memcachedController(events)],
    shadows: { memcached: { definition, onDifference: (difference) => differences.push(difference) } },
  });
  const cluster = await createTestCluster({ nodes: 2, components: [held.component] });
  await cluster.waitFor(() => cluster.serves(memcached.resource));
  const object = memcached.create({ metadata: { name: 'sessions', namespace: 'default' }, spec: { size: 2 } });
  await cluster.run(cluster.admin.create(memcached.resource, { object }));
  const ready = (): number | undefined => cluster.get(memcached.resource, 'default', 'sessions')?.status?.readyReplicas;
  await cluster.waitFor(() => ready() === 2);
  await cluster.run(
    cluster.admin.patch(memcached.resource, {
      namespace: 'default',
      name: 'sessions',
      type: 'merge',
      patch: { spec: { size: 1 } },
    }),
  );
  await cluster.waitFor(() => ready() === 1);
  await cluster.run(cluster.admin.delete(memcached.resource, { namespace: 'default', name: 'sessions' }));
  await cluster.waitFor(() => cluster.get(deployments, 'default', 'sessions') === undefined);
  const picture = (): ShadowPicture | undefined => held.operator().shadows[0]?.picture();
  return { cluster, differences, picture, [Symbol.asyncDispose]: () => cluster.stop() };
}

describe('shadow mode', () => {
  it('says nothing of a version that does the same, from the first object to the last', async () => {
    await using fixture = await start(({ events }) => memcachedController(events));
    const { differences, picture } = fixture;
    assert.deepEqual(differences, []);
    const { runs } = picture() ?? {};
    assert.ok((runs?.same ?? 0) > 3, JSON.stringify(runs));
    assert.equal(runs?.different, 0);
    assert.equal(runs.dropped, 0);
  });

  it('says where another version would write otherwise, and lets it write nothing', async () => {
    const generous = (definition: ReconcileController): ReconcileController => ({
      ...definition,
      reconcile: (context) => definition.reconcile({ ...context, client: withImage(context.client, 'memcached:2') }),
    });
    await using fixture = await start(({ events }) => generous(memcachedController(events)));
    const { cluster, differences, picture } = fixture;
    assert.ok(differences.length > 0);
    for (const { resource, object, fields } of differences) {
      assert.deepEqual([resource, object], ['deployments.apps', 'default/sessions']);
      assert.deepEqual(fields, [
        { path: 'spec.template.spec.containers[memcached].image', from: 'memcached:1.6', to: 'memcached:2' },
      ]);
    }
    assert.deepEqual(
      picture()?.differences.map(({ field }) => field),
      ['spec.template.spec.containers[].image'],
    );
    const seen = (await cluster.history()).map(({ value }) => value).join('\n');
    assert.equal(seen.includes('memcached:1.6'), true);
    assert.equal(seen.includes('memcached:2'), false);
  });
});

type Client = Parameters<ReconcileController['reconcile']>[0]['client'];

/** What a change of the controller's code would do: Deployments get another image. */
function withImage(client: Client, image: string): Client {
  const changed = <T>(object: T): T => JSON.parse(JSON.stringify(object).replaceAll('memcached:1.6', image)) as T;
  return {
    ...client,
    create: (resource, o) =>
      client.create(resource, resource.resource === 'deployments' ? { ...o, object: changed(o.object) } : o),
    update: (resource, o) =>
      client.update(resource, resource.resource === 'deployments' ? { ...o, object: changed(o.object) } : o),
  };
}
