// The path element of a list item: by its keys in lists of type map, by its value in sets.

import type { Json } from '../schema/schema.ts';
import { goJson, goJsonString, goQuote } from '../values/go-strings.ts';
import { asMap } from '../values/json-shapes.ts';
import { type ListType } from './field-type.ts';

/** A value that does not fit its type so badly that ownership can't be told; the message is upstream's. */
export class FieldTypeError extends Error {
  override readonly name = 'FieldTypeError';
}

/** The element of an item of an associative list. @throws FieldTypeError when the item can't be identified */
export function itemElement(list: ListType, item: Json): string {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ListType, item: Json): string {
  const map = asMap(item);
  if (map === undefined) {
    const what = item === null ? 'a null element' : 'non-map elements';
    throw new FieldTypeError(`associative list with keys may not have ${what}`);
  }
  let text = '';
  for (const name of list.keys) {
    const own = map[name];
    const value = own === undefined ? list.keyDefault(name) : own;
    if (value === undefined) continue;
    const json = typeof value === 'string' ? goJsonString(value) : goJson(value);
    text += text === '' ? `"${name}":${json}` : `,"${name}":${json}`;
  }
  if (text === '') {
    const keys = list.declaredKeys.map(goQuote).join(' ');
    throw new FieldTypeError(
      `associative list with keys has an element that omits all key fields [${keys}] ` +
        `(and doesn't have default values for any key fields)`,
    );
  }
  return `k:{${text}}`;
}

function setElement(item: Json): string {
  if (typeof item !== 'object') return `v:${goJson(item)}`;
  if (item === null) throw new FieldTypeError("associative list without keys has an element that's an explicit null");
  throw new FieldTypeError(
    Array.isArray(item)
      ? 'not supported: associative list with lists as elements'
      : "associative list without keys has an element that's a map type",
  );
}
