// Bounds of numbers. Integers are compared as int64, and bounds are cut to whole numbers for it, as upstream does.

import { goFloat } from '../values/go-format.ts';
import { isJsonInteger, typeOf } from './check-type.ts';
import type { Findings } from './findings.ts';
import type { StructuralSchema } from './structural-schema.ts';

const int32Max = 2 ** 31 - 1;
const int64Max = 2n ** 63n - 1n;

export function checkNumber(value: number | bigint, schema: StructuralSchema, findings: Findings): void {
  findings.checks++;
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  checkRange(value, 'Checked value', schema, findings);
  if (multipleOf !== undefined) checkMultiple(value, multipleOf, schema, findings);
  if (minimum !== undefined) {
    const bound = boundFor(value, minimum, 'Minimum boundary value', schema, findings);
    if (exclusiveMinimum ? value <= bound : value < bound) {
      const words = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
      findings.invalid(value, `should be ${words} ${goFloat(bound)}`);
    }
  }
  if (maximum !== undefined) {
    const bound = boundFor(value, maximum, 'Maximum boundary value', schema, findings);
    if (exclusiveMaximum ? value >= bound : value > bound) {
      const words = exclusiveMaximum ? 'less than' : 'less than or equal to';
      findings.invalid(value, `should be ${words} ${goFloat(bound)}`);
    }
  }
}

/** A bound as the value is compared with it; one that the type can't hold is an error, and compared as it is. */
function boundFor(
  value: number | bigint,
  bound: number,
  what: string,
  schema: StructuralSchema,
  findings: Findings,
): number {
  return checkRange(bound, what, schema, findings) && typeOf(value) === 'integer' ? Math.trunc(bound) : bound;
}

function checkMultiple(value: number | bigint, factor: number, schema: StructuralSchema, findings: Findings): void {
  const fits = checkRange(factor, 'MultipleOf value', schema, findings);
  if (factor < 0) {
    findings.negativeFactor(factor);
    return;
  }
  const whole = Math.trunc(factor);
  // Upstream divides by the whole part, and by zero where there is none.
  const asIntegers = fits && typeOf(value) === 'integer' && whole > 0;
  const isMultiple = asIntegers ? BigInt(value) % BigInt(whole) === 0n : isFloatMultiple(Number(value), factor);
  if (!isMultiple) findings.invalid(value, `should be a multiple of ${goFloat(asIntegers ? whole : factor)}`);
}

function isFloatMultiple(value: number, factor: number): boolean {
  return isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** Whether the schema's type can hold a number; adds an error when not. */
function checkRange(value: number | bigint, what: string, schema: StructuralSchema, findings: Findings): boolean {
  const { type } = schema;
  const format = schema.checkedFormat?.name;
  if (fitsType(value, schema.types.length > 1 ? '' : type, format)) return true;
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
