// The demo's world in virtual time: one process, one seed, upstream's own waiting times, over in a second.

import { generateKeyPairSync } from 'node:crypto';
import { createVirtualEnv } from '@homeostat/base';
import { nodeDigests, toSigningKey } from '@homeostat/apiserver/node';
import { createInProcessTransport } from '@homeostat/client';
import {
  adminUser,
  type Component,
  controllerManagerComponent,
  createCluster,
  nodesComponent,
  numberedNodes,
  schedulerComponent,
} from '@homeostat/cluster';
import { createMemoryStore } from '@homeostat/storage/memory';
import { tellAction } from './told-action.ts';
import type { DemoWorld, ToldAction } from './world.ts';

const managers = ['manager-1', 'manager-2'] as const;
const hourMs = 3_600_000;

export async function createVirtualWorld(seed: number): Promise<DemoWorld> {
  const env = createVirtualEnv({ seed });
  const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const listeners: ((action: ToldAction) => void)[] = [];
  const stops = new Map<string, AbortController>();
  const nodes = nodesComponent({ nodes: numberedNodes(3) });
  const cluster = createCluster({
    env,
    store: createMemoryStore({ env }),
    security: { keys: { signingKey: () => Promise.resolve(key), verificationKeys: () => [key] }, digests: nodeDigests },
    server: { podLogs: nodes.podLogs },
    components: [
      ...managers.map((name) => {
        const stop = new AbortController();
        stops.set(name, stop);
        return stoppable(managerCalled(name, listeners), stop.signal);
      }),
      schedulerComponent(),
      nodes,
    ],
  });
  const stopping = new AbortController();
  const running = cluster.run({ signal: stopping.signal });
  running.catch(() => {}); // told by close
  await env.clock.run(cluster.apiReady, hourMs);
  const client = cluster.clientAs(adminUser, 'demo');
  return {
    env,
    client,
    transport: createInProcessTransport({ handle: cluster.server.handle, user: adminUser }),
    gracePeriodSeconds: 50,
    tolerationSeconds: 300,
    onAction: (listener) => void listeners.push(listener),
    during: (work) => env.clock.run(work, hourMs),
    waitFor: async (what, check) => {
      const end = env.clock.monotonicMs() + hourMs;
      while (!(await check())) {
        if (env.clock.monotonicMs() > end) throw new Error(`never happened: ${what}`);
        await env.clock.advance(100);
      }
    },
    stopNode: async (name) => {
      const pool = await nodes.pool;
      pool.stopNode(name);
    },
    killLeader: async () => {
      const leases = await env.clock.run(
        client.request({
          method: 'GET',
          path: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
        }),
      );
      const holder = (leases as { spec: { holderIdentity: string } }).spec.holderIdentity;
      stops.get(holder)?.abort(new Error('killed'));
      return holder;
    },
    close: async () => {
      stopping.abort(new Error('the story is over'));
      await env.clock.run(running, hourMs);
    },
  };
}

function managerCalled(name: string, listeners: readonly ((action: ToldAction) => void)[]): Component {
  return controllerManagerComponent({
    electAs: name,
    onAction: (record) => {
      const told = tellAction(name, record);
      if (told !== undefined) for (const listener of listeners) listener(told);
    },
  });
}

// A component that can be ended by itself; it never says good-bye to its lease.
function stoppable(component: Component, stop: AbortSignal): Component {
  return {
    name: component.name,
    create: (context) => {
      const made = component.create(context);
      return { ready: made.ready, run: ({ signal }) => made.run({ signal: AbortSignal.any([signal, stop]) }) };
    },
  };
}
