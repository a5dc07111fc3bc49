// Simulated nodes inside the process: all in one pool that reads as an administrator and writes as each node.

import { createDeferred } from '@homeostat/base';
import { createNodePool, type NodeDefinition, type NodePool, type PodLogs } from '@homeostat/kubelet';
import type { Component, ComponentContext, RunningComponent } from '../component.ts';
import { nodePoolUser, nodeUser } from '../identities.ts';

export interface NodesComponentOptions {
  readonly nodes: readonly NodeDefinition[];
  /** See `NodePoolOptions`. */
  readonly nodeEvents?: boolean;
  readonly statusWrites?: number;
  readonly freeze?: boolean;
}

/** The component, and what the cluster and tests want of its nodes. */
export interface NodesComponent extends Component {
  /** Give it to the API server: `createCluster({ server: { podLogs } })`. */
  readonly podLogs: PodLogs;
  /** The nodes; resolves when the cluster has made the component. */
  readonly pool: Promise<NodePool>;
}

const userAgent = 'kubelet/v1.36.2 (linux/amd64) homeostat';

export function nodesComponent(options: NodesComponentOptions): NodesComponent {
  const made = createDeferred<NodePool>();
  return {
    name: 'nodes',
    pool: made.promise,
    podLogs: async (pod, logOptions, signal) => (await made.promise).logs(pod, logOptions, signal),
    create: (context) => {
      const pool = create(context, options);
      made.resolve(pool);
      return { ready: pool.ready, run: (runOptions) => pool.run(runOptions) } satisfies RunningComponent;
    },
  };
}

/** `count` nodes called `<prefix>-1`, `<prefix>-2`, … */
export function numberedNodes(count: number, prefix = 'node'): readonly NodeDefinition[] {
  return Array.from({ length: count }, (_unused, index) => ({ name: `${prefix}-${index + 1}` }));
}

function create({ env, clientAs }: ComponentContext, { nodes, ...options }: NodesComponentOptions): NodePool {
  return createNodePool({
    ...options,
    env,
    nodes,
    client: clientAs(nodePoolUser, userAgent),
    clientFor: (name) => clientAs(nodeUser(name), userAgent),
  });
}
