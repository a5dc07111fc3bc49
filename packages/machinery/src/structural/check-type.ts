// The type of a value against the types and the format of its schema. Odd but upstream's: a format of strings is all that is
// asked of strings and lists, and a number that does not fit is reported by its format.

import type { Json } from '../schema/schema.ts';
import type { Findings } from './findings.ts';
import type { StructuralSchema } from './structural-schema.ts';

const epsilon = 1e-9;

export function checkType(value: Json, schema: StructuralSchema, findings: Findings): void {
  const { types } = schema;
  const format = schema.checkedFormat?.name;
  if (types.length === 0 && format === undefined) return;
  if (value === null) {
    if (types.length > 0 && !schema.nullable) findings.typeInvalid(types.join(','), 'null');
    else findings.checks++;
    return;
  }
  findings.checks++;
  const found = typeOf(value);
  if (types.includes(found)) {
    findings.checks++;
    return;
  }
  if (found === 'integer' && types.includes('number')) {
    findings.checks++;
    return;
  }
  if (found === 'number' && types.includes('integer') && isJsonInteger(value as number)) {
    findings.checks++;
    return;
  }
  const isText = found === 'string' || found === 'array';
  if (format !== undefined) {
    if (!isText) {
      findings.typeInvalid(format, found === 'integer' ? 'int64' : found === 'number' ? 'float64' : '');
      return;
    }
    if (!types.includes('number') && !types.includes('integer')) {
      findings.checks++;
      return;
    }
  }
  findings.typeInvalid(types.join(','), found);
}

/** The JSON type of a value: numbers that fit int64 and have no fraction are integers. */
export function typeOf(value: Json): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return typeof value;
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    default:
      return Array.isArray(value) ? 'array' : 'object';
  }
}

/** Whether a float is a whole number, almost exactly, that JSON can hold exactly. */
export function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  const difference = Math.abs(value - whole);
  if (difference === 0) return true;
  if (whole === 0) return false;
  return difference / (Math.abs(value) + Math.abs(whole)) < epsilon;
}
