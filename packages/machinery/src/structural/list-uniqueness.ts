// Items of lists of type set, and keys of lists of type map, occur once
// (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype`).

import { duplicate, type FieldError, FieldPath, invalid } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { compareBytewise, goJson } from '../values/go-strings.ts';
import { asList, asMap, getOwn, type JsonMap, setOwn } from '../values/json-shapes.ts';
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
    if (schema.listType === 'set') reportRepeated(list, path, errors);
    else if (schema.listType === 'map') checkKeys(list, schema, path, errors);
    if (schema.items !== undefined) {
      for (const [i, item] of list.entries()) collect(item, schema.items, path.index(i), errors);
    }
    return;
  }
  const { properties, additionalProperties } = schema;
  for (const [key, member] of Object.entries(value as JsonMap)) {
    const property = properties.get(key);
    if (property !== undefined) collect(member, property, path.child(key), errors);
    else if (typeof additionalProperties === 'object') collect(member, additionalProperties, path.key(key), errors);
  }
}

function checkKeys(list: readonly Json[], schema: StructuralSchema, path: FieldPath, errors: FieldError[]): void {
  const odd = list.findIndex((item) => item !== null && asMap(item) === undefined);
  if (odd >= 0) {
    errors.push(invalid(path.index(odd), list[odd], 'must be an object for an array of list-type map'));
    return;
  }
  const keys = list.map((item) => keyOf(asMap(item) ?? {}, schema));
  reportRepeated(keys, path, errors);
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

function reportRepeated(values: readonly Json[], path: FieldPath, errors: FieldError[]): void {
  if (values.length < 2) return;
  const times = new Map<string, number>();
  for (const [i, value] of values.entries()) {
    const text = goJson(value);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (before === 1) errors.push(duplicate(path.index(i), value));
  }
}
