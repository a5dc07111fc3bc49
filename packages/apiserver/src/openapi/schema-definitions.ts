// Turns the schema IR into OpenAPI 3 definitions (spec/apiserver.md §19): properties, formats, defaults, enums, list and map
// types, merge keys, unions. Collects what is referred to. No prose: the texts of Kubernetes are not part of this server.

import { structByName } from '@homeostat/api';
import type {
  FieldSchema,
  GroupVersionKind,
  ListSchema,
  MapSchema,
  ScalarSchema,
  Schema,
  StructSchema,
} from '@homeostat/machinery';
import type { JsonObject } from './openapi-types.ts';

const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const extensionsPrefix = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

/** Types that are a definition of their own although their JSON is a scalar or anything. */
const namedScalars: Readonly<
  Partial<Record<ScalarSchema['type'], { readonly name: string; readonly definition: JsonObject }>>
> = {
  quantity: {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    definition: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  intOrString: {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    definition: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  time: { name: `${metaPrefix}Time`, definition: { type: 'string', format: 'date-time' } },
  microTime: { name: `${metaPrefix}MicroTime`, definition: { type: 'string', format: 'date-time' } },
  duration: { name: `${metaPrefix}Duration`, definition: { type: 'string' } },
  rawExtension: { name: 'io.k8s.apimachinery.pkg.runtime.RawExtension', definition: { type: 'object' } },
  fieldsV1: { name: `${metaPrefix}FieldsV1`, definition: { type: 'object' } },
  json: { name: `${extensionsPrefix}JSON`, definition: {} },
  jsonSchemaPropsOrBool: { name: `${extensionsPrefix}JSONSchemaPropsOrBool`, definition: {} },
  jsonSchemaPropsOrArray: { name: `${extensionsPrefix}JSONSchemaPropsOrArray`, definition: {} },
  jsonSchemaPropsOrStringArray: { name: `${extensionsPrefix}JSONSchemaPropsOrStringArray`, definition: {} },
};

const plainScalars: Readonly<Partial<Record<ScalarSchema['type'], JsonObject>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

/** A type written by hand upstream: its references are bare. */
const bareOwner = `${extensionsPrefix}JSONSchemaProps`;

const refPrefix = '#/components/schemas/';

export function refTo(name: string): JsonObject {
  return { $ref: refPrefix + name };
}

/** Definitions by name, grown from what is asked for and all that this refers to. */
export class SchemaDefinitions {
  readonly #definitions = new Map<string, JsonObject>();
  readonly #kindsOf: (name: string) => readonly GroupVersionKind[];

  /** `kindsOf` tells which kinds a type is, for the GVK extension. */
  constructor(kindsOf: (name: string) => readonly GroupVersionKind[]) {
    this.#kindsOf = kindsOf;
  }

  /** Adds a type and returns the reference to it. */
  refer(struct: StructSchema): JsonObject {
    if (!this.#definitions.has(struct.name)) {
      this.#definitions.set(struct.name, {}); // types may refer to themselves
      this.#definitions.set(struct.name, this.#define(struct));
    }
    return refTo(struct.name);
  }

  /** Adds a definition that is no struct. */
  add(name: string, definition: JsonObject): JsonObject {
    this.#definitions.set(name, definition);
    return refTo(name);
  }

  /** Sorted by name. */
  toJson(): Readonly<Record<string, JsonObject>> {
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #define(struct: StructSchema): JsonObject {
    const required = struct.fields.filter((field) => field.required).map(({ name }) => name);
    const kinds = this.#kindsOf(struct.name).map(({ group, version, kind }) => ({ group, kind, version }));
    const properties = struct.fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      ...(properties.length === 0
        ? {}
        : { properties: Object.fromEntries(properties.map((field) => [field.name, this.#property(field, struct)])) }),
      ...(kinds.length === 0 ? {} : { 'x-kubernetes-group-version-kind': kinds }),
      ...(struct.mapType === undefined ? {} : { 'x-kubernetes-map-type': struct.mapType }),
      ...(struct.unions === undefined ? {} : { 'x-kubernetes-unions': struct.unions.map(unionJson) }),
    };
  }

  #property(field: FieldSchema, owner: StructSchema): JsonObject {
    const { schema } = field;
    // A field may say otherwise than its type how it is owned.
    const common = schema.kind === 'struct' ? structByName(schema.name) : undefined;
    const value = this.#value(common ?? schema);
    const mapType = schema.kind === 'struct' && common?.mapType !== schema.mapType ? schema.mapType : undefined;
    const given = field.default ?? zeroDefault(field);
    const extras = {
      ...(given === undefined ? {} : { default: given }),
      ...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
      ...(field.patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') }),
      ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    };
    if (!('$ref' in value)) return { ...value, ...extras };
    // A reference can have no siblings; upstream wraps most of them even without.
    return owner.name === bareOwner ? value : { allOf: [value], ...extras };
  }

  #value(schema: Schema): JsonObject {
    switch (schema.kind) {
      case 'struct':
        return this.refer(schema);
      case 'list':
        return this.#list(schema);
      case 'map':
        return this.#map(schema);
      case 'scalar':
        return this.#scalar(schema);
    }
  }

  #list(schema: ListSchema): JsonObject {
    return {
      type: 'array',
      items: this.#value(schema.items),
      ...(schema.listType === undefined ? {} : { 'x-kubernetes-list-type': schema.listType }),
      ...(schema.mapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': schema.mapKeys }),
    };
  }

  #map(schema: MapSchema): JsonObject {
    return {
      type: 'object',
      additionalProperties: this.#value(schema.values),
      ...(schema.mapType === undefined ? {} : { 'x-kubernetes-map-type': schema.mapType }),
    };
  }

  #scalar(schema: ScalarSchema): JsonObject {
    const named = namedScalars[schema.type];
    if (named !== undefined) return this.add(named.name, named.definition);
    return {
      ...plainScalars[schema.type],
      ...(schema.format === undefined ? {} : { format: schema.format }),
      ...(schema.enum === undefined ? {} : { enum: schema.enum.toSorted() }),
    };
  }
}

/** Values that Go always writes have their zero value as default. */
function zeroDefault({ schema, pointer, omit }: FieldSchema): unknown {
  if (pointer) return undefined;
  if (schema.kind === 'struct') return {};
  if (schema.kind !== 'scalar' || omit !== 'never' || schema.enum !== undefined) return undefined;
  switch (schema.type) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float64':
      return 0;
    default:
      return undefined;
  }
}

function unionJson(union: NonNullable<StructSchema['unions']>[number]): JsonObject {
  return {
    ...(union.discriminator === undefined ? {} : { discriminator: union.discriminator }),
    'fields-to-discriminateBy': union.fieldsToDiscriminateBy,
  };
}
