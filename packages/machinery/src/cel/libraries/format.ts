// `'%s of %d'.format([…])` of the strings extension: %s %d %f %e %b %x %X %o and %%.

import { perCharacter } from '../call-cost.ts';
import type { CallContext } from '../functions.ts';
import {
  CelDuration,
  CelError,
  CelList,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  isMap,
  typeNameOf,
} from '../values.ts';
import { formatVerb } from './format-verbs.ts';
import { secondsText } from './number-text.ts';
import { formatInstant } from './time-fields.ts';

const defaultPrecision = 6;
const precisionMax = 100;

/** @throws CelError on an unknown verb, a missing argument or one of the wrong type */
export function formatText(text: string, args: readonly CelValue[], context: CallContext): string {
  let used = 0;
  return text.replaceAll(formatVerb, (whole, precision: string | undefined, letter: string | undefined) => {
    if (letter === '%' && precision === undefined) return '%';
    if (used >= args.length) throw new CelError(`index ${used} out of range`);
    if (letter === undefined) throw new CelError('unexpected end of string');
    const value = args[used++] as CelValue;
    return formatArg(value, letter, { precision: precision === undefined ? undefined : Number(precision), context });
  });
}

interface FormatOptions {
  readonly precision: number | undefined;
  readonly context: CallContext;
}

function formatArg(value: CelValue, letter: string, { precision, context }: FormatOptions): string {
  switch (letter) {
    case 's':
      return plainText(value, context);
    case 'd':
      if (isWhole(value)) return String(wholeOf(value));
      throw wrongType('decimal clause can only be used on integers', value);
    case 'f':
      return (
        special(value) ??
        numberOf(value, 'fixed-point clause').toFixed(Math.min(precision ?? defaultPrecision, precisionMax))
      );
    case 'e':
      return (
        special(value) ??
        exponent(numberOf(value, 'scientific clause'), Math.min(precision ?? defaultPrecision, precisionMax))
      );
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      if (isWhole(value)) return wholeOf(value).toString(2);
      throw wrongType('only integers and bools can be formatted as binary', value);
    case 'x':
    case 'X':
      if (typeof value === 'string' || value instanceof Uint8Array) context.charge(value.length * perCharacter);
      return letter === 'x' ? hex(value) : hex(value).toUpperCase();
    case 'o':
      if (isWhole(value)) return wholeOf(value).toString(8);
      throw wrongType('octal clause can only be used on integers', value);
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${letter}"`);
  }
}

function wrongType(rule: string, value: CelValue): CelError {
  return new CelError(`error during formatting: ${rule}, was given ${typeNameOf(value)}`);
}

function isWhole(value: CelValue): value is bigint | CelUint {
  return typeof value === 'bigint' || value instanceof CelUint;
}

function wholeOf(value: bigint | CelUint): bigint {
  return typeof value === 'bigint' ? value : value.value;
}

function numberOf(value: CelValue, clause: string): number {
  if (typeof value === 'number') return value;
  if (isWhole(value)) return Number(wholeOf(value));
  throw wrongType(`${clause} can only be used on doubles`, value);
}

function special(value: CelValue): string | undefined {
  if (typeof value !== 'number' || Number.isFinite(value)) return undefined;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function exponent(value: number, precision: number): string {
  return value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function hex(value: CelValue): string {
  if (isWhole(value)) return wholeOf(value).toString(16);
  if (typeof value === 'string') return bytesToHex(new TextEncoder().encode(value));
  if (value instanceof Uint8Array) return bytesToHex(value);
  throw wrongType('only integers, byte buffers, and strings can be formatted as hex', value);
}

function bytesToHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `%s`: strings bare, inside lists and maps quoted only by their brackets. */
function plainText(value: CelValue, context: CallContext): string {
  const inner = (part: CelValue): string => plainText(part, context);
  context.charge(typeof value === 'string' ? value.length * perCharacter : 1);
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  if (typeof value === 'number') return special(value) ?? String(value);
  if (isWhole(value)) return String(wholeOf(value));
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof CelTimestamp) return formatInstant(value.nanos);
  if (value instanceof CelDuration) return secondsText(value.nanos);
  if (value instanceof CelTypeValue) return value.typeName;
  if (value instanceof CelList) return `[${Array.from(value, inner).join(', ')}]`;
  if (isMap(value)) {
    const parts = Array.from(value.keys(), (key) => `${inner(key)}: ${inner(value.get(key) ?? null)}`);
    return `{${parts.toSorted().join(', ')}}`;
  }
  if (typeof value === 'boolean') return String(value);
  throw wrongType(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  );
}
