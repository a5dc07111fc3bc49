// Equality of API objects as updates see it (`apiequality.Semantic.DeepEqual`): absent, null and empty lists and maps are
// the same, quantities are compared by value. With a schema a struct held by value equals its absence when all of it is
// zero, and a struct behind a pointer differs from no struct; without one, only lists and null equal absence.
// Not byte equality: that is the store's no-op check.

import { compareQuantity, type FieldSchema, type Schema } from '@homeostat/machinery';

export function semanticEqual(a: unknown, b: unknown, schema?: Schema): boolean {
  if (a === b) return true;
  if (isNothing(a, schema)) return isNothing(b, schema);
  if (isNothing(b, schema)) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    const items = schema?.kind === 'list' ? schema.items : undefined;
    return a.length === b.length && a.every((item, index) => semanticEqual(item, b[index], items));
  }
  if (isObject(a) && isObject(b)) return objectsEqual(a, b, schema);
  const quantity = schema?.kind === 'scalar' && schema.type === 'quantity';
  return quantity && isText(a) && isText(b) && compareQuantity(String(a), String(b)) === 0;
}

type Fields = Readonly<Record<string, unknown>>;

const noFields: Fields = {};

function objectsEqual(a: Fields, b: Fields, schema: Schema | undefined): boolean {
  for (const key of Object.keys(a)) if (!valuesEqual(a[key], b[key], key, schema)) return false;
  for (const key of Object.keys(b)) {
    if (!Object.hasOwn(a, key) && !valuesEqual(undefined, b[key], key, schema)) return false;
  }
  return true;
}

function valuesEqual(a: unknown, b: unknown, key: string, schema: Schema | undefined): boolean {
  if (schema?.kind === 'map') return semanticEqual(a, b, schema.values);
  const field = schema?.kind === 'struct' ? schema.byName.get(key) : undefined;
  return field === undefined ? semanticEqual(a, b) : fieldsEqual(a, b, field);
}

function fieldsEqual(a: unknown, b: unknown, field: FieldSchema): boolean {
  if (field.pointer) return semanticEqual(a, b, field.schema);
  if (field.schema.kind === 'struct') return semanticEqual(a ?? noFields, b ?? noFields, field.schema);
  return semanticEqual(orNothing(a), orNothing(b), field.schema);
}

/** Zero scalars held by value are what absence decodes to. */
function orNothing(value: unknown): unknown {
  return value === '' || value === 0 || value === false ? undefined : value;
}

function isNothing(value: unknown, schema: Schema | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return schema?.kind === 'map' && isObject(value) && Object.keys(value).length === 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
