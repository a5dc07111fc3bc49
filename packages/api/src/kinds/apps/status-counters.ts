// Counters in the status of workloads: none is negative, and the count of name collisions never goes back, or the
// controller would try names again that are taken.

import { type FieldError, type FieldPath, invalid } from '@homeostat/machinery';
import { validateNonnegative } from '../rules/values.ts';

/** The named counters, in the order given. */
export function validateCounters(
  status: object,
  names: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const counters = status as Readonly<Record<string, unknown>>;
  for (const name of names) {
    const value = counters[name];
    if (typeof value === 'number') validateNonnegative(value, path.child(name), errors);
  }
}

export function validateCollisionCount(
  count: number | undefined,
  old: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (old !== undefined && (count === undefined || count < old))
    errors.push(invalid(path, count ?? 0, 'cannot be decremented'));
}
