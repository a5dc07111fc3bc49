// JSON with its keys in byte order at every level, as Go shows and writes a map.

import { sortedKeys } from '../codec/sorted-keys.ts';
import type { Json } from '../schema/schema.ts';
import { asList, type JsonMap, setOwn } from './json-shapes.ts';

/** The value with all keys in order; shares what is in order already. */
export function sortJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  const list = asList(value);
  return list === undefined ? sortFields(value as JsonMap) : sortItems(list);
}

function sortItems(items: readonly Json[]): readonly Json[] {
  let out: Json[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Json;
    const sorted = sortJson(item);
    if (sorted === item) continue;
    out ??= items.slice();
    out[i] = sorted;
  }
  return out ?? items;
}

function sortFields(map: JsonMap): JsonMap {
  const keys = sortedKeys(map);
  let changed = false;
  let position = 0;
  for (const key in map) {
    if (keys[position++] !== key) {
      changed = true;
      break;
    }
  }
  let out: { [key: string]: Json } | undefined = changed ? {} : undefined;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const value = map[key] as Json;
    const sorted = value === undefined ? value : sortJson(value);
    if (out === undefined && sorted !== value) {
      out = {};
      for (let k = 0; k < i; k++) setOwn(out, keys[k] as string, map[keys[k] as string] as Json);
    }
    if (out !== undefined && sorted !== undefined) setOwn(out, key, sorted);
  }
  return out ?? map;
}
