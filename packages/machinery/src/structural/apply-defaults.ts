// Defaulting of custom resources: missing fields get their defaults; null where null is not allowed gives way to the
// default, or to nothing (spec/apiserver.md §14.4). Runs after pruning, on requests and on what comes from storage.

import type { Json } from '../schema/schema.ts';
import { asList, type JsonMap, setOwn } from '../values/json-shapes.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * Fills in defaults. An object that a default brings gets the defaults of its own fields; an object that is missing does not.
 * Fields that are null, not nullable and without a default are dropped; null items of lists stay.
 *
 * The input is never changed, and is returned itself when nothing was missing. Defaults are shared, not copied.
 */
export function applyDefaults<T extends Json>(value: T, schema: StructuralSchema): T {
  return fill(value, schema, true) as T;
}

/** @param dropNulls - what defaults themselves bring keeps its nulls */
function fill(value: Json, schema: StructuralSchema, dropNulls: boolean): Json {
  if (typeof value !== 'object' || value === null) return value;
  const list = asList(value);
  return list === undefined ? fillMap(value as JsonMap, schema, dropNulls) : fillList(list, schema, dropNulls);
}

function fillList(list: readonly Json[], { items }: StructuralSchema, dropNulls: boolean): readonly Json[] {
  if (items === undefined) return list;
  let out: Json[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Json;
    const filled =
      item === null && !items.nullable && items.default !== undefined
        ? fill(items.default, items, false)
        : fill(item, items, dropNulls);
    if (filled === item) continue;
    out ??= list.slice();
    out[i] = filled;
  }
  return out ?? list;
}

function fillMap(map: JsonMap, schema: StructuralSchema, dropNulls: boolean): JsonMap {
  const { properties, additionalProperties } = schema;
  const additional = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  let out: { [key: string]: Json } | undefined;
  for (const key in map) {
    const value = map[key] as Json;
    const child = properties.get(key) ?? additional;
    if (child === undefined) continue;
    const filled = fillField(value, child, dropNulls);
    if (filled === value) continue;
    out ??= { ...map };
    if (filled === undefined) delete out[key];
    else setOwn(out, key, filled);
  }
  if (!schema.has.defaults) return out ?? map;
  for (const [name, property] of properties) {
    if (property.default === undefined || (Object.hasOwn(map, name) && map[name] !== undefined)) continue;
    out ??= { ...map };
    setOwn(out, name, fill(property.default, property, false));
  }
  return out ?? map;
}

/** What becomes of a field that is there; undefined: it goes. */
function fillField(value: Json, schema: StructuralSchema, dropNulls: boolean): Json | undefined {
  if (value !== null) return fill(value, schema, dropNulls);
  if (schema.nullable) return null;
  if (schema.default !== undefined) return fill(schema.default, schema, false);
  return dropNulls ? undefined : null;
}
