// JSON inside strings: annotations and Secret data.

import { type Json, parseJson } from '@homeostat/machinery';

/** The value of a JSON text, or what Go's decoder says is wrong with it. */
export function readJsonText(text: string): { readonly value: Json } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return { problem: goProblem(text) };
  }
}

/** A JSON list of objects; a list member that is null counts as an empty object, as in Go. */
export function readJsonObjects<T extends object>(
  text: string,
  goType: string,
): { readonly value: readonly T[] } | { readonly problem: string } {
  const read = readJsonText(text);
  if ('problem' in read) return read;
  const list = read.value ?? [];
  if (!Array.isArray(list))
    return { problem: `json: cannot unmarshal ${jsonType(list)} into Go value of type []${goType}` };
  const items = (list as readonly Json[]).map((item) => item ?? {});
  const other = items.find((item) => jsonType(item) !== 'object');
  if (other !== undefined)
    return { problem: `json: cannot unmarshal ${jsonType(other)} into Go value of type ${goType}` };
  return { value: items as unknown as T[] };
}

/** What Go's decoder calls a JSON value. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function goProblem(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return 'unexpected end of JSON input';
}
