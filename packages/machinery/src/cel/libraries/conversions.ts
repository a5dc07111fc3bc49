// Conversions between CEL's types, size, type and matches: the functions of the specification besides operators.

import { parseDuration } from '../../values/duration.ts';
import { parseTimeNanos } from '../../values/time.ts';
import { type Implementation, type Overload, overloads } from '../functions.ts';
import { compilePattern } from '../patterns.ts';
import type { CelList, CelTimestamp } from '../values.ts';
import { CelDuration, CelError, type CelMap, CelTypeValue, CelUint, type CelValue, typeNameOf } from '../values.ts';
import { doubleText, secondsText } from './number-text.ts';
import { toDuration, toInt, toTimestamp, toUint } from './operators.ts';
import { formatInstant } from './time-fields.ts';

const same: Implementation = ([value]) => value as CelValue;
const sizeOfText: Implementation = ([text]) => BigInt(characterCount(text as string));
const sizeOfBytes: Implementation = ([bytes]) => BigInt((bytes as Uint8Array).length);
const sizeOfItems: Implementation = ([items]) => BigInt((items as CelList | CelMap).size);
const matches: Implementation = ([text, pattern]) => compilePattern(pattern as string).test(text as string);

export const conversions: readonly Overload[] = overloads({
  'size(string): int': sizeOfText,
  'size(bytes): int': sizeOfBytes,
  'size(list(A)): int': sizeOfItems,
  'size(map(A, B)): int': sizeOfItems,
  'string.size(): int': sizeOfText,
  'bytes.size(): int': sizeOfBytes,
  'list(A).size(): int': sizeOfItems,
  'map(A, B).size(): int': sizeOfItems,
  'type(A): type(A)': ([value]) => new CelTypeValue(typeNameOf(value as CelValue)),
  'dyn(A): dyn': same,

  'int(int): int': same,
  'int(uint): int': ([value]) => toInt((value as CelUint).value),
  'int(double): int': ([value]) => toInt(wholePart(value as number, 'integer overflow')),
  'int(string): int': ([value]) => intOf(value as string),
  'int(timestamp): int': ([value]) => floorSeconds((value as CelTimestamp).nanos),
  'int(duration): int': ([value]) => (value as CelDuration).nanos,
  'uint(uint): uint': same,
  'uint(int): uint': ([value]) => toUint(value as bigint),
  'uint(double): uint': ([value]) => toUint(wholePart(value as number, 'unsigned integer overflow')),
  'uint(string): uint': ([value]) => uintOf(value as string),
  'double(double): double': same,
  'double(int): double': ([value]) => Number(value),
  'double(uint): double': ([value]) => Number((value as CelUint).value),
  'double(string): double': ([value]) => doubleOf(value as string),
  'bool(bool): bool': same,
  'bool(string): bool': ([value]) => boolOf(value as string),
  'bytes(bytes): bytes': same,
  'bytes(string): bytes': ([value]) => new TextEncoder().encode(value as string),
  'string(string): string': same,
  'string(bool): string': ([value]) => String(value as boolean),
  'string(int): string': ([value]) => String(value as bigint),
  'string(uint): string': ([value]) => String((value as CelUint).value),
  'string(double): string': ([value]) => doubleText(value as number),
  'string(bytes): string': ([value]) => utf8(value as Uint8Array),
  'string(timestamp): string': ([value]) => formatInstant((value as CelTimestamp).nanos),
  'string(duration): string': ([value]) => secondsText((value as CelDuration).nanos),
  'duration(duration): duration': same,
  'duration(int): duration': ([value]) => toDuration(value as bigint),
  'duration(string): duration': ([value]) => durationOf(value as string),
  'timestamp(timestamp): timestamp': same,
  'timestamp(int): timestamp': ([value]) => toTimestamp((value as bigint) * 1_000_000_000n),
  'timestamp(string): timestamp': ([value]) => timestampOf(value as string),

  'string.contains(string): bool': ([text, part]) => (text as string).includes(part as string),
  'string.startsWith(string): bool': ([text, part]) => (text as string).startsWith(part as string),
  'string.endsWith(string): bool': ([text, part]) => (text as string).endsWith(part as string),
  'string.matches(string): bool': matches,
  'matches(string, string): bool': matches,
});

/** Code points, as CEL counts. */
export function characterCount(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) index++;
    count++;
  }
  return count;
}

function wrong(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

function wholePart(value: number, overflow: string): bigint {
  if (!Number.isFinite(value)) throw new CelError(overflow);
  return BigInt(Math.trunc(value));
}

/** Longer texts are not read: zeros aside, no 64-bit number is longer, and reading digits takes more than linear time. */
const digitsMax = 1000;

function intOf(text: string): bigint {
  if (text.length > digitsMax || !/^[+-]?[0-9]+$/.test(text)) throw wrong('string', 'int');
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (value < -(2n ** 63n) || value >= 2n ** 63n) throw wrong('string', 'int');
  return value;
}

function uintOf(text: string): CelUint {
  if (text.length > digitsMax || !/^[0-9]+$/.test(text) || BigInt(text) >= 2n ** 64n) throw wrong('string', 'uint');
  return new CelUint(BigInt(text));
}

function doubleOf(text: string): number {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) throw wrong('string', 'double');
  const value = Number(text);
  if (!Number.isFinite(value)) throw wrong('string', 'double');
  return value;
}

const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const untruths = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function boolOf(text: string): boolean {
  if (truths.has(text)) return true;
  if (untruths.has(text)) return false;
  throw wrong('string', 'bool');
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function floorSeconds(nanos: bigint): bigint {
  const seconds = nanos / 1_000_000_000n;
  return nanos < 0n && nanos % 1_000_000_000n !== 0n ? seconds - 1n : seconds;
}

export function durationOf(text: string): CelDuration {
  try {
    return new CelDuration(parseDuration(text));
  } catch {
    throw wrong('string', 'google.protobuf.Duration');
  }
}

export function timestampOf(text: string): CelTimestamp {
  try {
    return toTimestamp(parseTimeNanos(text));
  } catch {
    throw wrong('string', 'google.protobuf.Timestamp');
  }
}
