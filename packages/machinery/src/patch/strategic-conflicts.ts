// Whether two strategic merge patches, made independently, want different things.

import type { Json, Schema } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { asList, asMap, getOwn, type JsonMap } from '../values/json-shapes.ts';
import { directiveKey, retainKeysKey } from './directives.ts';
import { elementKind, keyedItem } from './list-order.ts';
import { lookUpList, lookUpMap, type PatchField } from './patch-schema.ts';

/** Whether the patches conflict. @throws PatchError when a list can't be understood */
export function havePatchConflicts(left: JsonMap, right: JsonMap, schema: Schema): boolean {
  if (getOwn(left, directiveKey) !== getOwn(right, directiveKey)) return true;
  for (const [key, value] of Object.entries(left)) {
    const other = getOwn(right, key);
    if (other === undefined || key === directiveKey || key === retainKeysKey) continue;
    if (valuesConflict(value, other, key, schema)) return true;
  }
  return false;
}

function valuesConflict(left: Json, right: Json, key: string, schema: Schema): boolean {
  const leftMap = asMap(left);
  const rightMap = asMap(right);
  if (leftMap !== undefined && rightMap !== undefined) {
    const field = lookUpMap(schema, key);
    if (getOwn(leftMap, directiveKey) !== getOwn(rightMap, directiveKey)) return true;
    return field.strategy !== 'replace' && havePatchConflicts(leftMap, rightMap, field.schema);
  }
  const leftList = asList(left);
  const rightList = asList(right);
  if (leftList !== undefined && rightList !== undefined)
    return listsConflict(leftList, rightList, lookUpList(schema, key));
  return !deepEqual(left, right);
}

function listsConflict(left: readonly Json[], right: readonly Json[], field: PatchField): boolean {
  const kind = elementKind(left, right);
  if (field.strategy !== 'merge') return !deepEqual(left, right);
  if (kind === 'scalar') return false;
  const byKey = new Map(right.map((item) => [keyedItem(item, field.mergeKey).key, item]));
  return left.some((item) => {
    const { map, key } = keyedItem(item, field.mergeKey);
    const other = asMap(byKey.get(key));
    return other !== undefined && havePatchConflicts(map, other, field.schema);
  });
}
