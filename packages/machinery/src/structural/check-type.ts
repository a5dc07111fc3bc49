// The type of a value against the types and the format of its schema. Odd but upstream's: a format of strings is all that is
// asked of strings and lists, and a number that does not fit is reported by its format.

import type { Json } from '../schema/schema.ts';
import type { Findings } from './findings.ts';
import type { StructuralSchema } from './structural-schema.ts';

const epsilon = 1e-9;

/** Adds an error, or counts the check as passed. */
export function checkType(value: Json, schema: StructuralSchema, findings: Findings): void {
  const failure = typeFailure(value, schema);
  if (failure === undefined) findings.checks++;
  else findings.typeInvalid(failure.wanted, failure.found);
}

interface TypeFailure {
  readonly wanted: string;
  readonly found: string;
}

function typeFailure(value: Json, schema: StructuralSchema): TypeFailure | undefined {
  const { types } = schema;
  const found = typeOf(value);
  if (value === null) {
    const isAllowed = types.length === 0 || schema.nullable || types.includes(found);
    return isAllowed ? undefined : { wanted: types.join(','), found };
  }
  if (types.includes(found)) return undefined;
  if (found === 'integer' && types.includes('number')) return undefined;
  if (found === 'number' && types.includes('integer') && isJsonInteger(value as number)) return undefined;
  const format = schema.checkedFormat?.name;
  if (format !== undefined) {
    if (found !== 'string' && found !== 'array') {
      const goFormat = found === 'integer' ? 'int64' : found === 'number' ? 'float64' : '';
      return goFormat === format ? undefined : { wanted: format, found: goFormat };
    }
    if (!types.includes('number') && !types.includes('integer')) return undefined;
  }
  return { wanted: types.join(','), found };
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
