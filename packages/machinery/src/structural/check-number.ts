// Bounds of numbers. Integers are compared as int64, and bounds are cut to whole numbers for it, as upstream does.

import { goFloat64 } from '../values/go-format.ts';
import { isJsonInteger, typeOf } from './check-type.ts';
import type { Findings } from './findings.ts';
import type { StructuralSchema } from './structural-schema.ts';

const int32Max = 2 ** 31 - 1;
const int64Max = 2n ** 63n - 1n;

export function checkNumber(value: number | bigint, schema: StructuralSchema, findings: Findings): void {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  checkRange(value, 'Checked value', schema, findings);
  if (multipleOf !== undefined) checkMultiple(value, multipleOf, schema, findings);
  if (minimum !== undefined) {
    const { bound, shown, shownValue } = boundFor(value, minimum, 'Minimum boundary value', schema, findings);
    if (exclusiveMinimum ? value <= bound : value < bound) {
      const words = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
      findings.invalidNumber(shownValue, `should be ${words} ${shown}`);
    }
  }
  if (maximum !== undefined) {
    const { bound, shown, shownValue } = boundFor(value, maximum, 'Maximum boundary value', schema, findings);
    if (exclusiveMaximum ? value >= bound : value > bound) {
      const words = exclusiveMaximum ? 'less than' : 'less than or equal to';
      findings.invalidNumber(shownValue, `should be ${words} ${shown}`);
    }
  }
}

/** A bound, or a factor, as the value is compared with it; and both as messages show them. */
interface Bound {
  readonly bound: number;
  readonly shown: string;
  readonly shownValue: string;
}

/** Integers are compared as integers, unless the type can't hold the bound: that is an error of its own. */
function boundFor(
  value: number | bigint,
  bound: number,
  what: string,
  schema: StructuralSchema,
  findings: Findings,
): Bound {
  const fits = checkRange(bound, what, schema, findings);
  if (!fits || typeOf(value) !== 'integer') {
    return { bound, shown: goFloat64(bound), shownValue: goFloat64(Number(value)) };
  }
  const whole = Math.trunc(bound);
  return { bound: whole, shown: String(BigInt(whole)), shownValue: String(value) };
}

function checkMultiple(value: number | bigint, factor: number, schema: StructuralSchema, findings: Findings): void {
  const { bound: divisor, shown, shownValue } = boundFor(value, factor, 'MultipleOf value', schema, findings);
  if (divisor <= 0) {
    findings.negativeFactor(shown);
    return;
  }
  // Whole parts of integers are divided exactly.
  const isMultiple =
    typeOf(value) === 'integer' && Number.isInteger(divisor)
      ? BigInt(value) % BigInt(divisor) === 0n
      : isFloatMultiple(Number(value), divisor);
  if (!isMultiple) findings.invalidNumber(shownValue, `should be a multiple of ${shown}`);
}

function isFloatMultiple(value: number, factor: number): boolean {
  return isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** Formats that say how large a number may be, by type. */
const formats: ReadonlyMap<string, readonly string[]> = new Map([
  ['integer', ['int32', 'int64']],
  ['number', ['float', 'double']],
]);

/** Whether the schema's type can hold a number; adds an error when not. */
function checkRange(value: number | bigint, what: string, schema: StructuralSchema, findings: Findings): boolean {
  const type = schema.types.length === 1 ? schema.type : '';
  const name = schema.checkedFormat?.name;
  const format = name !== undefined && formats.get(type)?.includes(name) === true ? name : undefined;
  if (fitsType(value, type, format)) return true;
  findings.outOfRange(what, type, format);
  return false;
}

function fitsType(value: number | bigint, type: string, format: string | undefined): boolean {
  if (type !== 'integer') return format !== 'float' || Number.isFinite(Math.fround(Number(value)));
  if (typeof value === 'number' && !Number.isInteger(value)) return false;
  if (format === 'int32') return value >= -int32Max - 1 && value <= int32Max;
  // 2 ** 63 itself does not fit, and is what larger numbers round to.
  return typeof value === 'bigint' ? value <= int64Max && value >= -int64Max - 1n : Math.abs(value) < 2 ** 63;
}
