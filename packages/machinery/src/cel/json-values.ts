// JSON as CEL values: by a declared type (timestamps, durations, ints and doubles are told apart), or dynamically.
// Nothing is copied: lists and objects convert their items when they are asked for.

import { checkBase64, decodeBase64 } from '../codec/base64.ts';
import { parseTimeNanos } from '../values/time.ts';
import { unescapeField } from './field-names.ts';
import { parseLenientDuration } from './durations.ts';
import { type CelType, dynType, type ListType, type MapType, type StructType } from './types.ts';
import {
  CelDuration,
  CelError,
  CelList,
  type CelMap,
  CelTimestamp,
  CelUint,
  type CelValue,
  type ListIdentity,
} from './values.ts';

/** A list type that says how its items compare: made by `structural/declarations.ts`. */
export interface JsonListType extends ListType {
  readonly identity?: ListIdentity;
}

/** The CEL value of a JSON value of `type`. The JSON value must not change while the result is used. */
export function fromJson(raw: unknown, type: CelType = dynType): CelValue {
  if (raw === null || raw === undefined) return null;
  switch (typeof raw) {
    case 'boolean':
      return raw;
    case 'bigint':
      return type.kind === 'double' ? Number(raw) : raw;
    case 'number':
      return numberOf(raw, type);
    case 'string':
      return textOf(raw, type);
    default:
  }
  if (isCelValue(raw as object)) return raw as CelValue;
  if (Array.isArray(raw)) {
    const element = type.kind === 'list' ? type.element : dynType;
    return new CelList(raw.length, (index) => fromJson(raw[index], element), (type as JsonListType).identity);
  }
  const object = raw as Readonly<Record<string, unknown>>;
  return type.kind === 'struct'
    ? new JsonStruct(object, type)
    : new JsonMap(object, type.kind === 'map' ? type : undefined);
}

/** CEL's own values are instances of classes; JSON's objects are plain. */
function isCelValue(raw: object): raw is Exclude<CelValue, string | number | bigint | boolean | null> {
  if (Array.isArray(raw)) return false;
  const prototype: unknown = Object.getPrototypeOf(raw);
  return prototype !== Object.prototype && prototype !== null;
}

function numberOf(raw: number, type: CelType): CelValue {
  if (type.kind === 'double') return raw;
  if (type.kind === 'uint') return new CelUint(BigInt(Math.trunc(raw)));
  return Number.isInteger(raw) ? BigInt(raw) : raw;
}

function textOf(raw: string, type: CelType): CelValue {
  switch (type.kind) {
    case 'timestamp':
      return new CelTimestamp(instantOf(raw));
    case 'duration':
      return new CelDuration(parseLenientDuration(raw));
    case 'bytes':
      return bytesOf(raw);
    default:
      return raw;
  }
}

/** Of formats date and date-time. */
function instantOf(raw: string): bigint {
  try {
    return parseTimeNanos(/^\d{4}-\d\d-\d\d$/.test(raw) ? `${raw}T00:00:00Z` : raw);
  } catch (error) {
    throw new CelError((error as Error).message);
  }
}

function bytesOf(raw: string): Uint8Array {
  if (checkBase64(raw).errorAt !== undefined) throw new CelError('illegal base64 data');
  return decodeBase64(raw);
}

class JsonMap implements CelMap {
  readonly celKind = 'map';
  readonly typeName = 'map';
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #value: CelType;

  constructor(raw: Readonly<Record<string, unknown>>, type: MapType | undefined) {
    this.#raw = raw;
    this.#value = type?.value ?? dynType;
  }

  get size(): number {
    return Object.keys(this.#raw).length;
  }

  get(key: CelValue): CelValue | undefined {
    return this.has(key) ? fromJson(this.#raw[key as string], this.#value) : undefined;
  }

  has(key: CelValue): boolean {
    return typeof key === 'string' && Object.hasOwn(this.#raw, key);
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.#raw);
  }
}

class JsonStruct implements CelMap {
  readonly celKind = 'struct';
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #type: StructType;

  constructor(raw: Readonly<Record<string, unknown>>, type: StructType) {
    this.#raw = raw;
    this.#type = type;
  }

  /** Its kind at run time; the checker alone knows more. */
  readonly typeName = 'map';

  get size(): number {
    return Object.keys(this.#raw).length;
  }

  get(key: CelValue): CelValue | undefined {
    if (!this.has(key)) return undefined;
    const type = this.#type.field(key as string);
    return type === undefined ? undefined : fromJson(this.#raw[unescapeField(key as string)], type);
  }

  /** A field that is null is not there. */
  has(key: CelValue): boolean {
    if (typeof key !== 'string' || this.#type.field(key) === undefined) return false;
    const name = unescapeField(key);
    return Object.hasOwn(this.#raw, name) && this.#raw[name] !== null;
  }

  *keys(): Generator<CelValue> {
    for (const name of Object.keys(this.#raw)) yield name;
  }
}
