// What an old value is to a new one: fields correlate by name, items of lists of type map by key, items of other lists not at
// all (spec/apiserver.md §14.6). Only what the schema specifies correlates.

import type { Json } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { goJson } from '../values/go-strings.ts';
import { asList, asMap, getOwn } from '../values/json-shapes.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The schema of a field or a key; undefined where nothing is specified. */
function fieldSchema(
  name: string,
  { properties, additionalProperties }: StructuralSchema,
): StructuralSchema | undefined {
  return properties.get(name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

/** The old item of an item; undefined when items of this list don't correlate. */
export function correlateItems(
  schema: StructuralSchema,
  old: Json | undefined,
): ((item: Json) => Json | undefined) | undefined {
  const oldItems = schema.listType === 'map' ? asList(old) : undefined;
  if (oldItems === undefined) return undefined;
  let byKey: Map<string, Json> | undefined;
  return (item) => {
    byKey ??= itemsByKey(oldItems, schema);
    const key = itemKey(item, schema);
    return key === undefined ? undefined : byKey.get(key);
  };
}

/** Of items with the same key the first counts. */
function itemsByKey(items: readonly Json[], schema: StructuralSchema): Map<string, Json> {
  const byKey = new Map<string, Json>();
  for (const item of items) {
    const key = itemKey(item, schema);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/** What identifies an item of a list of type map, as text; undefined when a key is missing or no scalar. */
function itemKey(item: Json, { listMapKeys }: StructuralSchema): string | undefined {
  const map = asMap(item);
  if (map === undefined) return undefined;
  let key = '';
  for (const name of listMapKeys) {
    const value = getOwn(map, name);
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    key += ` ${goJson(value)}`;
  }
  return key;
}

/**
 * Whether a value is as it was. The order of a list of type map does not count. A map that holds something the schema says
 * nothing of is never as it was.
 */
export function isUnchanged(value: Json, old: Json, schema: StructuralSchema): boolean {
  const list = asList(value);
  const oldList = asList(old);
  if (list !== undefined && oldList !== undefined) return isUnchangedList(list, oldList, schema);
  const map = asMap(value);
  const oldMap = asMap(old);
  if (map === undefined || oldMap === undefined) return deepEqual(value, old);
  const names = Object.keys(map);
  if (names.length !== Object.keys(oldMap).length) return false;
  return names.every((name) => {
    const field = fieldSchema(name, schema);
    const oldField = getOwn(oldMap, name);
    return field !== undefined && oldField !== undefined && isUnchanged(map[name] as Json, oldField, field);
  });
}

function isUnchangedList(list: readonly Json[], old: readonly Json[], schema: StructuralSchema): boolean {
  if (list.length !== old.length) return false;
  const { items } = schema;
  const oldItemOf = correlateItems(schema, old);
  if (oldItemOf === undefined || items === undefined) return deepEqual(list, old);
  return list.every((item) => {
    const oldItem = oldItemOf(item);
    return oldItem !== undefined && isUnchanged(item, oldItem, items);
  });
}
