// Turns rows of generated/schema.json into the schema IR, each type on first use: a struct is made as a shell, its
// fields when somebody asks for them. That keeps start-up short and lets types refer to themselves.

import type { FieldSchema, ScalarSchema, ScalarType, Schema, StructSchema, UnionSchema } from '@homeostat/machinery';
import type { FieldMore, FieldRow, SchemaFile, TypeRow } from './schema-file.ts';

/** The struct types of one schema file, by full name. */
export class StructTypes {
  readonly #file: SchemaFile;
  readonly #structs = new Map<string, StructSchema>();

  constructor(file: SchemaFile) {
    this.#file = file;
  }

  /** The struct with this full name, e.g. `io.k8s.api.core.v1.Pod`; the same object each time. */
  get(name: string): StructSchema | undefined {
    const known = this.#structs.get(name);
    if (known !== undefined) return known;
    const dot = name.lastIndexOf('.');
    const packageName = name.slice(0, dot);
    const row = this.#file.packages[packageName]?.[name.slice(dot + 1)];
    if (row === undefined) return undefined;
    const struct = new LazyStruct(name, row, (field) => this.#field(field, packageName));
    this.#structs.set(name, struct);
    return struct;
  }

  /** Every full name in the file. */
  names(): readonly string[] {
    return Object.entries(this.#file.packages).flatMap(([packageName, types]) =>
      Object.keys(types).map((type) => `${packageName}.${type}`),
    );
  }

  #field([name, type, flags, proto, more = {}]: FieldRow, packageName: string): FieldSchema {
    return {
      name,
      schema: this.#schema(type, packageName, more),
      pointer: flags.includes('p'),
      omit: flags.includes('z') ? 'zero' : flags.includes('e') ? 'empty' : 'never',
      required: flags.includes('r'),
      proto: typeof proto === 'number' ? (proto === 0 ? [] : [proto]) : proto,
      ...(more.default === undefined ? {} : { default: more.default }),
      ...(more.patchStrategy === undefined ? {} : { patchStrategy: more.patchStrategy }),
      ...(more.patchMergeKey === undefined ? {} : { patchMergeKey: more.patchMergeKey }),
      ...(more.mapType === undefined ? {} : { mapType: more.mapType }),
      ...(more.embedded === undefined ? {} : { embedded: more.embedded }),
    };
  }

  #schema(type: string, packageName: string, more: FieldMore): Schema {
    const first = type.charCodeAt(0);
    if (first === 0x5b /* [ */) return this.#list(type, packageName, more);
    if (first === 0x7b /* { */) return this.#map(type, packageName, more);
    const isStruct = type.includes('.') || (first >= 0x41 && first <= 0x5a);
    return isStruct ? this.#reference(type, packageName) : this.#scalar(type, packageName, more);
  }

  #list(type: string, packageName: string, more: FieldMore): Schema {
    const end = type.indexOf(']');
    const [typeAndKeys = '', ...marks] = type.slice(1, end).split(';');
    const [listType = '', keys] = typeAndKeys.split(':');
    return {
      kind: 'list',
      items: this.#schema(type.slice(end + 1), packageName, more),
      ...(listType === '' ? {} : { listType: listType as 'atomic' | 'set' | 'map' }),
      ...(keys === undefined ? {} : { mapKeys: keys.split(',') }),
      ...(marks.includes('message') ? { protoMessage: true } : {}),
      ...goTypeOf(marks, packageName),
    };
  }

  #map(type: string, packageName: string, more: FieldMore): Schema {
    const end = type.indexOf('}');
    const [mapType = '', ...marks] = type.slice(1, end).split(';');
    return {
      kind: 'map',
      values: this.#schema(type.slice(end + 1), packageName, more),
      ...(mapType === '' ? {} : { mapType: mapType as 'atomic' | 'granular' }),
      ...goTypeOf(marks, packageName),
    };
  }

  #scalar(type: string, packageName: string, more: FieldMore): ScalarSchema {
    const [scalar = '', props] = type.split(':');
    return {
      kind: 'scalar',
      type: scalar as ScalarType,
      ...(more.goType === undefined ? {} : { goType: more.goType }),
      ...(more.enum === undefined ? {} : { enum: more.enum }),
      ...(props === undefined ? {} : { props: this.#reference(props, packageName) }),
    };
  }

  #reference(type: string, packageName: string): StructSchema {
    const name = fullName(type, packageName);
    const struct = this.get(name);
    if (struct === undefined) throw new Error(`schema.json refers to the unknown type ${name}`);
    return struct;
  }
}

function goTypeOf(marks: readonly string[], packageName: string): { goType?: string } {
  const mark = marks.find((text) => text.startsWith('go='));
  return mark === undefined ? {} : { goType: fullName(mark.slice(3), packageName) };
}

function fullName(type: string, packageName: string): string {
  return type.includes('.') ? type : `${packageName}.${type}`;
}

class LazyStruct implements StructSchema {
  readonly kind = 'struct';
  readonly name: string;
  readonly mapType?: 'atomic' | 'granular';
  readonly unions?: readonly UnionSchema[];
  readonly #row: TypeRow;
  readonly #build: (field: FieldRow) => FieldSchema;
  #fields: readonly FieldSchema[] | undefined;
  #byName: ReadonlyMap<string, FieldSchema> | undefined;

  constructor(name: string, row: TypeRow, build: (field: FieldRow) => FieldSchema) {
    this.name = name;
    this.#row = row;
    this.#build = build;
    const more = row[1];
    if (more?.mapType !== undefined) this.mapType = more.mapType;
    if (more?.unions !== undefined) this.unions = more.unions;
  }

  get fields(): readonly FieldSchema[] {
    this.#fields ??= this.#row[0].map(this.#build);
    return this.#fields;
  }

  get byName(): ReadonlyMap<string, FieldSchema> {
    this.#byName ??= new Map(this.fields.map((field) => [field.name, field]));
    return this.#byName;
  }
}
