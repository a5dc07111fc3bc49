// A cluster these tests know nothing of but its kubeconfig: the one FOREIGN_KUBECONFIG names (`npm run test:foreign` sets it from
// KUBECONFIG), or a `homeostat up` of their own. They need nothing that only our server has, make all they need in a namespace of their own
// with names of their own, and take it away again.

import { createRealEnv } from '@homeostat/base/node';
import type { Env } from '@homeostat/base';
import { type Client, createClient, isNotFound, type ResourceType } from '@homeostat/client';
import { createKubeconfigTransport } from '@homeostat/client/node';
import { namespaces } from '@homeostat/client/resources';
import type { KubeObject } from '@homeostat/machinery';
import { startUp } from '../e2e/running-cluster.ts';

export interface ForeignCluster {
  readonly env: Env;
  readonly client: Client;
  readonly kubeconfig: string;
  /** Made for this file. */
  readonly namespace: string;
  /** Part of names of cluster-scoped objects, so that runs do not meet. */
  readonly unique: string;
  /** A client with connections of its own. */
  connect(userAgent: string): { readonly client: Client; close(): Promise<void> };
  /** Removes a cluster-scoped object at the end, whatever happens. */
  removeAtEnd(resource: ResourceType, name: string): void;
  /** Resolves when an object of the namespace satisfies the condition: now, or when a watch says so. Rejects after 60 s. */
  waitFor<T extends KubeObject>(
    resource: ResourceType<T>,
    name: string,
    condition: (object: T | undefined) => boolean,
  ): Promise<T | undefined>;
  close(): Promise<void>;
}

const limitMs = 60_000;

export async function connectForeign(): Promise<ForeignCluster> {
  const foreign = process.env['FOREIGN_KUBECONFIG'];
  const own = foreign === undefined ? await startUp(['--storage', 'memory']) : undefined;
  const kubeconfig = foreign ?? own?.kubeconfig ?? '';
  const env = createRealEnv({ level: 'error' });
  const connect: ForeignCluster['connect'] = (userAgent) => {
    const { transport } = createKubeconfigTransport({ env, path: kubeconfig, environment: process.env });
    return { client: createClient({ transport, env, userAgent }), close: () => transport.close() };
  };
  const { client, close } = connect('homeostat-foreign-tests');
  const unique = env.random.uuid().slice(0, 8);
  const namespace = `foreign-${unique}`;
  await client.create(namespaces, { object: { metadata: { name: namespace } } });
  const leftovers: { readonly resource: ResourceType; readonly name: string }[] = [];
  return {
    env,
    client,
    kubeconfig,
    namespace,
    unique,
    connect,
    removeAtEnd: (resource, name) => void leftovers.push({ resource, name }),
    waitFor: (resource, name, condition) => waitFor(client, env, { resource, namespace, name }, condition),
    async close() {
      // Custom resources with finalizers end before what defines them.
      for (const { resource, name } of [...leftovers, { resource: namespaces, name: namespace }].reverse()) {
        await client.delete(resource, { name }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
      await close();
      await own?.close();
    },
  };
}

async function waitFor<T extends KubeObject>(
  client: Client,
  env: Env,
  {
    resource,
    namespace,
    name,
  }: { readonly resource: ResourceType<T>; readonly namespace: string; readonly name: string },
  condition: (object: T | undefined) => boolean,
): Promise<T | undefined> {
  const late = new AbortController();
  const timer = env.clock.setTimer(limitMs, () =>
    late.abort(new Error(`waited ${limitMs / 1000} s in vain for ${name}`)),
  );
  const { signal } = late;
  const where = { ...(resource.namespaced ? { namespace } : {}), fieldSelector: `metadata.name=${name}` };
  try {
    for (;;) {
      const list = await client.list(resource, { ...where, signal });
      const [found] = list.items;
      if (condition(found)) return found;
      const resourceVersion = list.metadata?.resourceVersion ?? '';
      for await (const event of await client.watch(resource, { ...where, resourceVersion, signal })) {
        const object = event.type === 'DELETED' ? undefined : event.object;
        if (event.type !== 'BOOKMARK' && condition(object)) return object;
      }
      signal.throwIfAborted();
    }
  } finally {
    timer.cancel();
    late.abort();
  }
}
