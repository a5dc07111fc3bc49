// Kubernetes' own types as parts of a custom resource's schema, e.g. a PodTemplateSpec, from the same facts the server uses.
// CustomResourceDefinitions have no references, so the whole type is spelled out (a PodTemplateSpec takes about 90 KB).

import type { JSONSchemaProps } from '@homeostat/api/types/apiextensions-v1';
import { structByName } from '@homeostat/api';
import type { FieldSchema, Json, ScalarSchema, Schema, StructSchema } from '@homeostat/machinery';
import { quantity } from './schema.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * A type of Kubernetes by its OpenAPI name. The caller says the TypeScript type; nothing checks that the two agree.
 *
 * @example const template = builtin<PodTemplateSpec>('io.k8s.api.core.v1.PodTemplateSpec');
 * @throws Error when there is no such type.
 */
export function builtin<T>(name: string): SchemaNode<T, T, 'required'> {
  const struct = structByName(name);
  if (struct === undefined) throw new Error(`there is no type ${name}`);
  return { schema: fromStruct(struct, []), presence: 'required' };
}

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
/** What makes sense in a template's metadata; the rest is the server's. */
const templateFields = new Set(['annotations', 'finalizers', 'labels', 'name', 'namespace']);
const intOrString = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] };
const anyObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const anyValue = { 'x-kubernetes-preserve-unknown-fields': true };

const scalars: Readonly<Record<ScalarSchema['type'], JSONSchemaProps>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int32' },
  uint64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  quantity: quantity().schema,
  intOrString,
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  rawExtension: anyObject,
  fieldsV1: anyObject,
  json: anyValue,
  jsonSchemaPropsOrBool: anyValue,
  jsonSchemaPropsOrArray: anyValue,
  jsonSchemaPropsOrStringArray: anyValue,
};

function fromSchema(schema: Schema, above: readonly string[]): JSONSchemaProps {
  switch (schema.kind) {
    case 'scalar':
      return schema.enum === undefined ? scalars[schema.type] : { ...scalars[schema.type], enum: schema.enum };
    case 'map':
      return {
        type: 'object',
        additionalProperties: fromSchema(schema.values, above),
        ...(schema.mapType === undefined ? {} : { 'x-kubernetes-map-type': schema.mapType }),
      };
    case 'list':
      return {
        type: 'array',
        items: fromSchema(schema.items, above),
        ...(schema.listType === undefined ? {} : { 'x-kubernetes-list-type': schema.listType }),
        ...(schema.mapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': schema.mapKeys }),
      };
    case 'struct':
      return fromStruct(schema, above);
  }
}

function fromStruct(struct: StructSchema, above: readonly string[]): JSONSchemaProps {
  // Types that contain themselves cannot be spelled out.
  if (above.includes(struct.name)) return anyObject;
  const within = [...above, struct.name];
  const fields =
    struct.name === objectMeta ? struct.fields.filter(({ name }) => templateFields.has(name)) : struct.fields;
  const required = fields.filter((field) => field.required && defaultOf(field) === undefined).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fromField(field, within)])),
    ...(required.length === 0 ? {} : { required }),
    ...(struct.mapType === undefined ? {} : { 'x-kubernetes-map-type': struct.mapType }),
  };
}

function fromField(field: FieldSchema, above: readonly string[]): JSONSchemaProps {
  const { schema, mapType } = field;
  const value = defaultOf(field);
  return {
    ...fromSchema(schema, above),
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    ...(value === undefined ? {} : { default: value }),
  };
}

/**
 * The default of a field. A required one has the zero of Go for its default in Kubernetes' own schemas, which only says that Go has no "absent";
 * in a CustomResourceDefinition it would make the field optional, and where the zero is none of the allowed values the server refuses it.
 */
function defaultOf({ required, default: value }: FieldSchema): Json | undefined {
  return required === true && isZero(value) ? undefined : value;
}

function isZero(value: Json | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}
