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

/** 100 when all resources are used alike. */
function balance(
  { allocatable, requested }: NodeInfo,
  added: Amounts,
  { resources, pod }: { readonly resources: readonly string[]; readonly pod: Amounts },
): number {
  const shares: number[] = [];
  for (const resource of resources) {
    const total = amountIn(allocatable, resource);
    // Resources of devices matter only to pods that ask for them.
    const isBuiltIn = resource === 'cpu' || resource === 'memory' || resource === 'ephemeral-storage';
    if (total === 0 || (!isBuiltIn && amountIn(pod, resource) === 0)) continue;
    shares.push(Math.min(1, (amountIn(requested, resource) + amountIn(added, resource)) / total));
  }
  return Math.trunc((1 - spreadOf(shares)) * 100);
}

/** Standard deviation. */
function spreadOf(shares: readonly number[]): number {
  const [first = 0, second = 0] = shares;
  if (shares.length < 2) return 0;
  if (shares.length === 2) return Math.abs(first - second) / 2;
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length);
}
