// The operators of CEL on values: arithmetic with overflow as an error, order, membership and access by index or key.

import { compare, equals, itemKey, memberText } from '../compare.ts';
import { type Implementation, type Overload, overloadsOf } from '../functions.ts';
import {
  CelDuration,
  CelError,
  CelList,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  EntryMap,
  isMap,
  keyText,
} from '../values.ts';

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;
/** Years 1 to 9999. */
const timestampMin = -62_135_596_800_000_000_000n;
const timestampMax = 253_402_300_799_999_999_999n;

export function toInt(value: bigint): bigint {
  if (value < int64Min || value > int64Max) throw new CelError('integer overflow');
  return value;
}

export function toUint(value: bigint): CelUint {
  if (value < 0n || value > uint64Max) throw new CelError('unsigned integer overflow');
  return new CelUint(value);
}

export function toDuration(nanos: bigint): CelDuration {
  return new CelDuration(toInt(nanos));
}

export function toTimestamp(nanos: bigint): CelTimestamp {
  if (nanos < timestampMin || nanos > timestampMax) throw new CelError('timestamp overflow');
  return new CelTimestamp(nanos);
}

type IntOperation = (a: bigint, b: bigint) => bigint;

function ints(operation: IntOperation): Implementation {
  return ([a, b]) => toInt(operation(a as bigint, b as bigint));
}

function uints(operation: IntOperation): Implementation {
  return ([a, b]) => toUint(operation((a as CelUint).value, (b as CelUint).value));
}

function doubles(operation: (a: number, b: number) => number): Implementation {
  return ([a, b]) => operation(a as number, b as number);
}

function nanosOf(value: CelValue | undefined): bigint {
  return (value as CelDuration | CelTimestamp).nanos;
}

const divide: IntOperation = (a, b) => {
  if (b === 0n) throw new CelError('division by zero');
  return a / b;
};
const modulo: IntOperation = (a, b) => {
  if (b === 0n) throw new CelError('modulus by zero');
  return a % b;
};

const ordered = [
  '(bool, bool): bool', '(int, int): bool', '(int, uint): bool', '(int, double): bool', '(uint, uint): bool', '(uint, int): bool',
  '(uint, double): bool', '(double, double): bool', '(double, int): bool', '(double, uint): bool', '(string, string): bool',
  '(bytes, bytes): bool', '(timestamp, timestamp): bool', '(duration, duration): bool',
]; // prettier-ignore

function order(name: string, holds: (order: number) => boolean): Overload[] {
  const call: Implementation = ([a, b]) => {
    const found = compare(a as CelValue, b as CelValue);
    return found !== undefined && holds(found);
  };
  return overloadsOf(name, Object.fromEntries(ordered.map((signature) => [signature, call])));
}

export const operators: readonly Overload[] = [
  ...overloadsOf('_+_', {
    '(int, int): int': ints((a, b) => a + b),
    '(uint, uint): uint': uints((a, b) => a + b),
    '(double, double): double': doubles((a, b) => a + b),
    '(string, string): string': ([a, b]) => `${a as string}${b as string}`,
    '(bytes, bytes): bytes': ([a, b]) => Uint8Array.from([...(a as Uint8Array), ...(b as Uint8Array)]),
    '(list(A), list(A)): list(A)': ([a, b]) => concatenate(a as CelList, b as CelList),
    '(duration, duration): duration': ([a, b]) => toDuration(nanosOf(a) + nanosOf(b)),
    '(timestamp, duration): timestamp': ([a, b]) => toTimestamp(nanosOf(a) + nanosOf(b)),
    '(duration, timestamp): timestamp': ([a, b]) => toTimestamp(nanosOf(a) + nanosOf(b)),
  }),
  ...overloadsOf('_-_', {
    '(int, int): int': ints((a, b) => a - b),
    '(uint, uint): uint': uints((a, b) => a - b),
    '(double, double): double': doubles((a, b) => a - b),
    '(duration, duration): duration': ([a, b]) => toDuration(nanosOf(a) - nanosOf(b)),
    '(timestamp, duration): timestamp': ([a, b]) => toTimestamp(nanosOf(a) - nanosOf(b)),
    '(timestamp, timestamp): duration': ([a, b]) => toDuration(nanosOf(a) - nanosOf(b)),
  }),
  ...overloadsOf('_*_', {
    '(int, int): int': ints((a, b) => a * b),
    '(uint, uint): uint': uints((a, b) => a * b),
    '(double, double): double': doubles((a, b) => a * b),
  }),
  ...overloadsOf('_/_', {
    '(int, int): int': ints(divide),
    '(uint, uint): uint': uints(divide),
    '(double, double): double': doubles((a, b) => a / b),
  }),
  ...overloadsOf('_%_', { '(int, int): int': ints(modulo), '(uint, uint): uint': uints(modulo) }),
  ...overloadsOf('-_', {
    '(int): int': ([a]) => toInt(-(a as bigint)),
    '(double): double': ([a]) => -(a as number),
  }),
  ...overloadsOf('!_', { '(bool): bool': ([a]) => a !== true }),
  ...overloadsOf('_&&_', { '(bool, bool): bool': ([a, b]) => a === true && b === true }),
  ...overloadsOf('_||_', { '(bool, bool): bool': ([a, b]) => a === true || b === true }),
  ...overloadsOf('_?_:_', { '(bool, A, A): A': ([a, b, c]) => (a === true ? b : c) as CelValue }),
  ...overloadsOf('@not_strictly_false', { '(bool): bool': ([a]) => a !== false }),
  ...overloadsOf('_==_', { '(A, A): bool': ([a, b]) => equals(a as CelValue, b as CelValue) }),
  ...overloadsOf('_!=_', { '(A, A): bool': ([a, b]) => !equals(a as CelValue, b as CelValue) }),
  ...order('_<_', (found) => found < 0),
  ...order('_<=_', (found) => found <= 0),
  ...order('_>_', (found) => found > 0),
  ...order('_>=_', (found) => found >= 0),
  ...overloadsOf('@in', {
    '(A, list(A)): bool': ([item, list]) =>
      Array.from(list as CelList).some((other) => equals(item as CelValue, other)),
    '(A, map(A, B)): bool': ([key, map]) => isMap(map) && map.has(key as CelValue),
  }),
  ...overloadsOf('_[_]', {
    '(list(A), int): A': ([list, index]) => itemAt(list as CelList, index as CelValue),
    '(map(A, B), A): B': ([map, key]) => valueAt(map as CelValue, key as CelValue),
    '(optional(list(A)), int): optional(A)': ([list, index]) => optionalAt(list as CelValue, index as CelValue),
    '(optional(map(A, B)), A): optional(B)': ([map, key]) => optionalAt(map as CelValue, key as CelValue),
  }),
  ...overloadsOf('_[?_]', {
    '(list(A), int): optional(A)': ([list, index]) => optionalAt(list as CelValue, index as CelValue),
    '(map(A, B), A): optional(B)': ([map, key]) => optionalAt(map as CelValue, key as CelValue),
    '(optional(list(A)), int): optional(A)': ([list, index]) => optionalAt(list as CelValue, index as CelValue),
    '(optional(map(A, B)), A): optional(B)': ([map, key]) => optionalAt(map as CelValue, key as CelValue),
  }),
  ...overloadsOf('cel.@mapInsert', {
    '(map(A, B), map(A, B)): map(A, B)': ([map, more]) => insert(map as CelValue, more as CelValue),
    '(map(A, B), A, B): map(A, B)': ([map, key, value]) =>
      insert(map as CelValue, new EntryMap([[key as CelValue, value as CelValue]])),
  }),
];

/** Lists of type set and map keep their members unique; a later item takes an earlier one's place. */
function concatenate(a: CelList, b: CelList): CelList {
  const { identity } = a;
  if (identity.kind === 'atomic') {
    if (a.size === 0) return b;
    return new CelList(a.size + b.size, (index) => (index < a.size ? a.at(index) : b.at(index - a.size)));
  }
  const keyOf = (item: CelValue): string => (identity.kind === 'set' ? memberText(item) : itemKey(item, identity.keys));
  const merged = new Map(Array.from(a, (item) => [keyOf(item), item] as const));
  for (const item of b) {
    const key = keyOf(item);
    if (identity.kind === 'map' || !merged.has(key)) merged.set(key, item);
  }
  return CelList.of([...merged.values()], identity);
}

function itemAt(list: CelList, index: CelValue): CelValue {
  if (typeof index !== 'bigint') throw new CelError(`unsupported index type in list: ${typeof index}`);
  if (index < 0n || index >= BigInt(list.size)) throw new CelError(`index out of bounds: ${index}`);
  return list.at(Number(index));
}

function valueAt(map: CelValue, key: CelValue): CelValue {
  const found = isMap(map) ? map.get(key) : undefined;
  if (found === undefined) throw new CelError(`no such key: ${keyText(key).slice(1)}`);
  return found;
}

function optionalAt(container: CelValue, key: CelValue): CelOptional {
  const inner = container instanceof CelOptional ? container.value : container;
  if (inner === undefined) return CelOptional.none;
  if (inner instanceof CelList) {
    const inside = typeof key === 'bigint' && key >= 0n && key < BigInt(inner.size);
    return inside ? new CelOptional(inner.at(Number(key))) : CelOptional.none;
  }
  const found = isMap(inner) ? inner.get(key) : undefined;
  return found === undefined ? CelOptional.none : new CelOptional(found);
}

function insert(map: CelValue, more: CelValue): CelValue {
  if (!isMap(map) || !isMap(more)) throw new CelError('no such overload');
  const entries = [map, more].flatMap((part) =>
    Array.from(part.keys(), (key) => [key, part.get(key) ?? null] as const),
  );
  const grown = new EntryMap(entries);
  if (grown.size !== entries.length) {
    const twice = Array.from(more.keys()).find((key) => map.has(key));
    throw new CelError(`insert failed: key ${twice === undefined ? '' : keyText(twice).slice(1)} already exists`);
  }
  return grown;
}
