// How ownership sees a type: as a scalar, a list or a map (several of them for untyped values), atomic or not.
// Built from the schema IR on first use and kept with it. A struct is a map with declared fields; those that Go's JSON
// always shows (structs held by value, fields without omitempty) count as present even where an object leaves them out.

import { invariant } from '@homeostat/base';
import type { FieldSchema, Json, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../schema/schema.ts';
import { compareBytewise } from '../values/go-strings.ts';

export type ScalarKind = 'string' | 'numeric' | 'boolean' | 'untyped';

export interface FieldType {
  readonly scalar?: ScalarKind;
  readonly list?: ListType;
  readonly map?: MapType;
}

const types = new WeakMap<Schema, FieldType>();

export function fieldTypeOf(schema: Schema): FieldType {
  let type = types.get(schema);
  if (type === undefined) {
    type = createType(schema);
    types.set(schema, type);
  }
  return type;
}

function createType(schema: Schema): FieldType {
  switch (schema.kind) {
    case 'scalar':
      return scalarType(schema);
    case 'list':
      return { list: new ListType(schema) };
    case 'map':
      return { map: new MapType(schema, undefined) };
    case 'struct':
      return { map: new MapType(undefined, schema) };
  }
}

/** One declared field of a struct. */
export class FieldEntry {
  readonly name: string;
  /** The path element, `f:<name>`. */
  readonly element: string;
  /** The value the field has when an object leaves it out; undefined when it is really absent then. */
  readonly zero: Json | undefined;
  readonly default: Json | undefined;
  readonly #schema: FieldSchema;
  #type: FieldType | undefined;

  constructor(schema: FieldSchema) {
    this.name = schema.name;
    this.element = `f:${schema.name}`;
    this.zero = zeroOf(schema);
    this.default = schema.default;
    this.#schema = schema;
  }

  get type(): FieldType {
    this.#type ??= this.#createType();
    return this.#type;
  }

  #createType(): FieldType {
    const { schema, mapType } = this.#schema;
    const type = fieldTypeOf(schema);
    if (mapType === undefined || type.map === undefined) return type;
    return { ...type, map: type.map.withAtomic(mapType === 'atomic') };
  }
}

export class MapType {
  readonly atomic: boolean;
  /** Fields that count as present though an object leaves them out. */
  #always: readonly FieldEntry[] | undefined;
  readonly #map: MapSchema | undefined;
  readonly #struct: StructSchema | undefined;
  #fields: Map<string, FieldEntry> | undefined;

  constructor(map: MapSchema | undefined, struct: StructSchema | undefined, atomic?: boolean) {
    this.#map = map;
    this.#struct = struct;
    this.atomic = atomic ?? (map ?? struct)?.mapType === 'atomic';
  }

  /** The same fields with another relationship: a field may override its type's. */
  withAtomic(atomic: boolean): MapType {
    return atomic === this.atomic ? this : new MapType(this.#map, this.#struct, atomic);
  }

  get always(): readonly FieldEntry[] {
    this.#always ??= [...this.#entries().values()].filter((entry) => entry.zero !== undefined);
    return this.#always;
  }

  /** A declared field. */
  field(name: string): FieldEntry | undefined {
    return this.#entries().get(name);
  }

  /** The type of keys that are not declared fields; undefined when there may be none. */
  get element(): FieldType | undefined {
    if (this.#map !== undefined) return fieldTypeOf(this.#map.values);
    if (this.#struct?.additional !== undefined) return fieldTypeOf(this.#struct.additional);
    return this.#entries().size === 0 ? deducedType : undefined;
  }

  /** The type of any key. */
  typeOf(name: string): FieldType | undefined {
    return this.#map !== undefined ? fieldTypeOf(this.#map.values) : (this.field(name)?.type ?? this.element);
  }

  /** Whether nothing is known about its values, so that a change of schema can't be told from them. */
  get isDeduced(): boolean {
    const { element } = this;
    return (element === deducedType || element?.scalar === 'untyped') && this.#entries().size === 0;
  }

  #entries(): Map<string, FieldEntry> {
    this.#fields ??= new Map((this.#struct?.fields ?? []).map((field) => [field.name, new FieldEntry(field)]));
    return this.#fields;
  }
}

export class ListType {
  readonly atomic: boolean;
  /** Names of the fields that identify an item, sorted; empty for sets. */
  readonly keys: readonly string[];
  /** The names as the schema orders them, for messages. */
  readonly declaredKeys: readonly string[];
  readonly #schema: ListSchema;
  #items: FieldType | undefined;

  constructor(schema: ListSchema) {
    this.atomic = schema.listType === undefined || schema.listType === 'atomic';
    this.declaredKeys = schema.listType === 'map' ? (schema.mapKeys ?? []) : [];
    this.keys = [...this.declaredKeys].sort(compareBytewise);
    this.#schema = schema;
  }

  get items(): FieldType {
    this.#items ??= fieldTypeOf(this.#schema.items);
    return this.#items;
  }

  /** The value that stands in for a missing key field. */
  keyDefault(name: string): Json | undefined {
    return this.items.map?.field(name)?.default;
  }
}

const deducedSchema: ScalarSchema = { kind: 'scalar', type: 'json' };
const atomicSchema: ScalarSchema = { kind: 'scalar', type: 'rawExtension' };

/** A value of any shape: maps are granular, lists atomic. */
export const deducedType: FieldType = {
  scalar: 'untyped',
  list: new ListType({ kind: 'list', items: atomicSchema }),
  map: new MapType({ kind: 'map', values: deducedSchema }, undefined),
};
types.set(deducedSchema, deducedType);

/** A value of any shape, owned as a whole. */
const atomicType: FieldType = {
  scalar: 'untyped',
  list: new ListType({ kind: 'list', items: atomicSchema }),
  map: new MapType({ kind: 'map', values: atomicSchema, mapType: 'atomic' }, undefined),
};
types.set(atomicSchema, atomicType);

function scalarType({ type, format }: ScalarSchema): FieldType {
  switch (type) {
    case 'string':
    case 'bytes':
    case 'duration':
      return { scalar: format === undefined || format === 'byte' ? 'string' : 'untyped' };
    case 'bool':
      return { scalar: 'boolean' };
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float64':
      return { scalar: 'numeric' };
    case 'quantity':
    case 'intOrString':
    case 'time':
    case 'microTime':
      return { scalar: 'untyped' };
    case 'rawExtension':
      return atomicType;
    case 'fieldsV1': {
      invariant(deducedType.map !== undefined, 'the deduced type has a map');
      return { map: deducedType.map };
    }
    case 'json':
    case 'jsonSchemaPropsOrBool':
    case 'jsonSchemaPropsOrArray':
    case 'jsonSchemaPropsOrStringArray':
      return deducedType;
  }
}

const noFields: Json = {};

// Go's JSON shows structs held by value whatever omitempty says, and everything without omitempty.
function zeroOf({ schema, pointer, omit }: FieldSchema): Json | undefined {
  if (omit === 'zero') return undefined;
  if (pointer) return omit === 'never' ? null : undefined;
  if (schema.kind === 'struct') return noFields;
  if (schema.kind === 'scalar') {
    switch (schema.type) {
      case 'quantity':
        return '0';
      case 'duration':
        return '0s';
      case 'intOrString':
        return 0;
      case 'time':
      case 'microTime':
      case 'rawExtension':
        return null;
      case 'bool':
        return omit === 'never' ? false : undefined;
      case 'string':
        return omit === 'never' ? '' : undefined;
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64':
      case 'float64':
        return omit === 'never' ? 0 : undefined;
      default:
    }
  }
  return omit === 'never' ? null : undefined;
}

export type AtomKind = 'map' | 'scalar' | 'list';

/** As what a value of a type is treated; a value of a shape its type does not allow is treated as the type's first. */
export function atomKind(type: FieldType, value: Json): AtomKind {
  if (typeof value !== 'object') {
    if (type.scalar !== undefined && value !== undefined) return 'scalar';
  } else if (value !== null) {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (type.map !== undefined) return 'map';
  }
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
}
