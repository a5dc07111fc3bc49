// Finalizers, status patches, owner references and create-or-update against the real API server. Case ids: G13, O13, B7.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Deployment } from '@homeostat/api/types/apps-v1';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { createSeededRandom } from '@homeostat/base';
import { type Client, isConflict, isNotFound, retryOnConflict } from '@homeostat/client';
import { configMaps, deployments, secrets } from '@homeostat/client/resources';
import {
  addFinalizer,
  controllerFor,
  createOrPatch,
  createOrUpdate,
  finalized,
  hasFinalizer,
  patchStatus,
  removeFinalizer,
  setControllerReference,
} from '@homeostat/runtime';
import { createTestCluster, type TestCluster } from '@homeostat/testing';
import { newDeployment } from '../controllers/fixtures/objects.ts';
import { controllerComponent } from './fixtures/controller-component.ts';

const finalizer = 'example.com/disk';
const at = { namespace: 'default', name: 'm' } as const;

const newMap = (metadata: object = {}): ConfigMap => ({ metadata: { ...at, ...metadata } });

async function withCluster(test: (cluster: TestCluster, client: Client) => Promise<void>): Promise<void> {
  await using cluster = await createTestCluster({ controllerManagers: false });
  await cluster.run(test(cluster, cluster.admin));
}

const create = (client: Client, object = newMap()): Promise<ConfigMap> => client.create(configMaps, { object });

describe('finalizers', () => {
  it('are put on and taken off beside those of others, and only once', () =>
    withCluster(async (_, client) => {
      const target = { resource: configMaps, finalizer };
      const first = await addFinalizer(client, { ...target, object: await create(client) });
      assert.deepEqual(first.metadata?.finalizers, [finalizer]);
      assert.equal(await addFinalizer(client, { ...target, object: first }), first);
      const second = await addFinalizer(client, { ...target, finalizer: 'example.com/other', object: first });
      assert.deepEqual(second.metadata?.finalizers, [finalizer, 'example.com/other']);
      await removeFinalizer(client, { ...target, object: second });
      // The one that was first moved: a stale object must not take the wrong one off.
      await removeFinalizer(client, { ...target, finalizer: 'example.com/other', object: second });
      const last = await client.get(configMaps, at);
      assert.equal(last.metadata?.finalizers, undefined);
      await removeFinalizer(client, { ...target, object: last });
    }));

  it('are not put on twice by two who have not seen each other, and go all at once where they are there twice', () =>
    withCluster(async (_, client) => {
      const target = { resource: configMaps, finalizer };
      const seen = await create(client, newMap({ finalizers: ['example.com/other'] }));
      await addFinalizer(client, { ...target, object: seen });
      await assert.rejects(addFinalizer(client, { ...target, object: seen }), isConflict);
      const twice = await client.patch(configMaps, {
        ...at,
        type: 'json',
        patch: [{ op: 'add', path: '/metadata/finalizers/0', value: finalizer }],
      });
      assert.deepEqual(twice.metadata?.finalizers, [finalizer, 'example.com/other', finalizer]);
      await removeFinalizer(client, { ...target, object: twice });
      assert.deepEqual((await client.get(configMaps, at)).metadata?.finalizers, ['example.com/other']);
    }));

  it('G13 are refused as a conflict when a deletion, or a recreation, came first', () =>
    withCluster(async (_, client) => {
      const seen = await addFinalizer(client, {
        resource: configMaps,
        finalizer: 'example.com/x',
        object: await create(client),
      });
      await client.delete(configMaps, at);
      await assert.rejects(addFinalizer(client, { resource: configMaps, finalizer, object: seen }), isConflict);
      await removeFinalizer(client, { resource: configMaps, finalizer: 'example.com/x', object: seen });
      await assert.rejects(addFinalizer(client, { resource: configMaps, finalizer, object: seen }), isNotFound);
      await create(client);
      await assert.rejects(addFinalizer(client, { resource: configMaps, finalizer, object: seen }), isConflict);
      await removeFinalizer(client, { resource: configMaps, finalizer: 'example.com/x', object: seen });
      assert.equal(hasFinalizer(await client.get(configMaps, at), finalizer), false);
    }));

  it('O13 a stale object of a former life cleans nothing up', () =>
    withCluster(async (_, client) => {
      const former = await create(client, newMap({ finalizers: [finalizer] }));
      await client.delete(configMaps, at);
      const deleting = await client.get(configMaps, at);
      await removeFinalizer(client, { resource: configMaps, finalizer, object: deleting });
      await create(client, newMap({ finalizers: [finalizer] }));
      let cleaned = 0;
      const options = {
        resource: configMaps,
        object: deleting,
        finalizer,
        reconcile: async () => 'reconciled',
        cleanUp: async () => `cleaned ${++cleaned}`,
      };
      assert.equal(await finalized(client, options), undefined);
      assert.equal(cleaned, 0);
      assert.notEqual((await client.get(configMaps, at)).metadata?.uid, former.metadata?.uid);
    }));

  it('stay until the clean-up has succeeded, and are there before anything is done', async () => {
    const log: string[] = [];
    let broken = true;
    const operator = controllerFor('disks', configMaps).reconcile(async ({ key, caches, client }) => {
      const object = caches.lister(configMaps).getByKey(key);
      if (object?.metadata?.name !== 'm') return undefined;
      return finalized(client, {
        resource: configMaps,
        object,
        finalizer,
        // Answers nothing, while the clean-up may ask for time: the two have types of their own.
        reconcile: async (current): Promise<void> => {
          log.push(`made, held: ${hasFinalizer(current, finalizer)}`);
        },
        cleanUp: async () => {
          log.push('clean-up');
          if (broken) throw new Error('the cloud is down');
          if (log.filter((line) => line === 'clean-up').length < 5) return { requeueAfterMs: 1_000 };
          return undefined;
        },
      });
    });
    const { component } = controllerComponent(operator);
    await using cluster = await createTestCluster({ controllerManagers: false, components: [component] });
    await cluster.run(create(cluster.admin));
    await cluster.advance(1_000);
    assert.deepEqual(log, ['made, held: true'], 'the own write does not wake the key again');
    await cluster.run(cluster.admin.delete(configMaps, at));
    await cluster.waitFor(() => log.length >= 4);
    assert.ok(hasFinalizer(cluster.get(configMaps, 'default', 'm') ?? {}, finalizer));
    broken = false;
    await cluster.waitFor(() => cluster.get(configMaps, 'default', 'm') === undefined);
  });
});

describe('patchStatus()', () => {
  it('sends what differs, against the version and the uid that were read', () =>
    withCluster(async (_, client) => {
      const object = await client.create(deployments, { object: newDeployment('web') });
      const status = { observedGeneration: 1, replicas: 2 };
      const patched = await patchStatus(client, { resource: deployments, object, status });
      assert.deepEqual(patched.status, status);
      assert.equal(await patchStatus(client, { resource: deployments, object: patched, status }), patched);
      await assert.rejects(
        patchStatus(client, { resource: deployments, object, status: { observedGeneration: 2 } }),
        isConflict,
      );
      const free = await patchStatus(client, {
        resource: deployments,
        object,
        status: { observedGeneration: 2, replicas: 3 },
        optimisticLock: false,
      });
      assert.deepEqual(free.status, { observedGeneration: 2, replicas: 3 });
      const less = await patchStatus(client, {
        resource: deployments,
        object: free,
        status: { observedGeneration: 2 },
      });
      assert.deepEqual(less.status, { observedGeneration: 2 });
    }));
});

describe('createOrUpdate()', () => {
  const target = { resource: configMaps, ...at };

  it("says what it did in controller-runtime's words", () =>
    withCluster(async (_, client) => {
      const set =
        (data: Readonly<Record<string, string>>) =>
        (object: ConfigMap): ConfigMap => ({ ...object, data });
      const done = async (data: Readonly<Record<string, string>>) =>
        (await createOrUpdate(client, { ...target, mutate: set(data) })).operation;
      assert.deepEqual(
        [await done({ a: '1' }), await done({ a: '1' }), await done({ a: '2' })],
        ['created', 'unchanged', 'updated'],
      );
      const renamed = { ...target, mutate: (object: ConfigMap): ConfigMap => ({ ...object, metadata: { name: 'x' } }) };
      await assert.rejects(createOrUpdate(client, renamed), /must not change the name or the namespace/);
    }));

  it('conflicts with a writer in between; retryOnConflict reads again', () =>
    withCluster(async ({ clock }, client) => {
      await create(client);
      let disturbances = 2;
      const count = (object: ConfigMap): ConfigMap => ({
        ...object,
        data: { ...object.data, n: String(Number(object.data?.['n'] ?? 0) + 1) },
      });
      const disturbing: Client = {
        ...client,
        update: async (resource, options) => {
          if (disturbances-- > 0)
            await client.patch(configMaps, { ...at, type: 'merge', patch: { data: { seen: String(disturbances) } } });
          return client.update(resource, options);
        },
      };
      const random = createSeededRandom(1);
      const attempt = () => createOrUpdate(disturbing, { ...target, mutate: count });
      const { object } = await retryOnConflict({ env: { clock, random } }, attempt);
      assert.deepEqual(object.data, { n: '1', seen: '0' });
    }));

  it('createOrPatch() leaves the fields of others alone, and writes status through its subresource', () =>
    withCluster(async (_, client) => {
      const where = { resource: deployments, namespace: 'default', name: 'web' };
      const steps: readonly ((object: Deployment) => Deployment)[] = [
        (object) => ({ ...newDeployment('web'), metadata: { ...newDeployment('web').metadata, ...object.metadata } }),
        (object) => object,
        (object) => ({ ...object, status: { replicas: 1 } }),
        (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 'b' } } }),
        (object) => ({ ...object, metadata: { ...object.metadata, labels: {} }, status: { replicas: 2 } }),
      ];
      const words: string[] = [];
      for (const mutate of steps) words.push((await createOrPatch(client, { ...where, mutate })).operation);
      assert.deepEqual(words, ['created', 'unchanged', 'updatedStatusOnly', 'updated', 'updatedStatus']);
      assert.equal((await client.get(deployments, { namespace: 'default', name: 'web' })).status?.replicas, 2);
    }));
});

describe('owner references', () => {
  it('B7 of another namespace are refused before they are written; good ones pass the server', () =>
    withCluster(async (_, client) => {
      const object = await client.create(deployments, { object: newDeployment('web') });
      const owner = { object, resource: deployments };
      assert.throws(
        () => setControllerReference({ metadata: { name: 's', namespace: 'kube-system' } }, owner),
        /cross-namespace/,
      );
      const owned = setControllerReference({ metadata: { name: 's', namespace: 'default' } }, owner);
      const secret = await client.create(secrets, { object: owned });
      assert.equal(secret.metadata?.ownerReferences?.[0]?.uid, object.metadata?.uid);
    }));
});
