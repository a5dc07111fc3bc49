// A test cluster with simulated nodes and a scheduler, and the few things every test here does with it.

import type { Event, Pod } from '@homeostat/api/types/core-v1';
import { nodesComponent, type NodesComponent, numberedNodes, schedulerComponent } from '@homeostat/cluster';
import { type Client, type ResourceType } from '@homeostat/client';
import { events, pods } from '@homeostat/client/resources';
import type { NodeDefinition, NodePool } from '@homeostat/kubelet';
import type { KubeObject, WatchEvent } from '@homeostat/machinery';
import { createTestCluster, type TestCluster, type TestClusterOptions } from '@homeostat/testing';

export interface NodeCluster extends AsyncDisposable {
  readonly test: TestCluster;
  readonly client: Client;
  readonly component: NodesComponent;
  readonly pool: NodePool;
  pod(name: string): Pod | undefined;
  /** Creates a Pod in `default`, bound to `node-1` unless the spec says otherwise. */
  createPod(name: string, options: PodOptions): Promise<Pod>;
  deletePod(name: string, gracePeriodSeconds?: number): Promise<void>;
  /** Reasons of the events about an object, oldest first. */
  eventsOf(name: string): readonly Event[];
  /** Collects what watchers of a resource see from now on. */
  watch<T extends KubeObject>(resource: ResourceType<T>): Promise<Watched<T>>;
}

export interface Watched<T extends KubeObject> {
  readonly seen: { readonly atMs: number; readonly event: WatchEvent<T> }[];
}

export interface PodOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<NonNullable<Pod['spec']>>;
}

/** Annotations of simulated behaviour, without the prefix. */
export function simulated(behavior: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(behavior).map(([key, value]) => [`simulated.homeostat.dev/${key}`, value]));
}

export async function startNodes(
  definitions: number | readonly NodeDefinition[],
  options: TestClusterOptions = {},
): Promise<NodeCluster> {
  const component = nodesComponent({
    nodes: typeof definitions === 'number' ? numberedNodes(definitions) : definitions,
    freeze: true,
  });
  const test = await createTestCluster({
    ...options,
    server: { podLogs: component.podLogs },
    components: [schedulerComponent(), component],
  });
  const pool = await test.run(component.pool);
  await test.run(pool.ready);
  // The namespace's account, without which Pods are refused.
  await test.advance(1_000);
  const stop = new AbortController();
  const client = test.admin;
  return {
    test,
    client,
    component,
    pool,
    pod: (name) => test.get(pods, 'default', name),
    createPod: (name, { annotations, labels, spec }) =>
      test.run(
        client.create(pods, {
          object: {
            metadata: {
              name,
              namespace: 'default',
              ...(annotations === undefined ? {} : { annotations }),
              ...(labels === undefined ? {} : { labels }),
            },
            spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'nginx:1.27' }], ...spec },
          },
        }),
      ),
    deletePod: async (name, gracePeriodSeconds) => {
      await test.run(
        client.delete(pods, {
          namespace: 'default',
          name,
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        }),
      );
    },
    eventsOf: (name) =>
      test
        .list(events)
        .filter(({ involvedObject }) => involvedObject.name === name)
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion)),
    watch: async (resource) => {
      const seen: Watched<never>['seen'] = [];
      const stream = await test.run(client.watch(resource, { resourceVersion: '0', signal: stop.signal }));
      void (async () => {
        for await (const event of stream) seen.push({ atMs: test.clock.monotonicMs(), event: event as never });
      })();
      await test.settle();
      return { seen } as never;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await test.stop();
    },
  };
}
