// Prefers nodes whose resources a pod makes be used more evenly (spec/scheduler.md §11.6): what counts is the change the pod brings, so
// that a pod that changes nothing scores 75 everywhere.

import type { NodeInfo } from '../cache/node-info.ts';
import type { Plugin } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { amountIn, type Amounts, noAmounts } from '../resources/amounts.ts';
import { pluginNames } from './names.ts';

export interface BalancedAllocationOptions {
  /** Names of resources; default cpu and memory. */
  readonly resources?: readonly string[];
}

export function createBalancedAllocation({ resources = ['cpu', 'memory'] }: BalancedAllocationOptions = {}): Plugin {
  return {
    name: pluginNames.nodeResourcesBalancedAllocation,
    preScore: (_state, pod) =>
      resources.every((resource) => amountIn(pod.usage.requested, resource) === 0) ? Status.skip : undefined,
    score: (_state, pod, node) => {
      const { requested } = pod.usage;
      const withPod = balance(node, requested, { resources, pod: requested });
      const without = balance(node, noAmounts, { resources, pod: requested });
      return 50 + Math.trunc((50 + withPod - without) / 2);
    },
  };
}

interface Balanced {
  readonly resources: readonly string[];
  readonly pod: Amounts;
}

/** 100 when all resources are used alike. */
function balance(node: NodeInfo, added: Amounts, { resources, pod }: Balanced): number {
  let count = 0;
  let first = 0;
  let last = 0;
  for (const resource of resources) {
    const share = shareOf(node, added, { resource, pod });
    if (share === undefined) continue;
    if (count++ === 0) first = share;
    last = share;
  }
  if (count < 2) return 100;
  if (count === 2) return Math.trunc((1 - Math.abs(first - last) / 2) * 100);
  const shares = resources
    .map((resource) => shareOf(node, added, { resource, pod }))
    .filter((share) => share !== undefined);
  const mean = shares.reduce((sum, share) => sum + share, 0) / count;
  const deviation = Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / count);
  return Math.trunc((1 - deviation) * 100);
}

/** How much of a resource would be taken, at most 1; undefined when the resource doesn't matter here. */
function shareOf(
  { allocatable, requested }: NodeInfo,
  added: Amounts,
  { resource, pod }: { readonly resource: string; readonly pod: Amounts },
): number | undefined {
  const total = amountIn(allocatable, resource);
  // Resources of devices matter only to pods that ask for them.
  const isBuiltIn = resource === 'cpu' || resource === 'memory' || resource === 'ephemeral-storage';
  if (total === 0 || (!isBuiltIn && amountIn(pod, resource) === 0)) return undefined;
  return Math.min(1, (amountIn(requested, resource) + amountIn(added, resource)) / total);
}
