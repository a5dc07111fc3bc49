// A compiled schema as schema IR: what server-side apply's field ownership and the codecs work with.

import type { FieldSchema, Json, Schema, StructSchema } from '../schema/schema.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { isMetaField } from './prune-unknown.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface ToSchemaOptions {
  /** The type of metadata, for the root and embedded resources; absent: metadata is whatever the schema says. */
  readonly objectMeta?: StructSchema;
}

/** Any value: maps are granular, lists atomic. */
const anything: Schema = { kind: 'scalar', type: 'json' };

/**
 * The root type of a custom resource. Where unknown fields are preserved and nothing is specified, a value is of type
 * `json`; where something is, `additional` stands for the rest.
 *
 * @param name - of the type, for messages, e.g. `com.example.v1.Foo`
 */
export function toSchema(structural: StructuralSchema, name: string, options: ToSchemaOptions = {}): StructSchema {
  return structOf({ ...structural, embeddedResource: true }, name, options);
}

function schemaOf(structural: StructuralSchema, name: string, options: ToSchemaOptions): Schema {
  const { type, format } = structural;
  if (structural.intOrString) return { kind: 'scalar', type: 'intOrString', format: 'int-or-string' };
  switch (type) {
    case 'object':
      return objectOf(structural, name, options);
    case 'array':
      return {
        kind: 'list',
        items: structural.items === undefined ? anything : schemaOf(structural.items, name, options),
        ...(structural.listType === undefined ? {} : { listType: structural.listType }),
        ...(structural.listType === 'map' ? { mapKeys: structural.listMapKeys } : {}),
      };
    case 'string':
      return { kind: 'scalar', type: 'string', ...(format === undefined ? {} : { format }) };
    case 'boolean':
      return { kind: 'scalar', type: 'bool' };
    case 'integer':
      return { kind: 'scalar', type: format === 'int32' ? 'int32' : 'int64' };
    case 'number':
      return { kind: 'scalar', type: 'float64' };
    default:
      return anything;
  }
}

function objectOf(structural: StructuralSchema, name: string, options: ToSchemaOptions): Schema {
  const { properties, additionalProperties, mapType, embeddedResource, preserveUnknownFields } = structural;
  if (properties.size > 0 || embeddedResource) return structOf(structural, name, options);
  const relationship = mapType === undefined ? {} : { mapType };
  if (additionalProperties !== undefined && additionalProperties !== false) {
    const values = additionalProperties === true ? anything : schemaOf(additionalProperties, name, options);
    return { kind: 'map', values, ...relationship };
  }
  if (preserveUnknownFields) return mapType === 'atomic' ? { kind: 'map', values: anything, mapType } : anything;
  return structOf(structural, name, options);
}

function structOf(structural: StructuralSchema, name: string, options: ToSchemaOptions): StructSchema {
  const { properties, required, embeddedResource, mapType } = structural;
  const { objectMeta } = options;
  const isRequired = new Set(required);
  const fields: FieldSchema[] = [];
  for (const [key, property] of properties) {
    if (embeddedResource && isMetaField(key) && (key !== 'metadata' || objectMeta !== undefined)) continue;
    fields.push(fieldOf(key, schemaOf(property, `${name}.${key}`, options), isRequired.has(key), property.default));
  }
  if (embeddedResource) {
    for (const key of ['apiVersion', 'kind']) fields.push(fieldOf(key, { kind: 'scalar', type: 'string' }, false));
    if (objectMeta !== undefined) fields.push(fieldOf('metadata', objectMeta, false));
  }
  fields.sort((a, b) => compareBytewise(a.name, b.name));
  const additional = additionalOf(structural, name, options);
  return {
    kind: 'struct',
    name,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    ...(mapType === undefined ? {} : { mapType }),
    ...(additional === undefined ? {} : { additional }),
  };
}

function additionalOf(structural: StructuralSchema, name: string, options: ToSchemaOptions): Schema | undefined {
  const { additionalProperties, preserveUnknownFields } = structural;
  if (typeof additionalProperties === 'object') return schemaOf(additionalProperties, name, options);
  return additionalProperties === true || preserveUnknownFields ? anything : undefined;
}

/** Absent is nothing: a custom resource has no zero values. */
function fieldOf(name: string, schema: Schema, required: boolean, defaultValue?: Json): FieldSchema {
  return {
    name,
    schema,
    pointer: true,
    omit: 'empty',
    required,
    proto: [],
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}
