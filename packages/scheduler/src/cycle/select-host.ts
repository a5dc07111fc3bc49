// Picks the best of the nodes that fit (spec/scheduler.md §6.4). No chance is involved: among equals it is the one a binary heap over the
// list leaves on top, so that a history can be replayed and small clusters behave as upstream's do.

/** The position of the best score. @param totals not empty */
export function selectHost(totals: readonly number[]): number {
  const heap = Array.from(totals, (_, index) => index);
  const better = (a: number, b: number): boolean => (totals[a] ?? 0) > (totals[b] ?? 0);
  for (let parent = (heap.length >> 1) - 1; parent >= 0; parent--) sink(heap, parent, better);
  return heap[0] ?? 0;
}

/** As {@link selectHost}, but chance picks among equals. */
export function selectHostAtRandom(totals: readonly number[], randomInt: (bound: number) => number): number {
  let best = -Infinity;
  let ties = 0;
  let chosen = 0;
  for (const [index, total] of totals.entries()) {
    if (total > best) {
      best = total;
      ties = 1;
      chosen = index;
    } else if (total === best && randomInt(++ties) === 0) {
      chosen = index;
    }
  }
  return chosen;
}

function sink(heap: number[], from: number, better: (a: number, b: number) => boolean): void {
  let parent = from;
  for (;;) {
    let child = 2 * parent + 1;
    let best = heap[child];
    if (best === undefined) return;
    const right = heap[child + 1];
    if (right !== undefined && better(right, best)) {
      best = right;
      child++;
    }
    const above = heap[parent];
    if (above === undefined || !better(best, above)) return;
    heap[parent] = best;
    heap[child] = above;
    parent = child;
  }
}
