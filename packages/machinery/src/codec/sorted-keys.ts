// The keys of a map in the order Go writes them: by their UTF-8 bytes.

import { compareBytewise } from '../values/go-strings.ts';

/** Sorted keys. Maps are mostly in order already, which is cheaper to see than to sort. */
export function sortedKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) {
    if (compareBytewise(keys[i - 1] as string, keys[i] as string) > 0) return keys.sort(compareBytewise);
  }
  return keys;
}
