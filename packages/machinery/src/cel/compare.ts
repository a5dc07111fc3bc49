// Equality and order of CEL values (CEL specification, "Equality" and "Ordering"): numbers compare across their types.

import { compareBytewise } from '../values/go-strings.ts';
import {
  CelDuration,
  CelList,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelMap,
  type CelValue,
  isMap,
  isOpaque,
  keyText,
} from './values.ts';

/** `a == b`; values of different kinds are unequal. */
export function equals(a: CelValue, b: CelValue): boolean {
  const left = numeric(a);
  if (left !== undefined) {
    const right = numeric(b);
    return right !== undefined && compareNumbers(left, right) === 0;
  }
  if (typeof a !== 'object' || a === null) return a === b;
  if (typeof b !== 'object' || b === null) return false;
  if (a instanceof CelList) return b instanceof CelList && listsEqual(a, b);
  if (isMap(a)) return isMap(b) && mapsEqual(a, b);
  if (a instanceof Uint8Array)
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, index) => byte === b[index]);
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.typeName === b.typeName;
  if (a instanceof CelOptional) {
    if (!(b instanceof CelOptional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : equals(a.value, b.value);
  }
  return isOpaque(a) && isOpaque(b) && a.opaqueName === b.opaqueName && a.equals(b);
}

function listsEqual(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  const { identity } = a;
  if (identity.kind === 'atomic') {
    for (let index = 0; index < a.size; index++) if (!equals(a.at(index), b.at(index))) return false;
    return true;
  }
  if (identity.kind === 'map') {
    const byKey = new Map(Array.from(b, (item) => [itemKey(item, identity.keys), item] as const));
    return Array.from(a).every((item) => {
      const other = byKey.get(itemKey(item, identity.keys));
      return other !== undefined && equals(item, other);
    });
  }
  const members = new Set(Array.from(b, memberText));
  return Array.from(a).every((item) => members.has(memberText(item)));
}

/** One text for an item of a list by its map keys. */
export function itemKey(item: CelValue, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isMap(item) ? keyText(item.get(key) ?? null) : '')));
}

/** One text for a member of a set: scalars by value, others by content. */
export function memberText(item: CelValue): string {
  if (item instanceof CelList) return `[${Array.from(item, memberText).join(',')}]`;
  if (isMap(item)) {
    const parts = Array.from(item.keys(), (key) => `${memberText(key)}:${memberText(item.get(key) ?? null)}`);
    return `{${parts.toSorted().join(',')}}`;
  }
  if (item instanceof CelTimestamp) return `t${item.nanos}`;
  if (item instanceof CelDuration) return `D${item.nanos}`;
  if (item instanceof Uint8Array) return `y${item.join(' ')}`;
  return JSON.stringify(keyText(item));
}

function mapsEqual(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined || !equals(a.get(key) ?? null, other)) return false;
  }
  return true;
}

/** -1, 0, 1; undefined where the two have no order. Not-a-number is in no order with anything. */
export function compare(a: CelValue, b: CelValue): number | undefined {
  const left = numeric(a);
  if (left !== undefined) {
    const right = numeric(b);
    return right === undefined ? undefined : compareNumbers(left, right);
  }
  if (typeof a === 'string' && typeof b === 'string') return compareBytewise(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof CelDuration && b instanceof CelDuration) return compareBigInts(a.nanos, b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return compareBigInts(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return undefined;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

function numeric(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof CelUint ? value.value : undefined;
}

/** JavaScript compares bigint and number exactly. */
function compareNumbers(a: bigint | number, b: bigint | number): number | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  return a == b ? 0 : undefined; // oxlint-disable-line eqeqeq -- 1n == 1 is the comparison wanted
}

function compareBigInts(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
