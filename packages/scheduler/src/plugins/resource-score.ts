// Scores of nodes by how much of them would be taken (spec/scheduler.md §11.5). cpu and memory count with assumed amounts for pods that
// request nothing, so that such pods spread too.

import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../framework/pod-info.ts';
import { amountIn } from '../resources/amounts.ts';

export interface WeightedResource {
  readonly name: string;
  /** 1 … 100. */
  readonly weight: number;
}

export interface ShapePoint {
  /** Percent of the node. */
  readonly utilization: number;
  /** 0 … 10. */
  readonly score: number;
}

export type ResourceScoreOptions =
  | { readonly type: 'LeastAllocated' | 'MostAllocated'; readonly resources?: readonly WeightedResource[] }
  | {
      readonly type: 'RequestedToCapacityRatio';
      readonly resources?: readonly WeightedResource[];
      /** By ascending utilization; at least one point. */
      readonly shape: readonly ShapePoint[];
    };

const defaultResources: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/** Makes the function that scores a node, 0 to 100. */
export function createResourceScore(
  options: ResourceScoreOptions = { type: 'LeastAllocated' },
): (pod: PodInfo, node: NodeInfo) => number {
  const resources = options.resources ?? defaultResources;
  switch (options.type) {
    case 'LeastAllocated':
      return weighted(resources, (taken, total) => (taken > total ? 0 : Math.trunc(((total - taken) * 100) / total)));
    case 'MostAllocated':
      return weighted(resources, (taken, total) => Math.trunc((Math.min(taken, total) * 100) / total));
    case 'RequestedToCapacityRatio':
      return ratio(resources, options.shape);
  }
}

function weighted(
  resources: readonly WeightedResource[],
  scoreOf: (taken: number, total: number) => number,
): (pod: PodInfo, node: NodeInfo) => number {
  return (pod, node) => {
    let sum = 0;
    let weights = 0;
    for (const { name, weight } of resources) {
      const total = amountIn(node.allocatable, name);
      if (total === 0 || isUnasked(pod, name)) continue;
      sum += weight * scoreOf(takenWith(pod, node, name), total);
      weights += weight;
    }
    return weights === 0 ? 0 : Math.trunc(sum / weights);
  };
}

function ratio(
  resources: readonly WeightedResource[],
  shape: readonly ShapePoint[],
): (pod: PodInfo, node: NodeInfo) => number {
  return (pod, node) => {
    let sum = 0;
    let weights = 0;
    for (const { name, weight } of resources) {
      const total = amountIn(node.allocatable, name);
      if (total === 0 || isUnasked(pod, name)) continue;
      const taken = takenWith(pod, node, name);
      const score = shapeScore(shape, taken > total ? 100 : Math.trunc((taken * 100) / total));
      // Resources that add nothing don't count against the others.
      if (score <= 0) continue;
      sum += weight * score;
      weights += weight;
    }
    return weights === 0 ? 0 : Math.round(sum / weights);
  };
}

/** The shape's value at a utilization, times ten: straight lines between points. */
function shapeScore(shape: readonly ShapePoint[], utilization: number): number {
  let before: ShapePoint | undefined;
  for (const point of shape) {
    if (utilization <= point.utilization) {
      if (before === undefined) return point.score * 10;
      const rise = (point.score - before.score) * 10 * (utilization - before.utilization);
      return before.score * 10 + Math.trunc(rise / (point.utilization - before.utilization));
    }
    before = point;
  }
  return (before?.score ?? 0) * 10;
}

function isUnasked(pod: PodInfo, name: string): boolean {
  return !isBuiltIn(name) && (pod.scoreRequests.scalars.get(name) ?? 0) === 0;
}

function isBuiltIn(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage';
}

function takenWith(pod: PodInfo, node: NodeInfo, name: string): number {
  const wanted = amountIn(pod.scoreRequests, name);
  if (name === 'cpu') return node.nonZeroMilliCpu + wanted;
  if (name === 'memory') return node.nonZeroMemory + wanted;
  return amountIn(node.requested, name) + wanted;
}
