// Numbers that may be percentages: maxUnavailable, maxSurge, minAvailable. Scaling them is the business of machinery;
// here only what an object may say.

import { type FieldError, type FieldPath, invalid, isPercent } from '@homeostat/machinery';
import { negativeText } from './values.ts';

/** A number that is not negative, or a percentage. Absent is 0, as upstream's zero value. */
export function validateIntOrPercent(value: number | string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (typeof value === 'string') {
    for (const text of isPercent(value)) errors.push(invalid(path, value, text));
  } else if (value !== undefined && value < 0) errors.push(invalid(path, value, negativeText));
}

export function validateAtMost100Percent(
  value: number | string | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const percent = percentOf(value);
  if (percent !== undefined && percent > 100) errors.push(invalid(path, value, 'must not be greater than 100%'));
}

/** The number before the `%`, or the number itself; texts that are neither count as 0. */
export function intOrPercentNumber(value: number | string | undefined): number {
  if (typeof value === 'number') return value;
  const number = Number(value);
  return percentOf(value) ?? (Number.isInteger(number) ? number : 0);
}

function percentOf(value: number | string | undefined): number | undefined {
  return typeof value === 'string' && isPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
}
