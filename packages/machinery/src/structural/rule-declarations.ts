// What rules see of a custom resource: CEL types made from a structural schema, with sizes for the cost estimate
// (`k8s.io/apiserver/pkg/cel/common`, `SchemaDeclType`). What the schema does not specify, rules cannot reach.

import { escapeField } from '../cel/field-names.ts';
import type { JsonListType } from '../cel/json-values.ts';
import * as types from '../cel/types.ts';
import type { CelType } from '../cel/types.ts';
import type { ListIdentity } from '../cel/values.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** No value can be longer than a request. */
export const requestBytesMax = 3 * 1024 * 1024;
const textBytesMax = requestBytesMax - 2;
const dateBytes = 12;
const dateTimeBytesMax = 27;
const durationBytesMax = 32;

/** A type and the least bytes its values take in a request. */
export interface Declared {
  readonly type: CelType;
  readonly bytesMin: number;
}

const declared = new WeakMap<StructuralSchema, Map<string, Declared | undefined>>();

/**
 * The type of a node, undefined where rules see nothing: an object of unknown shape, say. Made once a node.
 *
 * @param isResource - the node is the root: apiVersion, kind and the names are there too
 */
export function declarationOf(schema: StructuralSchema, isResource = false, name = 'selfType'): Declared | undefined {
  const byName = declared.get(schema) ?? new Map<string, Declared | undefined>();
  declared.set(schema, byName);
  const key = `${isResource} ${name}`;
  if (!byName.has(key)) byName.set(key, declare(schema, isResource || schema.embeddedResource, name));
  return byName.get(key);
}

function declare(schema: StructuralSchema, isResource: boolean, name: string): Declared | undefined {
  if (schema.intOrString) return { type: { kind: 'dyn', sizeMax: textBytesMax }, bytesMin: 1 };
  switch (schema.type) {
    case 'boolean':
      return { type: types.boolType, bytesMin: 4 };
    case 'integer':
      return { type: types.intType, bytesMin: 1 };
    case 'number':
      return { type: types.doubleType, bytesMin: 1 };
    case 'string':
      return declareText(schema);
    case 'array':
      return declareList(schema, name);
    case 'object':
      return declareObject(schema, isResource, name);
    default:
      return undefined;
  }
}

function declareText(schema: StructuralSchema): Declared {
  const bytesMin = 2;
  switch (schema.format) {
    case 'byte':
      return { type: { kind: 'bytes', sizeMax: schema.maxLength ?? textBytesMax }, bytesMin };
    case 'duration':
      return { type: { kind: 'duration', sizeMax: schema.maxLength ?? durationBytesMax }, bytesMin };
    case 'date':
      return { type: { kind: 'timestamp', sizeMax: dateBytes }, bytesMin: dateBytes };
    case 'date-time':
      return { type: { kind: 'timestamp', sizeMax: dateTimeBytesMax }, bytesMin: dateBytes };
    default:
      return { type: { kind: 'string', sizeMax: textSizeMax(schema) }, bytesMin };
  }
}

/** Lengths are given in characters; one may take four bytes. */
function textSizeMax({ maxLength, enum: allowed }: StructuralSchema): number {
  if (maxLength !== undefined) return maxLength * 4;
  if (allowed === undefined || allowed.length === 0) return textBytesMax;
  return allowed.reduce<number>((most, value) => Math.max(most, typeof value === 'string' ? value.length : 0), 0) + 2;
}

function declareList(schema: StructuralSchema, name: string): Declared | undefined {
  const item = schema.items === undefined ? undefined : declarationOf(schema.items, false, `${name}.@idx`);
  if (item === undefined) return undefined;
  const sizeMax = schema.maxItems ?? Math.floor(textBytesMax / (item.bytesMin + 1));
  const type: JsonListType = { ...types.listType(item.type, sizeMax), identity: identityOf(schema) };
  return { type, bytesMin: 2 };
}

function identityOf({ listType, listMapKeys }: StructuralSchema): ListIdentity {
  if (listType === 'set') return { kind: 'set' };
  const keys = listMapKeys.map((key) => escapeField(key) ?? key);
  return listType === 'map' ? { kind: 'map', keys } : { kind: 'atomic' };
}

function declareObject(schema: StructuralSchema, isResource: boolean, name: string): Declared | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object' && schema.properties.size === 0) {
    const value = declarationOf(additionalProperties, false, `${name}.@elem`);
    if (value === undefined) return undefined;
    const sizeMax = schema.maxProperties ?? Math.floor(textBytesMax / (value.bytesMin + 6));
    return { type: types.mapType({ kind: 'string', sizeMax: 0 }, value.type, sizeMax), bytesMin: 2 };
  }
  const fields = new Map<string, CelType>();
  let bytesMin = 2;
  for (const [property, child] of schema.properties) {
    const field = escapeField(property);
    const inner = declarationOf(child, false, `${name}.${property}`);
    if (field === undefined || inner === undefined) continue;
    fields.set(field, inner.type);
    if (schema.required.includes(property) && child.default === undefined)
      bytesMin += property.length + inner.bytesMin + 4;
  }
  if (isResource) addMetaFields(fields, name);
  return { type: types.structType(name, fields), bytesMin };
}

function addMetaFields(fields: Map<string, CelType>, name: string): void {
  const text: CelType = { kind: 'string', sizeMax: textBytesMax };
  fields.set('apiVersion', text);
  fields.set('kind', text);
  const metadata = new Map<string, CelType>([
    ['name', text],
    ['generateName', text],
  ]);
  fields.set('metadata', types.structType(`${name}.metadata`, metadata));
}
