// How Go reads query parameters into typed options (spec/apiserver.md §1.5): the first value of a name counts, booleans
// are generous, integers are not.

import { newBadRequest } from '@homeostat/machinery';

/** Undefined when absent; true for everything but `false` and `0`, also for an empty value. */
export function queryBool(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return !(value.toLowerCase() === 'false' || value === '0');
}

/** @throws ApiError 400 with Go's text */
export function queryInt(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return parseGoInt(value);
}

function parseGoInt(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > 9_223_372_036_854_775_807n || value < -9_223_372_036_854_775_808n) {
    throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

export function queryList(query: URLSearchParams, name: string): readonly string[] | undefined {
  const values = query.getAll(name);
  return values.length === 0 ? undefined : values;
}
