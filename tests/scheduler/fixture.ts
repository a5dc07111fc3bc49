// A control plane of API server and scheduler in one process, on a virtual clock, and the objects its tests put there.

import { generateKeyPairSync } from 'node:crypto';
import { nodeDigests, toSigningKey } from '@homeostat/apiserver/node';
import type { Container, Node, Pod, PodSpec } from '@homeostat/api/types/core-v1';
import { createVirtualEnv, type Metrics, Scope, type VirtualClock } from '@homeostat/base';
import { type Client, type Handle, isNotFound, type ResourceType, resourceType } from '@homeostat/client';
import { events, nodes, pods } from '@homeostat/client/resources';
import {
  adminUser,
  type Component,
  createCluster,
  schedulerComponent,
  type SchedulerComponentOptions,
} from '@homeostat/cluster';
import { createMemoryStore } from '@homeostat/storage/memory';

export const namespace = 'default';
const serviceAccounts = resourceType({
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
});

const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

export interface World {
  readonly clock: VirtualClock;
  readonly client: Client;
  /** Drives the clock until the promise settles. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** Drives the clock until the condition holds of what `read` gives. */
  until<T>(read: () => Promise<T>, holds: (value: T) => boolean, limitMs?: number): Promise<T>;
  /** Lets everything come to rest at this instant, then moves on. */
  advance(ms: number): Promise<void>;
  createNode(name: string, options?: NodeOptions): Promise<Node>;
  createPod(name: string, spec?: Partial<PodSpec>, labels?: Record<string, string>): Promise<Pod>;
  pod(name: string): Promise<Pod>;
  /** Messages of the events about a pod, oldest first. */
  messages(name: string): Promise<readonly string[]>;
  /** Drives the clock until the pod is bound; the node's name. */
  bound(name: string): Promise<string>;
  /** Drives the clock until the pod has been told that it can't be scheduled; the message. */
  refused(name: string): Promise<string>;
}

export interface NodeOptions {
  readonly allocatable?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly spec?: Node['spec'];
}

export interface WorldOptions {
  readonly seed?: number;
  readonly scheduler?: SchedulerComponentOptions;
  readonly intercept?: (handle: Handle) => Handle;
  readonly metrics?: Metrics;
  /** Schedulers in the place of the one. */
  readonly components?: readonly Component[];
}

export async function withWorld(test: (world: World) => Promise<void>, options: WorldOptions = {}): Promise<void> {
  const { metrics } = options;
  const env = createVirtualEnv({ seed: options.seed ?? 1, ...(metrics === undefined ? {} : { metrics }) });
  const { clock } = env;
  const cluster = createCluster({
    env,
    store: createMemoryStore({ env }),
    security: { digests: nodeDigests, keys: { signingKey: async () => key, verificationKeys: () => [key] } },
    components: options.components ?? [schedulerComponent({ repairPeriodMs: 0, ...options.scheduler })],
    ...(options.intercept === undefined ? {} : { intercept: options.intercept }),
  });
  const scope = new Scope();
  scope.spawn('cluster', (signal) => cluster.run({ signal }));
  const client = cluster.clientAs(adminUser, 'test');
  try {
    await clock.run(cluster.ready);
    await clock.run(
      client.create(serviceAccounts, { object: { metadata: { name: 'default', namespace } } }).catch(() => undefined),
    );
    await test(createWorld(clock, client));
  } finally {
    await clock.run(scope.close());
  }
}

function createWorld(clock: VirtualClock, client: Client): World {
  const run = <T>(promise: Promise<T>): Promise<T> => clock.run(promise);
  const until: World['until'] = async (read, holds, limitMs = 60_000) => {
    const end = clock.monotonicMs() + limitMs;
    for (;;) {
      const value = await run(read());
      if (holds(value)) return value;
      if (clock.monotonicMs() >= end) throw new Error(`not so after ${limitMs} ms: ${JSON.stringify(value)}`);
      await clock.advance(100);
    }
  };
  const get = <T extends object>(resource: ResourceType<T>, name: string): Promise<T> =>
    client.get(resource, { name, ...(resource.namespaced ? { namespace } : {}) });
  const world: World = {
    clock,
    client,
    run,
    until,
    advance: (ms) => clock.advance(ms),
    createNode: async (
      name,
      { allocatable = { cpu: '4', memory: '8Gi', pods: '110' }, labels = {}, spec = {} } = {},
    ) => {
      await run(
        client.create(nodes, {
          object: {
            metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
            spec,
            status: { capacity: allocatable, allocatable, conditions: [{ type: 'Ready', status: 'True' }] },
          },
        }),
      );
      // The API server taints new nodes until somebody sees that they are ready.
      return run(
        client.patch(nodes, { name, type: 'merge', patch: { spec: { taints: (spec.taints ?? null) as null } } }),
      );
    },
    createPod: (name, spec = {}, labels = {}) =>
      run(
        client.create(pods, {
          object: {
            metadata: { name, namespace, labels },
            spec: { automountServiceAccountToken: false, containers: [container()], ...spec },
          },
        }),
      ),
    pod: (name) => run(get(pods, name)),
    messages: async (name) => {
      await clock.settle();
      const { items } = await run(client.list(events, { namespace, fieldSelector: `involvedObject.name=${name}` }));
      return items.map(({ message = '' }) => message);
    },
    bound: async (name) => {
      const pod = await until(
        () => get(pods, name),
        ({ spec }) => (spec?.nodeName ?? '') !== '',
      );
      return pod.spec?.nodeName ?? '';
    },
    refused: async (name) => {
      const pod = await until(
        () => get(pods, name),
        (value) => conditionOf(value)?.status === 'False',
      );
      return conditionOf(pod)?.message ?? '';
    },
  };
  return world;
}

/** PodScheduled. */
export function conditionOf(pod: Pod) {
  return pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
}

export function container(requests: Record<string, string> = {}, more: Partial<Container> = {}): Container {
  return { name: 'c', image: 'img:1', resources: { requests }, ...more };
}

export async function exists(client: Client, name: string): Promise<boolean> {
  try {
    await client.get(pods, { namespace, name });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
