// An informer of a custom resource whose definition is not there yet, comes, goes and comes back. Case C8, against the real API server.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { noMetrics, Scope, silentLogger, createSeededRandom } from '@homeostat/base';
import { resourceType } from '@homeostat/client';
import { customResourceDefinitions } from '@homeostat/client/resources';
import type { KubeObject } from '@homeostat/machinery';
import { controllerFor, InformerFactory, type InformerState } from '@homeostat/runtime';
import { EventContract } from '@homeostat/runtime/testing';
import { createTestCluster } from '@homeostat/testing';

interface Gadget extends KubeObject {
  readonly spec?: { readonly size?: number };
}

const gadgets = resourceType<Gadget>({
  group: 'example.com',
  version: 'v1',
  resource: 'gadgets',
  kind: 'Gadget',
  namespaced: true,
});

const definition = {
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced' as const,
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
};

it('C8 an informer waits for its definition, follows it, outlives it, and picks the next one up', async () => {
  await using cluster = await createTestCluster({ controllerManagers: false });
  const { admin, clock } = cluster;
  const env = { clock, random: createSeededRandom(1), log: silentLogger, metrics: noMetrics };
  const informers = new InformerFactory({ client: admin, env });
  const informer = informers.informer(gadgets);
  const states: InformerState[] = [];
  informer.onState((state) => void states.push(state));
  const contract = new EventContract<Gadget>();
  informer.addHandler(contract.wrap());
  const scope = new Scope();
  scope.spawn('informers', (signal) => informers.run({ signal }));

  await cluster.advance(60_000);
  assert.equal(informer.state, 'waiting-for-resource');
  assert.deepEqual(informers.missing().length, 1);
  for (const round of [1, 2]) {
    await cluster.run(admin.create(customResourceDefinitions, { object: definition }));
    await cluster.advance(6_000);
    assert.equal(informer.state, 'synced', `round ${round}`);
    const object = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a', namespace: 'default' } };
    const created = await cluster.run(admin.create(gadgets, { object }));
    await cluster.settle();
    assert.equal(informer.lister.get('default', 'a')?.metadata?.uid, created.metadata?.uid);
    await cluster.run(admin.delete(customResourceDefinitions, { name: 'gadgets.example.com' }));
    await cluster.waitFor(() => informer.state === 'waiting-for-resource', { limitMs: 700_000 });
    assert.equal(contract.known.size, 0, 'the objects of the definition went with it');
  }
  assert.deepEqual(contract.problems, []);
  assert.deepEqual(states.filter((state) => state === 'waiting-for-resource').length, 3);
  await cluster.run(scope.close());
});

it('an operator whose definition is deleted is not ready until it is back; one that can do without stays so', async () => {
  await using cluster = await createTestCluster({ controllerManagers: false });
  const { admin } = cluster;
  await cluster.run(admin.create(customResourceDefinitions, { object: definition }));
  const seen: string[] = [];
  const needs = controllerFor('needs', gadgets).reconcile(async ({ key }) => void seen.push(key));
  const uses = controllerFor('uses', customResourceDefinitions)
    .watches(gadgets, () => [], { optional: true })
    .reconcile(async () => {});
  const { operator } = cluster.startOperator({ name: 'gadgets', controllers: [needs, uses] });
  const [needing, using] = operator.controllers;
  const checks = (): readonly (string | undefined)[] => [needing?.check(), using?.check()];
  await cluster.waitFor(() => operator.manager.ready().healthy);
  assert.deepEqual(checks(), [undefined, undefined]);

  await cluster.run(admin.delete(customResourceDefinitions, { name: 'gadgets.example.com' }));
  await cluster.waitFor(() => !operator.manager.ready().healthy, { what: 'an unready operator', limitMs: 700_000 });
  const gone = 'gadgets.v1.example.com (not served by the API server)';
  assert.deepEqual(checks(), [`controller needs waits for ${gone}`, undefined]);
  assert.deepEqual(using?.status().missing, [gone]);

  await cluster.run(admin.create(customResourceDefinitions, { object: definition }));
  await cluster.waitFor(() => operator.manager.ready().healthy);
  const object = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'b' } };
  await cluster.run(admin.create(gadgets, { namespace: 'default', object }));
  await cluster.waitFor(() => seen.includes('default/b'));
});
