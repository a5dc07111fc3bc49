// How many nodes that fit are enough to choose from (spec/scheduler.md §6.3).

const findLeast = 100;
const percentLeast = 5;

/** @param percentage 0: adaptive, between 50 % of a small cluster and 5 % of a large one */
export function countNodesToFind(nodeCount: number, percentage: number): number {
  if (nodeCount < findLeast || percentage >= 100) return nodeCount;
  const adaptive = Math.max(percentLeast, 50 - Math.trunc(nodeCount / 125));
  const percent = percentage === 0 ? adaptive : percentage;
  return Math.max(findLeast, Math.trunc((nodeCount * percent) / 100));
}
