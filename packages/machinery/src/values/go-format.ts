// Values as Go's fmt prints them (`%v`, `%#v`, `%T`): upstream shows them in the errors of patches and of server-side apply.

import type { Json } from '../schema/schema.ts';
import { compareBytewise, goQuote } from './go-strings.ts';
import { asList, asMap } from './json-shapes.ts';

/** `%v`: `map[a:1 b:[x y]]` */
export function goPlain(value: Json): string {
  if (value === null) return '<nil>';
  const list = asList(value);
  if (list !== undefined) return `[${list.map(goPlain).join(' ')}]`;
  const map = asMap(value);
  if (map !== undefined) return `map[${entriesOf(map, goPlain, ' ')}]`;
  return goScalar(value);
}

/** `%#v`: `map[string]interface {}{"a":1}` */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  const list = asList(value);
  if (list !== undefined) return `[]interface {}{${list.map(goSyntax).join(', ')}}`;
  const map = asMap(value);
  if (map !== undefined) return `map[string]interface {}{${entriesOf(map, goSyntax, ', ', goQuote)}}`;
  return goScalar(value);
}

/** `%T` of a decoded JSON value. */
export function goType(value: Json): string {
  if (value === null) return '<nil>';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  }
}

function goScalar(value: Json): string {
  if (typeof value === 'object') return '';
  return typeof value === 'number' ? goFloat(value) : String(value);
}

/** `%v` of a JSON number: what JavaScript holds exactly as an integer is an int64 in Go, the rest a float64. */
export function goFloat(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : goFloat64(value);
}

/** `%v` of a float64, even of a whole one: the exponent form below 1e-4 and from 1e6 on, with two digits at least. */
export function goFloat64(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

function entriesOf(
  map: { readonly [key: string]: Json },
  print: (value: Json) => string,
  separator: string,
  printKey: (key: string) => string = (key) => key,
): string {
  return Object.keys(map)
    .sort(compareBytewise)
    .map((key) => `${printKey(key)}:${print(map[key] ?? null)}`)
    .join(separator);
}
