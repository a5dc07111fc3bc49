// The values of CEL at run time. null, bool and string are JavaScript's; an int is a bigint, a double a number; the
// rest are the small classes below. Values are immutable. Lists and maps over JSON convert their items when asked.

import type { CelType } from './types.ts';

/** A failed evaluation; `&&` and `||` may absorb it. */
export class CelError extends Error {
  override readonly name = 'CelError';
}

export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class CelDuration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** An instant: nanoseconds since 1970. */
export class CelTimestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** How the items of a list compare and add up: Kubernetes' `x-kubernetes-list-type`. */
export type ListIdentity =
  { readonly kind: 'atomic' } | { readonly kind: 'set' } | { readonly kind: 'map'; readonly keys: readonly string[] };

const atomic: ListIdentity = { kind: 'atomic' };

export class CelList {
  readonly size: number;
  readonly identity: ListIdentity;
  readonly #at: (index: number) => CelValue;

  constructor(size: number, at: (index: number) => CelValue, identity: ListIdentity = atomic) {
    this.size = size;
    this.#at = at;
    this.identity = identity;
  }

  static of(items: readonly CelValue[], identity: ListIdentity = atomic): CelList {
    return new CelList(items.length, (index) => items[index] as CelValue, identity);
  }

  /** The item at an index that exists. */
  at(index: number): CelValue {
    return this.#at(index);
  }

  *[Symbol.iterator](): Generator<CelValue> {
    for (let index = 0; index < this.size; index++) yield this.#at(index);
  }
}

/** A map, or an object with fields: both are looked into by key. */
export interface CelMap {
  readonly celKind: 'map' | 'struct';
  readonly size: number;
  /** The struct's type name; `map` for maps. */
  readonly typeName: string;
  get: (key: CelValue) => CelValue | undefined;
  has: (key: CelValue) => boolean;
  keys: () => Iterable<CelValue>;
}

export class CelOptional {
  /** Undefined for none. */
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
  static readonly none = new CelOptional(undefined);
}

/** A type as a value. */
export class CelTypeValue {
  readonly typeName: string;
  constructor(name: string) {
    this.typeName = name;
  }
}

/** A value of a library's own type; `opaqueName` is the type's name. */
export interface CelOpaque {
  readonly opaqueName: string;
  /** Equality with a value of the same type. */
  equals: (other: CelOpaque) => boolean;
}

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelDuration
  | CelTimestamp
  | CelList
  | CelMap
  | CelOptional
  | CelTypeValue
  | CelOpaque;

export function isMap(value: unknown): value is CelMap {
  return typeof value === 'object' && value !== null && 'celKind' in value;
}

export function isOpaque(value: unknown): value is CelOpaque {
  return typeof value === 'object' && value !== null && 'opaqueName' in value;
}

/** A map of CEL keys; keys that are equal numbers are one key. */
export class EntryMap implements CelMap {
  readonly celKind = 'map';
  readonly typeName = 'map';
  readonly #entries: ReadonlyMap<string, readonly [CelValue, CelValue]>;

  constructor(entries: Iterable<readonly [CelValue, CelValue]>) {
    this.#entries = new Map(Array.from(entries, (entry) => [keyText(entry[0]), entry] as const));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }

  has(key: CelValue): boolean {
    return this.#entries.has(keyText(key));
  }

  *keys(): Generator<CelValue> {
    for (const [key] of this.#entries.values()) yield key;
  }

  entries(): Iterable<readonly [CelValue, CelValue]> {
    return this.#entries.values();
  }
}

/** One text for all keys that CEL takes as the same. */
export function keyText(key: CelValue): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof CelUint) return `n${key.value}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
  return 'x';
}

/** The run-time type's name: what `type(value)` prints. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
  }
  if (value === null) return 'null_type';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof CelDuration) return 'google.protobuf.Duration';
  if (value instanceof CelTimestamp) return 'google.protobuf.Timestamp';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelOptional) return 'optional_type';
  if (value instanceof CelTypeValue) return 'type';
  if (isMap(value)) return value.typeName;
  return isOpaque(value) ? value.opaqueName : 'unknown';
}

/** Whether a value may be an argument declared as `type`; what is inside lists and maps is not looked at. */
export function isOfType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true;
    case 'null':
      return value === null;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'uint':
      return value instanceof CelUint;
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bytes':
      return value instanceof Uint8Array;
    case 'timestamp':
      return value instanceof CelTimestamp;
    case 'duration':
      return value instanceof CelDuration;
    case 'list':
      return value instanceof CelList;
    case 'map':
    case 'struct':
      return isMap(value);
    case 'opaque':
      return type.name === 'optional_type'
        ? value instanceof CelOptional
        : isOpaque(value) && value.opaqueName === type.name;
    case 'type':
      return value instanceof CelTypeValue;
    case 'error':
      return false;
  }
}
