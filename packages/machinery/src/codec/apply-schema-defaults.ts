// The defaults OpenAPI states (`protocol: TCP`): what upstream's types carry as markers. Defaults that need more than
// one field to decide are the business of each kind (spec/apiserver.md §13).

import type { Json, Schema, StructSchema } from '../schema/schema.ts';
import type { Draft } from './decode-object.ts';

/** Fills absent fields of a draft in place, everywhere below too. Zero values of plain Go fields are not filled in. */
export function applySchemaDefaults(draft: object, schema: StructSchema): void {
  defaultStruct(draft as Draft, schema);
}

function defaultStruct(draft: Draft, schema: StructSchema): void {
  for (const field of schema.fields) {
    const value = draft[field.name];
    if (value !== undefined && value !== null) {
      // An empty string in a field that is no pointer is Go's "not set".
      const isUnset = value === '' && !field.pointer && typeof field.default === 'string';
      if (isUnset && field.default !== '') draft[field.name] = field.default as Json;
      else if (typeof value === 'object' && reachesDefaults(field.schema)) defaultValue(value, field.schema);
      continue;
    }
    const isZero = field.default === '' || field.default === 0 || field.default === false;
    if (field.default !== undefined && !(isZero && !field.pointer)) draft[field.name] = field.default;
  }
}

function defaultValue(value: Json, schema: Schema): void {
  if (typeof value !== 'object' || value === null) return;
  switch (schema.kind) {
    case 'struct':
      defaultStruct(value as Draft, schema);
      return;
    case 'list':
      for (const item of value as readonly Json[]) defaultValue(item, schema.items);
      return;
    case 'map':
      for (const item of Object.values(value)) defaultValue(item as Json, schema.values);
      return;
    case 'scalar':
  }
}

const reached = new WeakMap<Schema, boolean>();

/** Whether any default lies below: most types have none, and whole branches of objects are passed over. */
function reachesDefaults(schema: Schema, visiting = new Set<Schema>()): boolean {
  const known = reached.get(schema);
  if (known !== undefined) return known;
  if (visiting.has(schema)) return false;
  visiting.add(schema);
  const result = hasDefaults(schema, visiting);
  // Inside a cycle a "no" is only provisional.
  if (result || visiting.size === 1) reached.set(schema, result);
  visiting.delete(schema);
  return result;
}

function hasDefaults(schema: Schema, visiting: Set<Schema>): boolean {
  switch (schema.kind) {
    case 'struct':
      return schema.fields.some((field) => isFilledIn(field) || reachesDefaults(field.schema, visiting));
    case 'list':
      return reachesDefaults(schema.items, visiting);
    case 'map':
      return reachesDefaults(schema.values, visiting);
    case 'scalar':
      return false;
  }
}

function isFilledIn(field: StructSchema['fields'][number]): boolean {
  const value = field.default;
  return value !== undefined && (field.pointer || (value !== '' && value !== 0 && value !== false));
}
