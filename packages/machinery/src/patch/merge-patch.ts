// JSON merge patch (RFC 7386) as upstream applies it: null deletes, lists are replaced, nulls inside new values are dropped.
// Maps that the patch touches come out with sorted keys, as upstream's do; everything else is shared.

import type { Json } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { asList, asMap, getOwn, type JsonMap, setOwn } from '../values/json-shapes.ts';
import { jsonKind } from './json-patch-operation.ts';
import { PatchError } from './patch-error.ts';

/**
 * Applies a merge patch to a map; neither argument is changed.
 *
 * @throws PatchError malformed when the patch is no map, with upstream's text
 */
export function applyMergePatch(document: Json, patch: Json): Json {
  if (patch === null) throw new PatchError('malformed', 'Invalid JSON Patch');
  const map = asMap(patch);
  if (map === undefined) {
    const kind = jsonKind(patch);
    throw new PatchError(
      'malformed',
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    );
  }
  return mergeMaps(asMap(document) ?? {}, map);
}

function mergeMaps(document: JsonMap, patch: JsonMap): Json {
  const merged = new Map<string, Json>(Object.entries(document));
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === undefined) continue;
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key) ?? null, value));
  }
  return sorted(merged);
}

function merge(current: Json, patch: Json): Json {
  const map = asMap(current);
  if (map === undefined) return withoutNulls(patch);
  const patchMap = asMap(patch);
  return patchMap === undefined ? patch : mergeMaps(map, patchMap);
}

// Keys with null are dropped at every depth, in lists too; null items stay.
function withoutNulls(value: Json): Json {
  const list = asList(value);
  if (list !== undefined) return list.map(withoutNulls);
  const map = asMap(value);
  if (map === undefined) return value;
  const kept = new Map<string, Json>();
  for (const [key, below] of Object.entries(map)) {
    if (below !== null && below !== undefined) kept.set(key, withoutNulls(below));
  }
  return sorted(kept);
}

function sorted(entries: ReadonlyMap<string, Json>): Json {
  const out: { [key: string]: Json } = {};
  for (const key of [...entries.keys()].sort(compareBytewise)) setOwn(out, key, entries.get(key) ?? null);
  return out;
}

/** The merge patch that turns `original` into `modified`: `applyMergePatch(original, patch)` equals `modified` without nulls. */
export function createMergePatch(original: JsonMap, modified: JsonMap): JsonMap {
  const patch: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(modified)) {
    if (value === undefined) continue;
    const old = getOwn(original, key);
    const oldMap = asMap(old);
    const map = asMap(value);
    if (oldMap !== undefined && map !== undefined) {
      const below = createMergePatch(oldMap, map);
      if (Object.keys(below).length > 0) setOwn(patch, key, below);
    } else if (old === undefined || !deepEqual(old, value)) {
      setOwn(patch, key, value);
    }
  }
  for (const [key, value] of Object.entries(original)) {
    if (value !== undefined && getOwn(modified, key) === undefined) setOwn(patch, key, null);
  }
  return patch;
}
