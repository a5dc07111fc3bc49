// What strategic merge patch asks of a type: the type below a field, and the field's strategy and merge key.

import type { FieldSchema, Schema } from '../schema/schema.ts';
import { goQuote } from '../values/go-strings.ts';
import { PatchError } from './patch-error.ts';

export interface PatchField {
  /** The type of the field's value, or of its items for lists. */
  readonly schema: Schema;
  /** `merge`, `replace`, or nothing: maps merge and everything else is replaced. */
  readonly strategy: 'merge' | 'replace' | undefined;
  /** Whether a patch lists the keys to keep (`$retainKeys`): for unions. */
  readonly retainKeys: boolean;
  /** The field that identifies items of a merged list of maps; empty for lists of scalars. */
  readonly mergeKey: string;
}

/** Looks up a field whose values are maps. @throws PatchError when the type has no such field */
export function lookUpMap(schema: Schema, name: string): PatchField {
  return lookUp(schema, name);
}

/** Looks up a field whose values are lists; the schema is that of the items. @throws PatchError when there is none */
export function lookUpList(schema: Schema, name: string): PatchField {
  const field = lookUp(schema, name);
  if (field.schema.kind === 'list') return { ...field, schema: field.schema.items };
  throw new PatchError('unexpected', `expected slice or array type, but got: ${goKind(schema)}`);
}

function lookUp(schema: Schema, name: string): PatchField {
  const structName = structNameOf(schema);
  if (structName === undefined) {
    throw new PatchError(
      'unexpected',
      `merging an object in json but data type is not struct, instead is: ${goKind(schema)}`,
    );
  }
  const field = schema.kind === 'struct' ? schema.byName.get(name) : undefined;
  if (field === undefined) {
    throw new PatchError(
      'unexpected',
      `unable to find api field in struct ${structName} for the json field ${goQuote(name)}`,
    );
  }
  return toPatchField(field);
}

function toPatchField({ schema, patchStrategy = [], patchMergeKey = '' }: FieldSchema): PatchField {
  return {
    schema,
    strategy: patchStrategy.find((strategy) => strategy !== 'retainKeys'),
    retainKeys: patchStrategy.includes('retainKeys'),
    mergeKey: patchMergeKey,
  };
}

/** The Go name of a type that is a struct there. */
function structNameOf(schema: Schema): string | undefined {
  if (schema.kind === 'struct') return schema.name.slice(schema.name.lastIndexOf('.') + 1);
  if (schema.kind !== 'scalar') return undefined;
  switch (schema.type) {
    case 'quantity':
      return 'Quantity';
    case 'intOrString':
      return 'IntOrString';
    case 'time':
      return 'Time';
    case 'microTime':
      return 'MicroTime';
    case 'duration':
      return 'Duration';
    case 'rawExtension':
      return 'RawExtension';
    case 'fieldsV1':
      return 'FieldsV1';
    case 'json':
      return 'JSON';
    case 'jsonSchemaPropsOrBool':
      return 'JSONSchemaPropsOrBool';
    case 'jsonSchemaPropsOrArray':
      return 'JSONSchemaPropsOrArray';
    case 'jsonSchemaPropsOrStringArray':
      return 'JSONSchemaPropsOrStringArray';
    default:
      return undefined;
  }
}

function goKind(schema: Schema): string {
  switch (schema.kind) {
    case 'struct':
      return 'struct';
    case 'map':
      return 'map';
    case 'list':
      return 'slice';
    case 'scalar':
      return structNameOf(schema) === undefined ? (schema.type === 'bytes' ? 'slice' : schema.type) : 'struct';
  }
}
