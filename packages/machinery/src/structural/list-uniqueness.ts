// Items of lists of type set, and keys of lists of type map, occur once
// (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype`).

import { duplicate, type FieldError, FieldPath, invalid } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { compareBytewise, goJson } from '../values/go-strings.ts';
import { asList, asMap, getOwn, type JsonMap, setOwn } from '../values/json-shapes.ts';
import { sortJson } from '../values/sort-json.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** An error for each item or key that occurs again, once however often it does. */
export function validateUniqueness(value: Json, schema: StructuralSchema, path = new FieldPath()): FieldError[] {
  const errors: FieldError[] = [];
  collect(value, schema, path, errors);
  return errors;
}

function collect(value: Json, schema: StructuralSchema, path: FieldPath, errors: FieldError[]): void {
  if (!schema.has.associativeLists || typeof value !== 'object' || value === null) return;
  const list = asList(value);
  if (list !== undefined) {
    if (schema.listType === 'set') reportRepeated(list, list, path, errors);
    else if (schema.listType === 'map') checkKeys(list, schema, path, errors);
    const { items } = schema;
    if (items?.has.associativeLists !== true) return;
    for (let i = 0; i < list.length; i++) collect(list[i] as Json, items, path.index(i), errors);
    return;
  }
  const { properties, additionalProperties } = schema;
  const map = value as JsonMap;
  for (const key in map) {
    const property = properties.get(key);
    const child = property ?? additionalProperties;
    if (typeof child !== 'object' || !child.has.associativeLists) continue;
    collect(map[key] as Json, child, property === undefined ? path.key(key) : path.child(key), errors);
  }
}

function checkKeys(list: readonly Json[], schema: StructuralSchema, path: FieldPath, errors: FieldError[]): void {
  const odd = list.findIndex((item) => item !== null && asMap(item) === undefined);
  if (odd >= 0) {
    errors.push(
      invalid(path.index(odd), sortJson(list[odd] as Json), 'must be an object for an array of list-type map'),
    );
    return;
  }
  const { listMapKeys } = schema;
  const [name] = listMapKeys;
  // The usual case first: one key, a text.
  const values = list.map((item) => {
    const only = listMapKeys.length === 1 ? asMap(item)?.[name as string] : undefined;
    return typeof only === 'string' ? only : keyOf(asMap(item) ?? {}, schema);
  });
  reportRepeated(values, list, path, errors, schema);
}

/** The key fields an item has, as messages show them. */
function keyOf(item: JsonMap, { listMapKeys }: StructuralSchema): JsonMap {
  const key: { [key: string]: Json } = {};
  for (const name of listMapKeys.toSorted(compareBytewise)) {
    const value = getOwn(item, name);
    if (value !== undefined) setOwn(key, name, value);
  }
  return key;
}

/**
 * @param values - what must be different: items, or their keys
 * @param items - the items themselves; with `schema`, their keys are shown
 */
function reportRepeated(
  values: readonly Json[],
  items: readonly Json[],
  path: FieldPath,
  errors: FieldError[],
  schema?: StructuralSchema,
): void {
  if (values.length < 2) return;
  const times = new Map<string, number>();
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as Json;
    const text = typeof value === 'string' ? `"${value}` : goJson(value);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (before !== 1) continue;
    const item = items[i] as Json;
    errors.push(duplicate(path.index(i), schema === undefined ? sortJson(item) : keyOf(asMap(item) ?? {}, schema)));
  }
}
