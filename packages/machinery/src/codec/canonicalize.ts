// The form objects have on the wire and at rest: fields in Go's order, left out where Go's tags leave them out, there
// where Go always writes them; map keys in byte order. What decode and apply produce goes through here once, before it
// is stored and shared.

import type { FieldSchema, Json, MapSchema, ScalarSchema, Schema, StructSchema } from '../schema/schema.ts';
import { compactObject } from './compact-object.ts';
import type { Draft } from './decode-object.ts';
import { setProperty } from './json/parse-json.ts';
import { sortedKeys } from './sorted-keys.ts';

export interface CanonicalizeOptions {
  /**
   * Empty lists and maps that are always written become null, as in objects that went through protobuf, which can't tell
   * them from absent ones: whatever the API server stores in protobuf (`rules: []` of a ClusterRole reads back as null).
   * Default false.
   */
  readonly emptyAsNull?: boolean;
}

/**
 * A new object in canonical form. The value must be of the schema's type (decodeObject() or decodeProtobuf() made it);
 * scalars are taken as they are, except that null stands for nothing. Unknown members are dropped. Free-form parts
 * (managed fields, raw extensions) are shared with the value: change neither afterwards.
 */
export function canonicalize<T>(object: T, schema: StructSchema, { emptyAsNull = false }: CanonicalizeOptions = {}): T {
  return canonicalStruct(object as Members, schema, emptyAsNull) as T;
}

type Members = Readonly<Record<string, Json | undefined>>;

function canonicalStruct(object: Members, schema: StructSchema, emptyAsNull: boolean): Draft {
  const result: Draft = {};
  let size = 0;
  for (const field of schema.fields) {
    const value = object[field.name];
    const canonical = value === undefined || value === null ? absent(field) : present(value, field, emptyAsNull);
    if (canonical === undefined) continue;
    result[field.name] = canonical;
    size++;
  }
  return compactObject(result, size);
}

/** What Go writes for a field that holds nothing; undefined: the field is left out. */
function absent(field: FieldSchema): Json | undefined {
  const { schema, omit } = field;
  if (omit === 'zero') return undefined;
  if (field.pointer || schema.kind === 'list' || schema.kind === 'map') return omit === 'never' ? null : undefined;
  if (schema.kind === 'struct') return canonicalStruct({}, schema, false);
  return zeroScalar(schema, omit === 'never');
}

/** Times and the like are structs in Go: omitempty does not leave them out. */
function zeroScalar(schema: ScalarSchema, always: boolean): Json | undefined {
  switch (schema.type) {
    case 'time':
    case 'microTime':
    case 'rawExtension':
    case 'fieldsV1':
      return null;
    case 'quantity':
      return '0';
    case 'intOrString':
      return 0;
    case 'duration':
      return '0s';
    case 'string':
      return always ? '' : undefined;
    case 'bool':
      return always ? false : undefined;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float64':
      return always ? 0 : undefined;
    default:
      return always ? null : undefined;
  }
}

function present(value: Json, field: FieldSchema, emptyAsNull: boolean): Json | undefined {
  const { schema } = field;
  const mayOmit = field.omit !== 'never' && !field.pointer;
  switch (schema.kind) {
    case 'scalar':
      return mayOmit && isZero(value, schema) ? undefined : canonicalScalar(value, schema, emptyAsNull);
    case 'list': {
      const items = value as readonly Json[];
      if (items.length > 0) return items.map((item) => canonicalValue(item, schema.items, emptyAsNull));
      return mayOmit ? undefined : emptyAsNull ? null : [];
    }
    case 'map': {
      const map = canonicalMap(value as Members, schema, emptyAsNull);
      if (!isEmpty(map)) return map;
      return mayOmit ? undefined : emptyAsNull ? null : map;
    }
    case 'struct': {
      const struct = canonicalStruct(value as Members, schema, emptyAsNull);
      return field.omit === 'zero' && !field.pointer && isEmpty(struct) ? undefined : struct;
    }
  }
}

function isZero(value: Json, schema: ScalarSchema): boolean {
  if (value === '') return schema.type !== 'intOrString';
  if (value === false) return schema.type === 'bool';
  return value === 0 && schema.type !== 'intOrString' && schema.type !== 'json';
}

function canonicalValue(value: Json, schema: Schema, emptyAsNull: boolean): Json {
  switch (schema.kind) {
    case 'struct':
      return canonicalStruct((value ?? {}) as Members, schema, emptyAsNull);
    case 'list':
      return ((value ?? []) as readonly Json[]).map((item) => canonicalValue(item, schema.items, emptyAsNull));
    case 'map':
      return canonicalMap((value ?? {}) as Members, schema, emptyAsNull);
    case 'scalar':
      return canonicalScalar(value, schema, emptyAsNull);
  }
}

function canonicalScalar(value: Json, schema: ScalarSchema, emptyAsNull: boolean): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (schema.props === undefined) return value;
  if (Array.isArray(value)) {
    const isSchemas = schema.type === 'jsonSchemaPropsOrArray';
    return isSchemas
      ? value.map((item: Json) => canonicalValue(item, schema.props as StructSchema, emptyAsNull))
      : [...value];
  }
  return canonicalStruct(value as Members, schema.props, emptyAsNull);
}

function canonicalMap(object: Members, schema: MapSchema, emptyAsNull: boolean): Draft {
  const result: Draft = {};
  const keys = sortedKeys(object);
  for (const key of keys) {
    const value = object[key];
    if (value !== undefined) setProperty(result, key, canonicalValue(value, schema.values, emptyAsNull));
  }
  return compactObject(result, keys.length);
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
