// A binary heap over a plain array, as two functions: for timers and delays, whose owners keep the array themselves.

/** A strict order: whether `a` comes out before `b`. */
export type Before<T> = (a: T, b: T) => boolean;

/** Puts an item in; O(log n). The array must only be changed by these functions. */
export function heapPush<T>(heap: T[], item: T, before: Before<T>): void {
  let index = heap.push(item) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !before(item, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = item;
}

/** Takes the first item out; undefined when there is none; O(log n). `heap[0]` is the next one. */
export function heapPop<T>(heap: T[], before: Before<T>): T | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || heap.length === 0) return top;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    let least = heap[child];
    if (least === undefined) break;
    const right = heap[child + 1];
    if (right !== undefined && before(right, least)) {
      least = right;
      child++;
    }
    if (!before(least, last)) break;
    heap[index] = least;
    index = child;
  }
  heap[index] = last;
  return top;
}
