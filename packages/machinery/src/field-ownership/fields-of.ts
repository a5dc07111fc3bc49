// The fields an object speaks of, as a set: what an applied configuration claims, and what an object consists of.
// Unlike a comparison it names leaves and list items only, not the structs on the way to them.

import type { Json } from '../schema/schema.ts';
import { FieldSet, leafNode } from './field-set.ts';
import { asList, asMap, type JsonMap } from '../values/json-shapes.ts';
import { atomKind, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElement } from './item-element.ts';

/** The set of fields in `value`. @throws FieldTypeError when an item of an associative list can't be identified */
export function fieldsOf(type: FieldType, value: Json): FieldSet {
  const found = fieldsBelow(type, value);
  return found === 'leaf' || found === undefined ? new FieldSet() : found;
}

/** What lies below a value; `leaf` when the value itself is what is owned, undefined when there is nothing. */
function fieldsBelow(type: FieldType, value: Json): FieldSet | 'leaf' | undefined {
  switch (atomKind(type, value)) {
    case 'scalar':
      return 'leaf';
    case 'map':
      return type.map === undefined || type.map.atomic ? 'leaf' : mapFields(type.map, asMap(value));
    case 'list':
      return type.list === undefined || type.list.atomic ? 'leaf' : itemFields(type.list, asList(value));
  }
}

function mapFields(type: MapType, map: JsonMap | undefined): FieldSet | undefined {
  if (map === undefined) return undefined;
  const out = new FieldSet();
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    const entry = type.field(key);
    const fieldType = entry === undefined ? type.element : entry.type;
    if (fieldType === undefined) continue;
    const below = fieldsBelow(fieldType, value);
    const member = below === 'leaf' || entry === undefined || value === null || isEmptyObject(value);
    out.put(entry?.element ?? `f:${key}`, member, below === 'leaf' ? undefined : below);
  }
  return out;
}

function itemFields(type: ListType, items: readonly Json[] | undefined): FieldSet | undefined {
  if (items === undefined) return undefined;
  const out = new FieldSet();
  for (const item of items) {
    const element = itemElement(type, item);
    if (out.get(element) !== undefined) {
      // A duplicate: one opaque thing.
      out.putNode(element, leafNode);
      continue;
    }
    const below = fieldsBelow(type.items, item);
    out.put(element, true, below === 'leaf' ? undefined : below);
  }
  return out;
}

function isEmptyObject(value: Json): boolean {
  const map = asMap(value);
  if (map === undefined) return false;
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}
