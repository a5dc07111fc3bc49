// The wire form of custom resources: what upstream holds as a map comes out with its keys in byte order, at every level.

import { type Json, setOwn, sortedKeys } from '@homeostat/machinery';

type Fields = { readonly [key: string]: Json };

/** The value with all keys in order; shares what is in order already. */
export function sortJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? sortItems(value as readonly Json[]) : sortFields(value as Fields);
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

function sortFields(map: Fields): Fields {
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

const uidKey = Buffer.from('"uid":');
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Where the resourceVersion belongs in sorted JSON: the index of the comma before metadata's own `uid`. `from` is the first
 * byte after metadata's opening brace. -1 when metadata has no uid after another field.
 */
export function findUid(bytes: Buffer, from: number): number {
  let depth = 0;
  let last = -1;
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === quote) {
      if (
        depth === 0 &&
        last >= 0 &&
        last === i - 1 &&
        bytes.compare(uidKey, 0, uidKey.length, i, i + uidKey.length) === 0
      )
        return last;
      i = skipText(bytes, i);
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth-- === 0) return -1;
    } else if (byte === comma) last = i;
  }
  return -1;
}

/** The index of a text's closing quote. */
function skipText(bytes: Buffer, open: number): number {
  for (let i = open + 1; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === backslash) i++;
    else if (byte === quote) return i;
  }
  return bytes.length;
}
