// Numbers for questions that nodes remember the answers to (`NodeInfo.countPods`): looking up a number is cheaper than a long text.

const keys = new Map<string, number>();
const keysMax = 16_384;
let nextKey = 0;

/** The same number for the same text, as long as not too many others have been asked for; never the same for another. */
export function countKey(text: string): number {
  let key = keys.get(text);
  if (key === undefined) {
    if (keys.size >= keysMax) keys.clear();
    keys.set(text, (key = nextKey++));
  }
  return key;
}
