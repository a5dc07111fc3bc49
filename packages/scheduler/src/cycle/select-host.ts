// Picks the best of the nodes that fit (spec/scheduler.md §6.4). No chance is involved: among equals it is the one a binary heap over the
// list leaves on top, so that a history can be replayed and small clusters behave as upstream's do.

/** The position of the best score. @param totals not empty */
export function selectHost(totals: ArrayLike<number>): number {
  const heap = new Int32Array(totals.length);
  for (let index = 0; index < heap.length; index++) heap[index] = index;
  for (let parent = (heap.length >> 1) - 1; parent >= 0; parent--) sink(heap, parent, totals);
  return heap[0] ?? 0;
}

/** As {@link selectHost}, but chance picks among equals. */
export function selectHostAtRandom(totals: ArrayLike<number>, randomInt: (bound: number) => number): number {
  let best = -Infinity;
  let ties = 0;
  let chosen = 0;
  for (let index = 0; index < totals.length; index++) {
    const total = totals[index] ?? 0;
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

function sink(heap: Int32Array, from: number, totals: ArrayLike<number>): void {
  const totalAt = (position: number): number => totals[heap[position] ?? 0] ?? 0;
  let parent = from;
  for (;;) {
    let child = 2 * parent + 1;
    if (child >= heap.length) return;
    if (child + 1 < heap.length && totalAt(child + 1) > totalAt(child)) child++;
    if (totalAt(child) <= totalAt(parent)) return;
    const above = heap[parent] ?? 0;
    heap[parent] = heap[child] ?? 0;
    heap[child] = above;
    parent = child;
  }
}
