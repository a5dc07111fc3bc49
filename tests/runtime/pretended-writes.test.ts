// What a rehearsal says by itself, against what the API server's dry run says: the same fields change, for every verb and patch type.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { type Client, toKey } from '@homeostat/client';
import { configMaps, deployments, namespaces } from '@homeostat/client/resources';
import { controllerFor, type ControllerDefinition, type Rehearsal } from '@homeostat/runtime';
import { createTestCluster } from '@homeostat/testing';
import { newDeployment } from '../controllers/fixtures/objects.ts';
import { heldOperator } from './fixtures/held-operator.ts';

const at = { namespace: 'default', name: 'a' } as const;
const web = { namespace: 'default', name: 'web' } as const;
const newMap = (name: string, data: Record<string, string>): ConfigMap => ({ metadata: { ...at, name }, data });

const cases: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'a create': (client) => client.create(configMaps, { object: newMap('b', { x: '1' }) }),
  'a create of what is there': (client) => client.create(configMaps, { object: newMap('a', {}) }),
  'an update': async (client) => {
    const current = await client.get(configMaps, at);
    await client.update(configMaps, { object: { ...current, data: { y: '2' } } });
  },
  'a stale update': (client) =>
    client.update(configMaps, { object: { ...newMap('a', {}), metadata: { ...at, resourceVersion: '1' } } }),
  'a merge patch': (client) =>
    client.patch(configMaps, {
      ...at,
      type: 'merge',
      patch: { data: { x: null, z: '3' }, metadata: { labels: { l: '1' } } },
    }),
  'a merge patch for another life': (client) =>
    client.patch(configMaps, { ...at, type: 'merge', patch: { metadata: { uid: 'other' } } }),
  'a JSON patch': (client) =>
    client.patch(configMaps, { ...at, type: 'json', patch: [{ op: 'replace', path: '/data/x', value: '9' }] }),
  'a JSON patch whose test fails': (client) =>
    client.patch(configMaps, { ...at, type: 'json', patch: [{ op: 'test', path: '/data/x', value: 'no' }] }),
  'a patch that changes nothing': (client) =>
    client.patch(configMaps, { ...at, type: 'merge', patch: { data: { x: '1' } } }),
  'a strategic patch of one container': (client) =>
    client.patch(deployments, {
      ...web,
      type: 'strategic',
      patch: { spec: { template: { spec: { containers: [{ name: 'main', image: 'other:1' }] } } } },
    }),
  'an apply of what is not there': (client) =>
    client.apply(configMaps, { object: newMap('c', { x: '1' }), fieldManager: 'm' }),
  'an apply that adds a field': (client) =>
    client.apply(configMaps, { object: newMap('a', { w: '1' }), fieldManager: 'm' }),
  'an apply that takes a field away': (client) =>
    client.apply(configMaps, { object: newMap('applied', { kept: '1' }), fieldManager: 'm' }),
  'an apply that conflicts': (client) =>
    client.apply(configMaps, { object: newMap('applied', { kept: '7' }), fieldManager: 'other' }),
  'a scale': (client) =>
    client.patch(deployments, { ...web, type: 'merge', patch: { spec: { replicas: 5 } }, subresource: 'scale' }),
  'a status': async (client) => {
    const current = await client.get(deployments, web);
    await client.updateStatus(deployments, { object: { ...current, status: { ...current.status, replicas: 4 } } });
  },
  'a deletion': (client) => client.delete(configMaps, at),
  'a deletion with a finalizer': (client) => client.delete(configMaps, { ...at, name: 'held' }),
  'a deletion of what is not there': (client) => client.delete(configMaps, { ...at, name: 'none' }),
  'a namespace and what is in it': async (client) => {
    await client.create(namespaces, { object: { metadata: { name: 'fresh' } } });
    await client.create(configMaps, { object: { metadata: { namespace: 'fresh', name: 'x' }, data: { x: '1' } } });
  },
};

/** What is compared: effects and fields, without what only a server fills in. */
function essence({ writes, outcome }: Rehearsal): unknown {
  const told = writes.map(({ verb, resource, object, subresource, changes, error, after }) => ({
    verb,
    resource,
    object,
    subresource,
    refused: error !== undefined,
    gone: after === undefined,
    fields: changes.filter(({ path }) => !isServers(path)).map(({ path, from, to }) => [path, from, to]),
  }));
  return { told, outcome };
}

/** Times of deletion, and what a namespace is born with. */
function isServers(path: string): boolean {
  return /^(metadata\.deletion|spec\.finalizers|status\.phase|metadata\.labels\["kubernetes\.io)/.test(path);
}

describe('pretended writes', () => {
  it('come to what the dry runs of the API server come to', async () => {
    let current: (client: Client) => Promise<unknown> = () => Promise.resolve();
    const runs: ControllerDefinition = controllerFor('runs', configMaps)
      .watches(deployments, () => [])
      .reconcile(async ({ client }) => void (await current(client)));
    const held = heldOperator({ name: 'rehearsed', controllers: [runs], run: false });
    await using cluster = await createTestCluster({ controllerManagers: false, components: [held.component] });
    const { admin } = cluster;
    await cluster.run(admin.create(configMaps, { object: newMap('a', { x: '1' }) }));
    const finalizers = ['example.com/held'];
    await cluster.run(admin.create(configMaps, { object: { metadata: { ...at, name: 'held', finalizers } } }));
    const applied = newMap('applied', { kept: '1', dropped: '2' });
    await cluster.run(admin.apply(configMaps, { object: applied, fieldManager: 'm' }));
    await cluster.run(admin.create(deployments, { object: newDeployment('web', { replicas: 2 }) }));
    for (const [name, work] of Object.entries(cases)) {
      current = work;
      const before = (await cluster.state()).revision;
      const rehearse = async (dryRun: 'local' | 'server'): Promise<unknown> => {
        const plan = await cluster.run(held.operator().rehearse({ key: toKey('default', 'a'), dryRun }));
        const [rehearsal] = plan.rehearsals;
        assert.ok(rehearsal !== undefined);
        return essence(rehearsal);
      };
      const [local, server] = [await rehearse('local'), await rehearse('server')];
      assert.deepEqual(local, server, name);
      assert.equal((await cluster.state()).revision, before, `${name} was written`);
    }
  });
});
