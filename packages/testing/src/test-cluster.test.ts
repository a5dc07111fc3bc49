import { configMaps, deployments, namespaces, pods } from '@homeostat/client/resources';
import { controllerFor, setControllerReference } from '@homeostat/runtime';
import { customResource, schema } from '@homeostat/runtime/crd';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorComponent } from './operator-component.ts';
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

  it('says what parts complained about while it waited', async () => {
    const broken = controllerFor('broken', configMaps).reconcile(async () => {
      throw new Error('boom');
    });
    const components = [operatorComponent({ name: 'operator', controllers: [broken] })];
    await using cluster = await createTestCluster({ controllerManagers: false, components });
    await cluster.run(
      cluster.admin.create(configMaps, { object: { metadata: { name: 'a', namespace: 'default' } } as never }),
    );
    await assert.rejects(
      cluster.waitFor(() => false, { limitMs: 1_000 }),
      /complained:\n  \d+ × a reconcile failed: Error: boom \(component=operator controller=broken key=default\/a\)/,
    );
  });

  it('freezes what operators have in their caches', async () => {
    const thrown: unknown[] = [];
    const careless = controllerFor('careless', configMaps).reconcile(async ({ key, caches }) => {
      const map = caches.lister(configMaps).getByKey(key);
      try {
        Object.assign(map?.metadata ?? {}, { labels: {} });
      } catch (error) {
        thrown.push(error);
      }
    });
    const components = [operatorComponent({ name: 'operator', controllers: [careless] })];
    await using cluster = await createTestCluster({ controllerManagers: false, components });
    await cluster.run(
      cluster.admin.create(configMaps, { object: { metadata: { name: 'a', namespace: 'default' } } as never }),
    );
    await cluster.waitFor(() => thrown.length > 0);
    assert.ok(thrown[0] instanceof TypeError);
  });

  it('comes to rest with custom resources in its caches', async () => {
    const { string, object } = schema;
    const gadgets = customResource({
      group: 'example.com',
      kind: 'Gadget',
      versions: { v1: { fields: { spec: object({ color: string() }) } } },
    });
    const { resource, create } = gadgets.versions.v1;
    const seen: string[] = [];
    const operator = operatorComponent({
      name: 'operator',
      definitions: [gadgets.definition],
      controllers: [controllerFor('gadgets', resource).reconcile(async ({ key }) => void seen.push(key))],
    });
    await using cluster = await createTestCluster({ components: [operator] });
    await cluster.waitFor(() => cluster.serves(resource));
    const gadget = create({ metadata: { name: 'a', namespace: 'default' }, spec: { color: 'red' } });
    await cluster.run(cluster.admin.create(resource, { object: gadget }));
    await cluster.waitFor(() => seen.includes('default/a'));
    const state = await cluster.quiesce({ limitMs: 60_000 });
    assert.deepEqual(
      state.list(resource).map(({ metadata }) => metadata?.name),
      ['a'],
    );
  });

  it('starts operators that crash and go on where they were', async () => {
    const keep = controllerFor('keep', namespaces)
      .owns(configMaps)
      .reconcile(async ({ key, caches, client }) => {
        const namespace = caches.lister(namespaces).getByKey(key);
        if (namespace?.metadata?.labels?.['kept'] === undefined || caches.lister(configMaps).get(key, 'kept')) return;
        const map = { metadata: { name: 'kept', namespace: key } };
        await client.create(configMaps, {
          object: setControllerReference(map, { object: namespace, resource: namespaces }),
        });
      });
    await using cluster = await createTestCluster({ controllerManagers: false });
    const options = { name: 'keeper', controllers: [keep], election: { namespace: 'default', identity: 'a' } };
    const kept = (namespace: string) => () => cluster.get(configMaps, namespace, 'kept') !== undefined;
    const make = (name: string) =>
      cluster.admin.create(namespaces, { object: { metadata: { name, labels: { kept: '' } } } });
    const first = cluster.startOperator(options);
    await cluster.run(make('one'));
    await cluster.waitFor(kept('one'));
    await cluster.quiesce();
    assert.ok(first.leading);
    await cluster.run(first.crash());
    assert.ok(!first.alive);
    await cluster.run(make('two'));
    await cluster.advance(5_000);
    assert.ok(!kept('two')(), 'nobody is there');
    const crashedMs = cluster.clock.nowMs();
    const second = cluster.startOperator({ ...options, election: { ...options.election, identity: 'b' } });
    await cluster.waitFor(kept('two'));
    assert.ok(cluster.clock.nowMs() - crashedMs > 5_000, 'the lease of the one that crashed is waited for');
    await cluster.run(second.stop());
    assert.equal(second.failure, undefined);
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

  it('names plans that cannot be made among what keeps it from rest', async () => {
    let broken = true;
    const operator = {
      name: 'broken',
      controllers: [
        {
          name: 'broken',
          for: { resource: configMaps },
          observe: (key: string) => (key.startsWith('default/') ? key : undefined),
          diff: () => {
            if (broken) throw new Error('there is no size');
            return { steps: [] };
          },
        },
      ],
    };
    await using cluster = await createTestCluster({ seed: 7 });
    cluster.startOperator(operator);
    await assert.rejects(
      cluster.quiesce({ limitMs: 5_000 }),
      /not at rest .*seed 7.*\n.*broken makes no plan for default\/kube-root-ca.crt: there is no size/s,
    );
    broken = false;
    await cluster.quiesce();
  });

  it('tells of a loop at one instant instead of hanging', async () => {
    const counts = controllerFor('counts', configMaps).reconcile(async ({ key, caches, client }) => {
      const map = caches.lister(configMaps).getByKey(key);
      if (map?.metadata?.name !== 'mine') return;
      const data = { count: String(Number(map.data?.['count'] ?? 0) + 1) };
      await client.update(configMaps, { object: { ...map, data } });
    });
    await using cluster = await createTestCluster({ controllerManagers: false, turnsMax: 500 });
    const operator = cluster.startOperator({
      name: 'counts',
      journal: false,
      controllers: [{ ...counts, ownWrites: 'wake' }],
    });
    const object = { metadata: { name: 'mine', namespace: 'default' } };
    await assert.rejects(
      cluster.run(cluster.admin.create(configMaps, { object })),
      /virtual time stands still at 2026-01-01T.*woken by its own writes.*controller\.ts.*\(seed 1\)/s,
    );
    await cluster.run(operator.crash());
  });

  it('ends with nothing left running, whatever was under way', async () => {
    const cluster = await createTestCluster({ nodes: 1 });
    cluster.faults.add({ fault: { kind: 'slow', delayMs: 5_000, when: 'after' } });
    await cluster.run(cluster.admin.create(deployments, { object: web }));
    await cluster.stop();
  });
});
