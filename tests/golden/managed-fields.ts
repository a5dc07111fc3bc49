// managedFields are ordered by their second, so their order depends on when a second ended. The answer's must be right
// for its own times; then both sides are compared in an order without times.

import { isObject } from './json-values.ts';

export interface OrderedManagedFields {
  /** The answer's entries are not in the order of their own times. */
  readonly problem: { readonly wanted: string; readonly found: readonly string[] } | undefined;
  /** Expected and actual entries that belong together. */
  readonly pairs: readonly (readonly [unknown, unknown])[];
}

const fields = ['operation', 'time', 'manager', 'apiVersion', 'subresource'];

export function orderManagedFields(expected: readonly unknown[], actual: readonly unknown[]): OrderedManagedFields {
  const inOrder = sortBy(actual, fields);
  if (inOrder.some((entry, index) => entry !== actual[index])) {
    const wanted = `ordered by ${fields.join(', ')}`;
    return { problem: { wanted, found: actual.map((entry) => sortKey(entry, fields).join(' ')) }, pairs: [] };
  }
  const withoutTime = fields.filter((field) => field !== 'time');
  const theirs = sortBy(actual, withoutTime);
  const pairs = sortBy(expected, withoutTime).map((entry, index) => [entry, theirs[index]] as const);
  return { problem: undefined, pairs };
}

function sortBy(entries: readonly unknown[], by: readonly string[]): unknown[] {
  return entries.toSorted((a, b) => {
    const left = sortKey(a, by);
    const right = sortKey(b, by);
    const index = left.findIndex((part, at) => part !== right[at]);
    if (index < 0) return 0;
    return (left[index] ?? '') < (right[index] ?? '') ? -1 : 1;
  });
}

function sortKey(entry: unknown, by: readonly string[]): string[] {
  return by.map((field) => {
    const value = isObject(entry) ? entry[field] : undefined;
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
