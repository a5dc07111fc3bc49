// Taking fields out of an object: what a manager no longer applies and nobody else owns.

import type { Json } from '../schema/schema.ts';
import type { FieldSet } from './field-set.ts';
import { asList, asMap, setOwn } from '../values/json-shapes.ts';
import { atomKind, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElement } from './item-element.ts';

/** The object without the fields of the set; the maps and lists they were in stay, if only as empty ones. */
export function removeFields(type: FieldType, value: Json, fields: FieldSet): Json {
  return fields.isEmpty ? value : removeBelow(type, value, fields);
}

function removeBelow(type: FieldType, value: Json, fields: FieldSet): Json {
  switch (atomKind(type, value)) {
    case 'scalar':
      return value;
    case 'map':
      return type.map === undefined ? value : removeFromMap(type.map, value, fields);
    case 'list':
      return type.list === undefined ? value : removeFromList(type.list, value, fields);
  }
}

function removeFromMap(type: MapType, value: Json, fields: FieldSet): Json {
  const map = asMap(value);
  if (map === undefined || type.atomic) return value;
  let out: { [key: string]: Json } | undefined;
  for (const [element, node] of fields.nodes()) {
    if (!element.startsWith('f:')) continue;
    const key = element.slice(2);
    if (!Object.hasOwn(map, key)) continue;
    const old = map[key] ?? null;
    const fieldType = type.typeOf(key);
    if (node.member) {
      out ??= { ...map };
      delete out[key];
    } else if (node.children !== undefined && fieldType !== undefined) {
      const left = removeBelow(fieldType, old, node.children);
      if (left === old) continue;
      out ??= { ...map };
      setOwn(out, key, left);
    }
  }
  return out ?? value;
}

function removeFromList(type: ListType, value: Json, fields: FieldSet): Json {
  const list = asList(value);
  if (list === undefined || type.atomic) return value;
  let changed = false;
  const out: Json[] = [];
  for (const item of list) {
    const node = fields.get(itemElement(type, item));
    if (node?.member === true) {
      changed = true;
      continue;
    }
    const left = node?.children === undefined ? item : removeBelow(type.items, item, node.children);
    changed ||= left !== item;
    out.push(left);
  }
  return changed ? out : value;
}
