// The typed walk: a JSON value and a schema give a fresh draft that shares nothing with the value. What the schema does
// not know is dropped and reported; wrong types are errors in Go's words (spec/apiserver.md §2.6). It neither defaults
// nor orders: see apply-schema-defaults.ts and canonicalize.ts.

import type { Json, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../schema/schema.ts';
import { DecodeContext, type DecodeObjectOptions } from './decode-context.ts';
import { DecodeError } from './decode-error.ts';
import { decodeScalar, describe, isObject } from './decode-scalar.ts';
import { goTypeName } from './go-type-name.ts';
import { type ParsedJson, RepeatedKeys } from './json/parsed-json.ts';
import { setProperty } from './json/parse-json.ts';
import { zeroScalar } from './zero-scalar.ts';

/** An object under construction. */
export type Draft = { [key: string]: Json };

/**
 * Reads a value into its type. Null is the same as absent; null as a value in a map of strings is the empty string.
 *
 * @typeParam T - what the schema describes; the caller knows
 * @throws DecodeError
 */
export function decodeObject<T = Draft>(value: unknown, schema: StructSchema, options: DecodeObjectOptions = {}): T {
  const context = new DecodeContext(options);
  const draft = decodeStruct(value as ParsedJson, schema, context, {}) ?? {};
  context.finish();
  return draft as T;
}

function decodeStruct(
  value: ParsedJson,
  schema: StructSchema,
  context: DecodeContext,
  draft: Draft,
): Draft | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isObject(value)) return wrongShape(value, schema, context);
  if (value instanceof RepeatedKeys) {
    const seen = new Set<string>();
    for (const [key, item] of value.entries) {
      if (seen.has(key) && schema.byName.has(key)) context.duplicate(key);
      seen.add(key);
      decodeField(key, item, schema, context, draft);
    }
    return draft;
  }
  for (const key in value) {
    const item = value[key];
    if (item !== undefined) decodeField(key, item, schema, context, draft);
  }
  return draft;
}

function decodeField(key: string, item: ParsedJson, schema: StructSchema, context: DecodeContext, draft: Draft): void {
  const field = schema.byName.get(key);
  if (field === undefined) {
    context.unknown(key);
    return;
  }
  const type = field.schema;
  // The usual case first: a string where a string belongs needs no context.
  if (typeof item === 'string' && type.kind === 'scalar' && type.type === 'string') {
    draft[key] = item;
    return;
  }
  if (item === null) {
    // A repeated key may take back what its first occurrence set, unless Go can't hold nothing there.
    const isNilable = field.pointer || type.kind === 'list' || type.kind === 'map';
    if (isNilable && draft[key] !== undefined) delete draft[key];
    return;
  }
  const outer = context.enterField(schema, key, field.embedded);
  const result = decodeValue(item, type, context, draft[key]);
  context.leaveField(outer, field.embedded);
  if (result !== undefined) draft[key] = result;
}

/** @param previous - what an earlier occurrence of the same key left: Go decodes into it */
function decodeValue(value: ParsedJson, schema: Schema, context: DecodeContext, previous?: Json): Json | undefined {
  switch (schema.kind) {
    case 'struct':
      return decodeStruct(value, schema, context, previous === undefined ? {} : (previous as Draft));
    case 'list':
      return decodeList(value, schema, context);
    case 'map':
      return decodeMap(value, schema, context, previous === undefined ? {} : (previous as Draft));
    case 'scalar':
      return schema.props === undefined
        ? decodeScalar(value, schema, context)
        : decodeSchemaProps(value, schema, schema.props, context);
  }
}

function decodeList(value: ParsedJson, schema: ListSchema, context: DecodeContext): Json | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return wrongShape(value, schema, context);
  const items = value as readonly ParsedJson[];
  const draft: Json[] = [];
  for (let i = 0; i < items.length; i++) {
    context.enter(i);
    draft.push(decodeElement(items[i] ?? null, schema.items, context));
    context.leave();
  }
  return draft;
}

function decodeMap(value: ParsedJson, schema: MapSchema, context: DecodeContext, draft: Draft): Json | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) return wrongShape(value, schema, context);
  if (value instanceof RepeatedKeys) {
    const seen = new Set<string>();
    for (const [key, item] of value.entries) {
      if (seen.has(key)) context.duplicate(key);
      seen.add(key);
      decodeMember(key, item, schema, context, draft);
    }
    return draft;
  }
  for (const key in value) {
    const item = value[key];
    if (item !== undefined) decodeMember(key, item, schema, context, draft);
  }
  return draft;
}

function decodeMember(key: string, item: ParsedJson, schema: MapSchema, context: DecodeContext, draft: Draft): void {
  context.enter(key);
  setProperty(draft, key, decodeElement(item, schema.values, context));
  context.leave();
}

/** An item of a list or map is always there: null and wrong types leave Go's zero value. */
function decodeElement(value: ParsedJson, schema: Schema, context: DecodeContext): Json {
  if (typeof value === 'string' && schema.kind === 'scalar' && schema.type === 'string') return value;
  return decodeValue(value, schema, context) ?? zeroElement(schema);
}

function zeroElement(schema: Schema): Json {
  switch (schema.kind) {
    case 'struct':
    case 'map':
      return {};
    case 'list':
      return [];
    case 'scalar':
      return zeroScalar(schema);
  }
}

/** The JSONSchemaProps unions read themselves, without field validation inside. */
function decodeSchemaProps(
  value: ParsedJson,
  schema: ScalarSchema,
  props: StructSchema,
  context: DecodeContext,
): Json | undefined {
  if (value === null) return undefined;
  if (isObject(value)) return context.silently(() => decodeStruct(value, props, context, {}));
  switch (schema.type) {
    case 'jsonSchemaPropsOrArray':
      if (!Array.isArray(value)) return undefined;
      return context.silently(() => decodeList(value, { kind: 'list', items: props }, context));
    case 'jsonSchemaPropsOrStringArray':
      if (!Array.isArray(value)) return undefined;
      return context.silently(() => decodeList(value, stringList, context));
    default:
      if (typeof value === 'boolean') return value;
      throw new DecodeError('boolean or JSON schema expected');
  }
}

const stringList: ListSchema = { kind: 'list', items: { kind: 'scalar', type: 'string' } };

function wrongShape(value: ParsedJson, schema: Schema, context: DecodeContext): undefined {
  if (!context.converter) return context.wrongType(describe(value), goTypeName(schema));
  const found = describe(value);
  const kind = found === 'number' ? 'int64' : found === 'object' ? 'map' : found === 'array' ? 'slice' : found;
  const what = schema.kind === 'struct' ? 'struct from:' : schema.kind === 'list' ? 'slice from' : 'map from';
  return context.save(new DecodeError(`cannot restore ${what} ${kind}`));
}
