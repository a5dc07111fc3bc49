// JSON with its keys in byte order at every level, as Go shows a map.

import type { Json } from '../schema/schema.ts';
import { compareBytewise } from './go-strings.ts';
import { asList, type JsonMap, setOwn } from './json-shapes.ts';

/** The value with all keys in order; it, and any part of it, itself where they already are. */
export function sortJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  const list = asList(value);
  if (list !== undefined) {
    const sorted = list.map(sortJson);
    return sorted.every((item, i) => item === list[i]) ? list : sorted;
  }
  const map = value as JsonMap;
  const keys = Object.keys(map);
  const names = keys.toSorted(compareBytewise);
  const entries = names.map((name) => [name, sortJson(map[name] as Json)] as const);
  if (entries.every(([name, member], i) => name === keys[i] && member === map[name])) return map;
  const out: { [key: string]: Json } = {};
  for (const [name, member] of entries) setOwn(out, name, member);
  return out;
}
