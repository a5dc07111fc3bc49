// Keeps a Deployment and a line in an inventory for every Memcached. The inventory stands for something outside of Kubernetes: no
// owner reference cleans it up, so a finalizer does.

import type { Deployment } from '@homeostat/api/types/apps-v1';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { type Client, isAlreadyExists, isNotFound } from '@homeostat/client';
import { configMaps, deployments } from '@homeostat/client/resources';
import {
  controllerFor,
  createOrUpdate,
  type EventRecorder,
  finalized,
  patchStatus,
  type ReconcileController,
  setCondition,
  setControllerReference,
} from '@homeostat/runtime';
import { type Memcached, memcached } from './api.ts';

const finalizer = 'cache.example.com/inventory';
export const inventory = { namespace: 'kube-public', name: 'memcached-inventory' };

export function memcachedController(events: EventRecorder): ReconcileController {
  return controllerFor('memcached', memcached.resource)
    .owns(deployments)
    .with({ concurrency: 4, timeoutMs: 60_000 })
    .reconcile(async ({ key, caches, client, env }) => {
      const object = caches.lister(memcached.resource).getByKey(key);
      if (object === undefined) return;
      await finalized(client, {
        resource: memcached.resource,
        object,
        finalizer,
        reconcile: async (found) => {
          await list(client, found, true);
          const { operation, object: deployment } = await createOrUpdate(client, {
            resource: deployments,
            namespace: found.metadata?.namespace ?? '',
            name: found.metadata?.name ?? '',
            lister: caches.lister(deployments),
            mutate: (current) => desired(found, current),
          });
          if (operation === 'created') {
            const message = `Created deployment ${deployment.metadata?.name}`;
            events.record({ regarding: found, type: 'Normal', reason: 'Created', message });
          }
          await report(client, found, deployment, env.clock.nowMs());
        },
        cleanUp: (found) => list(client, found, false),
      });
    });
}

function desired(owner: Memcached, current: Deployment): Deployment {
  const labels = { app: 'memcached', instance: owner.metadata?.name ?? '' };
  const args = ['-m', String(owner.spec.memoryMegabytes)];
  const [container] = current.spec?.template.spec?.containers ?? [];
  return setControllerReference(
    {
      ...current,
      spec: {
        ...current.spec,
        replicas: owner.spec.size,
        selector: { matchLabels: labels },
        template: {
          ...current.spec?.template,
          metadata: { labels },
          spec: {
            ...current.spec?.template.spec,
            containers: [{ ...container, name: 'memcached', image: owner.spec.image, args }],
          },
        },
      },
    },
    { resource: memcached.resource, object: owner },
  );
}

async function report(client: Client, object: Memcached, { status }: Deployment, nowMs: number): Promise<void> {
  const ready = status?.readyReplicas ?? 0;
  const complete = ready === object.spec.size;
  const generation = object.metadata?.generation ?? 0;
  await patchStatus(client, {
    resource: memcached.resource,
    object,
    status: {
      readyReplicas: ready,
      observedGeneration: generation,
      conditions: setCondition(
        object.status?.conditions,
        {
          type: 'Available',
          status: complete ? 'True' : 'False',
          reason: complete ? 'AllReady' : 'Scaling',
          message: `${ready} of ${object.spec.size} servers are ready`,
          observedGeneration: generation,
        },
        nowMs,
      ),
    },
  });
}

/** Puts the object on the inventory, or takes it off. */
async function list(client: Client, { metadata }: Memcached, there: boolean): Promise<void> {
  const line = `${metadata?.namespace}.${metadata?.name}`;
  const current = await client.get(configMaps, inventory).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if ((current?.data?.[line] !== undefined) === there) return;
  const value = there ? (metadata?.uid ?? '') : null;
  if (current !== undefined) {
    await client.patch(configMaps, { ...inventory, type: 'merge', patch: { data: { [line]: value } } });
    return;
  }
  const object: ConfigMap = { metadata: { name: inventory.name }, data: { [line]: metadata?.uid ?? '' } };
  try {
    await client.create(configMaps, { namespace: inventory.namespace, object });
  } catch (error) {
    // Another key of ours was faster: the next run patches.
    if (!isAlreadyExists(error)) throw error;
    await list(client, { metadata } as Memcached, there);
  }
}
