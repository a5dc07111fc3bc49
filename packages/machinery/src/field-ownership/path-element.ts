// One step of a field path, in the text form that managed fields store it in: `f:<field name>`,
// `k:{"name":"x"}` (list item by keys), `v:"x"` (set item by value), `i:0` (list item by index).
// The text is canonical (keys sorted, Go's JSON escapes), so equal steps are equal strings and can be map keys.
// Follows structured-merge-diff's serialised path elements.

import type { Json } from '../schema/schema.ts';
import { compareBytewise, goJson, goJsonString, goQuote } from '../values/go-strings.ts';

/** A key of a list item: field names (sorted) and values. */
export type KeyFields = readonly (readonly [name: string, value: Json])[];

export function keyElement(fields: KeyFields): string {
  let text = 'k:{';
  for (const [index, [name, value]] of fields.entries()) {
    if (index > 0) text += ',';
    text += `${goJsonString(name)}:${goJson(value)}`;
  }
  return `${text}}`;
}

export function valueElement(value: Json): string {
  return `v:${goJson(value)}`;
}

// Parsing a key or value element costs a JSON.parse; the same few texts come again with every write.
const canonicalTexts = new Map<string, string>();
const canonicalTextsMax = 10_000;

/**
 * Reads an element as a client or an older server wrote it and returns its canonical text,
 * or undefined for a kind of element this version does not know (such entries are skipped).
 *
 * @throws SyntaxError when the text is malformed
 */
export function canonicalElement(text: string): string | undefined {
  if (text.startsWith('f:')) return text;
  const known = canonicalTexts.get(text);
  if (known !== undefined) return known;
  const canonical = parseElement(text);
  if (canonical === undefined) return undefined;
  if (canonicalTexts.size >= canonicalTextsMax) canonicalTexts.clear();
  canonicalTexts.set(text, canonical);
  return canonical;
}

function parseElement(text: string): string | undefined {
  if (text.length < 2) throw new SyntaxError('key must be 2 characters long:');
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`);
  const body = text.slice(2);
  switch (text[0]) {
    case 'k':
      return keyElement(keyFields(text));
    case 'v':
      return valueElement(JSON.parse(body) as Json);
    case 'i':
      if (!/^[+-]?\d+$/.test(body)) throw new SyntaxError(`strconv.Atoi: parsing ${goQuote(body)}: invalid syntax`);
      return `i:${Number(body)}`;
    default:
      return undefined;
  }
}

// Sorting compares keys again and again.
const parsedKeys = new Map<string, KeyFields>();

function keyFields(element: string): KeyFields {
  let fields = parsedKeys.get(element);
  if (fields === undefined) {
    const parsed = JSON.parse(element.slice(2)) as { readonly [name: string]: Json } | null;
    fields = Object.entries(parsed ?? {}).sort(([a], [b]) => compareBytewise(a, b));
    if (parsedKeys.size >= canonicalTextsMax) parsedKeys.clear();
    parsedKeys.set(element, fields);
  }
  return fields;
}

const kindOrder: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** The order of elements in FieldsV1: fields by name, then keys, then values, then indexes. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0;
  const kindA = a.charAt(0);
  const kindB = b.charAt(0);
  if (kindA !== kindB) return (kindOrder[kindA] ?? 4) - (kindOrder[kindB] ?? 4);
  switch (kindA) {
    case 'k':
      return compareKeys(keyFields(a), keyFields(b));
    case 'v':
      return compareValues(JSON.parse(a.slice(2)) as Json, JSON.parse(b.slice(2)) as Json);
    case 'i':
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return compareBytewise(a, b);
  }
}

function compareKeys(a: KeyFields, b: KeyFields): number {
  for (let i = 0; ; i++) {
    const x = a[i];
    const y = b[i];
    if (x === undefined) return y === undefined ? 0 : -1;
    if (y === undefined) return 1;
    const order = compareBytewise(x[0], y[0]) || compareValues(x[1], y[1]);
    if (order !== 0) return order;
  }
}

// Numbers before strings before booleans before lists before maps before null.
function compareValues(a: Json, b: Json): number {
  const rankA = valueRank(a);
  const rankB = valueRank(b);
  if (rankA !== rankB) return rankA - rankB;
  if (typeof a === 'string' && typeof b === 'string') return compareBytewise(a, b);
  if (a === null || b === null) return 0;
  if (typeof a === 'object' || typeof b === 'object') return compareBytewise(goJson(a), goJson(b));
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function valueRank(value: Json): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    default:
      return value === null ? 5 : Array.isArray(value) ? 3 : 4;
  }
}

/** How messages show a step: `.spec`, `[name="x"]`, `[="x"]`, `[0]`. */
export function printElement(element: string): string {
  switch (element.charAt(0)) {
    case 'f':
      return `.${element.slice(2)}`;
    case 'k':
      return `[${keyFields(element)
        .map(([name, value]) => `${name}=${printValue(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${printValue(JSON.parse(element.slice(2)) as Json)}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}

function printValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(printValue).join(',')}]`;
  return Object.entries(value as { readonly [key: string]: Json })
    .map(([key, below]) => `${key}=${printValue(below)}`)
    .join('');
}

/** How messages show a path: `.spec.containers[name="main"].image`. */
export function printPath(path: readonly string[]): string {
  return path.map(printElement).join('');
}
