// Which old item a list item had: by key in lists of type map, none in others (spec/apiserver.md §14.6).

import type { Json } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { goJson } from '../values/go-strings.ts';
import { asList, asMap, getOwn } from '../values/json-shapes.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The old item of an item; undefined when items of this list don't correlate. */
export function correlateItems(
  schema: StructuralSchema,
  old: Json | undefined,
): ((item: Json) => Json | undefined) | undefined {
  if (schema.listType !== 'map' || old === undefined) return undefined;
  const oldItems = asList(old);
  if (oldItems === undefined) return undefined;
  let byKey: Map<string, Json> | undefined;
  return (item) => {
    byKey ??= new Map(oldItems.map((oldItem) => [itemKey(oldItem, schema), oldItem]));
    return byKey.get(itemKey(item, schema));
  };
}

/** Whether a value is as it was; the order of a list of type map does not count. */
export function isUnchanged(value: Json, old: Json, schema: StructuralSchema): boolean {
  if (deepEqual(value, old)) return true;
  const list = asList(value);
  const oldList = asList(old);
  if (schema.listType !== 'map' || list === undefined || oldList === undefined) return false;
  if (list.length !== oldList.length) return false;
  const oldItemOf = correlateItems(schema, old);
  return list.every((item) => deepEqual(item, oldItemOf?.(item)));
}

/** What identifies an item of a list of type map, as text. */
export function itemKey(item: Json, { listMapKeys }: StructuralSchema): string {
  const map = asMap(item) ?? {};
  return listMapKeys.map((name) => goJson(getOwn(map, name) ?? null)).join(' ');
}
