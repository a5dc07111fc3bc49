// How long changes are gathered before a controller looks at what they concern. A look costs as much as the thing is large, and a
// thousand Pods change a thousand times: looking after each change would be quadratic (design law 13).

const largeFrom = 200;
const delayMaxMs = 100;

/** Milliseconds for something of `size` parts; nothing for what is small. */
export function batchDelayMs(size: number): number {
  return size <= largeFrom ? 0 : Math.min(delayMaxMs, Math.ceil(size / 50));
}
