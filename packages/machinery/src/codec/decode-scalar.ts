// Reads one scalar of the schema from a JSON value, with the checks and messages of its Go type. Returns undefined for
// what Go takes as absent (null) and for what the context has noted as wrong.

import type { Json, ScalarSchema, ScalarType } from '../schema/schema.ts';
import { canonicalDuration } from '../values/duration.ts';
import { canonicalQuantity } from '../values/quantity.ts';
import { canonicalMicroTime, canonicalTime } from '../values/time.ts';
import { checkBase64, encodeBase64 } from './base64.ts';
import { compactObject } from './compact-object.ts';
import type { DecodeContext } from './decode-context.ts';
import { DecodeError } from './decode-error.ts';
import { goTypeName } from './go-type-name.ts';
import { toPlain } from './json/decode-json.ts';
import { setProperty } from './json/parse-json.ts';
import { NumberLiteral, type ParsedJson, type RepeatedKeys, toSafeNumber } from './json/parsed-json.ts';

type FlatScalarType = Exclude<
  ScalarType,
  'jsonSchemaPropsOrBool' | 'jsonSchemaPropsOrArray' | 'jsonSchemaPropsOrStringArray'
>;

/** Everything but the JSONSchemaProps unions, which hold structs. */
export function decodeScalar(value: ParsedJson, schema: ScalarSchema, context: DecodeContext): Json | undefined {
  const type = schema.type as FlatScalarType;
  if (type === 'json') return freeForm(value, context);
  if (value === null) return undefined;
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : mismatch(value, schema, context);
    case 'bool':
      return typeof value === 'boolean' ? value : mismatch(value, schema, context);
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return decodeInteger(value, schema, context);
    case 'float64':
      return decodeFloat(value, schema, context);
    case 'bytes':
      return decodeBytes(value, schema, context);
    case 'quantity':
      return custom(context, () => canonicalQuantity(quantityText(value)));
    case 'intOrString':
      if (typeof value === 'string') return value;
      if (isNumber(value)) return integerOrThrow(value, 'int32', context);
      throw context.typeError(describe(value), 'int32');
    case 'time':
      if (typeof value === 'string' && canonicalTimePattern.test(value)) return value;
      return zeroTimeAsAbsent(custom(context, () => canonicalTime(textOf(value, context))));
    case 'microTime':
      return zeroTimeAsAbsent(custom(context, () => canonicalMicroTime(textOf(value, context))));
    case 'duration':
      return custom(context, () => canonicalDuration(textOf(value, context)));
    case 'rawExtension':
    case 'fieldsV1':
      return freeForm(value, context);
  }
}

// Days beyond the 28th take the long way, which knows months and leap years.
const canonicalTimePattern =
  /^(?!000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** `string`, `number`, `bool`, `object`, `array`: as messages call JSON values. */
export function describe(value: ParsedJson): string {
  if (isNumber(value)) return 'number';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : 'object';
}

/** Notes a value of the wrong JSON type. */
export function mismatch(value: ParsedJson, schema: ScalarSchema, context: DecodeContext): undefined {
  if (!context.converter) return context.wrongType(describe(value), goTypeName(schema));
  // Go can convert an integer to a string and a number to another; those it refuses with other words.
  const from = isNumber(value) ? (isInteger(value) ? 'int64' : 'float64') : describe(value);
  const convertible = from === 'int64' ? schema.type === 'string' : from === 'float64' && isIntegerType(schema.type);
  const text = convertible ? `cannot convert ${from} to ${goTypeName(schema)}` : `unrecognized type: ${schema.type}`;
  return context.save(new DecodeError(text));
}

function isNumber(value: ParsedJson): value is number | bigint | NumberLiteral {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberLiteral;
}

function isInteger(value: number | bigint | NumberLiteral): boolean {
  const plain = value instanceof NumberLiteral ? value.toJson() : value;
  return typeof plain === 'bigint' || (Number.isInteger(plain) && !/[.eE]/.test(numberText(value)));
}

function isIntegerType(type: ScalarType): boolean {
  return type === 'int32' || type === 'int64' || type === 'uint32' || type === 'uint64';
}

function numberText(value: number | bigint | NumberLiteral): string {
  return value instanceof NumberLiteral ? value.text : String(value);
}

function decodeInteger(value: ParsedJson, schema: ScalarSchema, context: DecodeContext): number | bigint | undefined {
  if (!isNumber(value)) return mismatch(value, schema, context);
  const integer = readInteger(value, schema.type);
  if (integer !== undefined) return integer;
  if (!context.converter) return context.wrongType(`number ${numberText(value)}`, goTypeName(schema));
  const number = value instanceof NumberLiteral ? value.toJson() : value;
  // The converter takes 2.0 for an int.
  const whole = typeof number === 'number' && Number.isInteger(number) ? readInteger(number, schema.type) : undefined;
  return whole ?? mismatch(value, schema, context);
}

const bounds: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

/** The integer, or undefined when the number is written with a point or exponent or does not fit the type. */
function readInteger(value: number | bigint | NumberLiteral, type: string): number | bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    if (
      type === 'int32'
        ? (value | 0) === value
        : type === 'int64' || (value >= 0 && (type === 'uint64' || value <= 0xffff_ffff))
    ) {
      return value;
    }
    return undefined;
  }
  const text = numberText(value);
  if (!/^-?[0-9]+$/.test(text)) return undefined;
  const integer = BigInt(text);
  const [min, max] = bounds[type] ?? [0n, 0n];
  return integer < min || integer > max ? undefined : toSafeNumber(integer);
}

function integerOrThrow(value: number | bigint | NumberLiteral, type: string, context: DecodeContext): number | bigint {
  const integer = readInteger(value, type);
  if (integer === undefined) throw context.typeError(`number ${numberText(value)}`, type);
  return integer;
}

function decodeFloat(value: ParsedJson, schema: ScalarSchema, context: DecodeContext): number | undefined {
  if (!isNumber(value)) return mismatch(value, schema, context);
  const number = Number(numberText(value));
  return Number.isFinite(number) ? number : context.wrongType(`number ${numberText(value)}`, 'float64');
}

function decodeBytes(value: ParsedJson, schema: ScalarSchema, context: DecodeContext): string | undefined {
  if (Array.isArray(value)) return decodeByteArray(value as readonly ParsedJson[], context);
  if (typeof value !== 'string') return mismatch(value, schema, context);
  const { canonical, errorAt } = checkBase64(value);
  if (canonical !== undefined) return canonical;
  const text = `illegal base64 data at input byte ${errorAt}`;
  return context.save(new DecodeError(context.converter ? `error decoding from json: ${text}` : text));
}

/** Go takes an array of numbers for bytes, too. */
function decodeByteArray(items: readonly ParsedJson[], context: DecodeContext): string {
  const bytes = items.map((item): number => {
    if (item === null) return 0;
    if (!isNumber(item)) return context.wrongType(describe(item), 'uint8') ?? 0;
    const byte = readInteger(item, 'uint32');
    if (typeof byte === 'number' && byte < 256) return byte;
    return context.wrongType(`number ${numberText(item)}`, 'uint8') ?? 0;
  });
  return encodeBase64(Uint8Array.from(bytes));
}

/** The text of a value whose type reads a JSON string itself. */
function textOf(value: ParsedJson, context: DecodeContext): string {
  if (typeof value === 'string') return value;
  throw context.typeError(describe(value), 'string');
}

/** A quantity reads numbers as they are written; whatever else fails as a quantity does. */
function quantityText(value: ParsedJson): string {
  if (typeof value === 'string') return value.trim();
  if (isNumber(value)) return numberText(value);
  return typeof value === 'boolean' ? String(value) : '{}';
}

function custom(context: DecodeContext, read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    if (error instanceof Error) throw new DecodeError(error.message, { cause: error });
    throw error;
  }
}

function zeroTimeAsAbsent(text: string): string | undefined {
  return text.startsWith('0001-01-01T00:00:00') && /^0001-01-01T00:00:00(\.0*)?Z$/.test(text) ? undefined : text;
}

/** Free-form JSON. A caller's value is copied: the draft shares nothing with it. */
function freeForm(value: ParsedJson, context: DecodeContext): Json {
  const plain = context.plain ? (value as Json) : toPlain(value);
  return context.owned ? plain : copyJson(plain);
}

/** A deep copy without undefined members. */
export function copyJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item) => (item === undefined ? null : copyJson(item)));
  const object = value as { readonly [key: string]: Json | undefined };
  const copy: { [key: string]: Json } = {};
  const keys = Object.keys(object);
  for (const key of keys) {
    const item = object[key];
    if (item !== undefined) setProperty(copy, key, copyJson(item));
  }
  return compactObject(copy, keys.length);
}

/** Whether a value is a JSON object in any of the reader's forms. */
export function isObject(value: ParsedJson): value is { readonly [key: string]: ParsedJson } | RepeatedKeys {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral);
}
