// Small questions about field values that validations of all kinds ask: sorted keys, signs, sets of supported words.
// Not here: names (names.ts), quantities (quantities.ts), addresses (addresses.ts).

import { type FieldError, type FieldPath, invalid, notSupported } from '@homeostat/machinery';

export const immutableText = 'field is immutable';
export const negativeText = 'must be greater than or equal to 0';
export const notPositiveText = 'must be greater than zero';
export const int32Max = 2_147_483_647;

/** Keys in a fixed order. Upstream ranges over Go maps, whose order is random; here errors come sorted by key. */
export function sortedKeys(map: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  return map === undefined ? [] : Object.keys(map).toSorted();
}

export function hasKey(map: Readonly<Record<string, unknown>> | undefined, key: string): boolean {
  return map !== undefined && Object.hasOwn(map, key);
}

/** The value of a key that a client chose: what objects inherit (`constructor`) is none. */
export function own<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

export function validateNonnegative(value: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, negativeText));
}

export function validatePositive(value: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if ((value ?? 0) <= 0) errors.push(invalid(path, value ?? 0, notPositiveText));
}

/** One of `supported`, which upstream prints sorted when it keeps them in a set. */
export function validateSupported(
  value: string,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!supported.includes(value)) errors.push(notSupported(path, value, supported));
}

/** Appends one Invalid per message. */
export function pushInvalid(texts: readonly string[], value: unknown, path: FieldPath, errors: FieldError[]): void {
  for (const text of texts) errors.push(invalid(path, value, text));
}

/** An Invalid that shows no value, because the message is about a whole object. */
export function invalidWithoutValue(path: FieldPath, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: String(path), body: `Invalid value: ${detail}` };
}
