// Strategic merge patch, driven by the schema IR: lists merge by key, directives delete, replace, order and retain.
// Follows spec/apiserver.md §7.4. Not for custom resources, which have no merge keys (the API server answers 415).

import type { Json, Schema, StructSchema } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { goPlain } from '../values/go-format.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { asList, asMap, getOwn, type JsonMap, setOwn } from '../values/json-shapes.ts';
import {
  deleteDirective,
  deleteFromPrimitiveListPrefix,
  directiveKey,
  mergeDirective,
  replaceDirective,
  retainKeysKey,
  setElementOrderPrefix,
} from './directives.ts';
import { badType, elementKind, findByKey, keyedItem, noMergeKey, orderItems, withoutDuplicates } from './list-order.ts';
import { PatchError } from './patch-error.ts';
import { lookUpList, lookUpMap, type PatchField } from './patch-schema.ts';

/**
 * Applies a strategic merge patch; neither argument is changed, unchanged subtrees are shared.
 *
 * @throws PatchError malformed, inapplicable or unexpected, with upstream's text
 */
export function applyStrategicMergePatch(original: JsonMap, patch: JsonMap, schema: StructSchema): JsonMap {
  return mergeMap(original, patch, schema, { forObject: true });
}

/** Merges one strategic merge patch into another, keeping directives. @throws PatchError */
export function mergeStrategicPatches(first: JsonMap, second: JsonMap, schema: Schema): JsonMap {
  return mergeMap(first, second, schema, { forObject: false });
}

interface MergeOptions {
  /** Whether the result is an object (directives are obeyed and vanish) or again a patch (they are kept). */
  readonly forObject: boolean;
}

type MutableMap = { [key: string]: Json };

function mergeMap(originalMap: JsonMap, patchMap: JsonMap, schema: Schema, options: MergeOptions): JsonMap {
  const directive = getOwn(patchMap, directiveKey);
  if (directive !== undefined) return obeyDirective(directive, patchMap);
  const original: MutableMap = { ...originalMap };
  const patch: MutableMap = { ...patchMap };
  retainKeys(original, patch, options);
  applyElementOrders(original, patch, schema, options);
  for (const key of Object.keys(patch).sort(compareBytewise)) {
    if (patch[key] !== undefined) mergeKey(original, key, patch[key], schema, options);
  }
  return original;
}

function obeyDirective(directive: Json, patch: JsonMap): JsonMap {
  if (directive === deleteDirective) return {};
  if (directive !== replaceDirective) throw badPatchType(directive, patch);
  const { [directiveKey]: _, ...rest } = patch;
  return rest;
}

function badPatchType(directive: Json, patch: JsonMap): PatchError {
  const shown = typeof directive === 'string' ? directive : `%!s(${goFormatted(directive)})`;
  return new PatchError('unexpected', `unknown patch type: ${shown} in map: ${goPlain(patch)}`);
}

function goFormatted(value: Json): string {
  if (value === null) return '<nil>';
  if (typeof value === 'boolean') return `bool=${value}`;
  if (typeof value === 'number') return `${Number.isInteger(value) ? 'int64' : 'float64'}=${value}`;
  return goPlain(value);
}

function mergeKey(
  original: MutableMap,
  patchKey: string,
  patchValue: Json,
  schema: Schema,
  options: MergeOptions,
): void {
  const isDeletion = patchKey.startsWith(deleteFromPrimitiveListPrefix);
  if (isDeletion && !options.forObject) {
    setOwn(original, patchKey, patchValue);
    return;
  }
  const key = isDeletion ? fieldNameOf(patchKey, deleteFromPrimitiveListPrefix) : patchKey;
  if (patchValue === null) {
    delete original[key];
    if (options.forObject) return;
  }
  const current = getOwn(original, key);
  if (current === undefined || !isSameShape(current, patchValue)) {
    if (!isDeletion) putNew(original, key, patchValue, options);
    return;
  }
  const merged = mergeValues(current, patchValue, key, { schema, isDeletion }, options);
  if (merged === undefined) putNew(original, key, patchValue, options);
  else setOwn(original, key, merged);
}

function isSameShape(a: Json, b: Json): boolean {
  return asMap(a) !== undefined
    ? asMap(b) !== undefined
    : asList(a) !== undefined
      ? asList(b) !== undefined
      : isScalar(b);
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null;
}

/** Merges maps and lists; undefined for scalars, which are replaced. */
function mergeValues(
  current: Json,
  patch: Json,
  key: string,
  { schema, isDeletion }: { readonly schema: Schema; readonly isDeletion: boolean },
  options: MergeOptions,
): Json | undefined {
  const currentMap = asMap(current);
  const patchMap = asMap(patch);
  if (currentMap !== undefined && patchMap !== undefined) {
    const field = lookUpMap(schema, key);
    return field.strategy === 'replace' ? patchMap : mergeMap(currentMap, patchMap, field.schema, options);
  }
  const currentList = asList(current);
  const patchList = asList(patch);
  if (currentList === undefined || patchList === undefined) return undefined;
  return mergeListField(currentList, patchList, lookUpList(schema, key), isDeletion, options);
}

function putNew(original: MutableMap, key: string, value: Json, options: MergeOptions): void {
  const kept = withoutDirectives(options.forObject ? withoutNulls(value) : value);
  if (kept === undefined) delete original[key];
  else setOwn(original, key, kept);
}

// Nulls in what is new have nothing to delete.
function withoutNulls(value: Json): Json {
  const list = asList(value);
  if (list !== undefined) return list.map(withoutNulls);
  const map = asMap(value);
  if (map === undefined) return value;
  const out: MutableMap = {};
  for (const [key, below] of Object.entries(map)) if (below !== null) setOwn(out, key, withoutNulls(below));
  return out;
}

// A directive on something that is not there takes it out of the patch; undefined when that is the value itself.
function withoutDirectives(value: Json): Json | undefined {
  const list = asList(value);
  if (list !== undefined) {
    return list.map(withoutDirectives).filter((item): item is Json => item !== undefined);
  }
  const map = asMap(value);
  if (map === undefined) return value;
  if (Object.hasOwn(map, directiveKey)) return undefined;
  const out: MutableMap = {};
  for (const [key, below] of Object.entries(map)) {
    const kept = withoutDirectives(below);
    if (kept !== undefined) setOwn(out, key, kept);
  }
  return out;
}

function retainKeys(original: MutableMap, patch: MutableMap, options: MergeOptions): void {
  const retained = getOwn(patch, retainKeysKey);
  if (retained === undefined) return;
  delete patch[retainKeysKey];
  if (!options.forObject) {
    const old = getOwn(original, retainKeysKey);
    if (old !== undefined && !deepEqual(old, retained)) {
      throw new PatchError(
        'unexpected',
        `${goPlain(old)} and ${goPlain(retained)} are not deep equal: this may happen when calculating the 3-way diff patch`,
      );
    }
    original[retainKeysKey] = retained;
    return;
  }
  const malformed = new PatchError('malformed', 'invalid patch format of retainKeys');
  const list = asList(retained);
  if (list === undefined) throw malformed;
  const names = new Set(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || isParallelList(key)) continue;
    if (!names.has(key)) throw malformed;
  }
  for (const key of Object.keys(original)) if (!names.has(key)) delete original[key];
}

function isParallelList(key: string): boolean {
  return key.startsWith(deleteFromPrimitiveListPrefix) || key.startsWith(setElementOrderPrefix);
}

// `$setElementOrder/<field>`: merges the field (if the patch has it) and orders the result; both keys are done with then.
function applyElementOrders(original: MutableMap, patch: MutableMap, schema: Schema, options: MergeOptions): void {
  for (const orderKey of Object.keys(patch)) {
    const orderValue = patch[orderKey];
    if (!orderKey.startsWith(setElementOrderPrefix) || orderValue === undefined) continue;
    if (!options.forObject) keepElementOrder(original, orderKey, orderValue);
    delete patch[orderKey];
    const order = listOrThrow(orderValue);
    const key = fieldNameOf(orderKey, setElementOrderPrefix);
    const current = optionalList(getOwn(original, key));
    const patched = optionalList(getOwn(patch, key));
    const field = lookUpList(schema, key);
    assertOrderAgrees(patched ?? [], order, field.mergeKey);
    const merged = mergeForOrder(current, patched, field, options);
    if (merged === undefined) continue;
    const maps = elementKind(current ?? [], patched ?? []) === 'map';
    const identity = { maps, mergeKey: field.mergeKey };
    original[key] = orderItems(merged, { patchOrder: order, serverOrder: current ?? [], identity });
    delete patch[key];
  }
}

function keepElementOrder(original: MutableMap, orderKey: string, order: Json): void {
  const old = getOwn(original, orderKey);
  if (old !== undefined && !deepEqual(old, order)) throw badElementOrder();
  original[orderKey] = order;
}

function mergeForOrder(
  current: readonly Json[] | undefined,
  patched: readonly Json[] | undefined,
  field: PatchField,
  options: MergeOptions,
): readonly Json[] | undefined {
  if (patched === undefined) return current;
  if (current === undefined) return asList(withoutDirectives(patched));
  return mergeListField(current, patched, field, false, options);
}

function listOrThrow(value: Json): readonly Json[] {
  const list = asList(value);
  if (list === undefined) throw badType('[]interface {}', value);
  return list;
}

function optionalList(value: Json | undefined): readonly Json[] | undefined {
  return value === undefined ? undefined : listOrThrow(value);
}

function badElementOrder(): PatchError {
  return new PatchError('malformed', 'invalid patch format of setElementOrder list');
}

// The items of the patch must come in the order that the patch demands.
function assertOrderAgrees(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey === '' ? patch : patch.filter((item) => directiveOf(item) !== deleteDirective);
  let index = 0;
  for (const wanted of order) {
    while (index < items.length && directiveOf(items[index] ?? null) !== undefined) index++;
    if (index >= items.length) return;
    if (isSameItem(items[index] ?? null, wanted, mergeKey)) index++;
  }
  if (index < items.length) {
    throw new PatchError(
      'unexpected',
      `The order in patch list:\n${goPlain(patch)}\n doesn't match $setElementOrder list:\n${goPlain(order)}\n`,
    );
  }
}

function directiveOf(item: Json): Json | undefined {
  const map = asMap(item);
  return map === undefined ? undefined : getOwn(map, directiveKey);
}

function isSameItem(a: Json, b: Json, mergeKey: string): boolean {
  return mergeKey === '' ? a === b : keyedItem(a, mergeKey).key === keyedItem(b, mergeKey).key;
}

function fieldNameOf(key: string, prefix: string): string {
  const slash = key.indexOf('/');
  if (slash >= 0 && key.slice(0, slash) === prefix) return key.slice(slash + 1);
  throw prefix === setElementOrderPrefix
    ? badElementOrder()
    : new PatchError('malformed', 'invalid patch format of primitive list');
}

function mergeListField(
  current: readonly Json[],
  patch: readonly Json[],
  field: PatchField,
  isDeletion: boolean,
  options: MergeOptions,
): readonly Json[] {
  if (field.strategy !== 'merge' && !isDeletion) return patch;
  if (current.length === 0 && patch.length === 0) return current;
  const { mergeKey: key, schema } = field;
  if (elementKind(current, patch) === 'scalar') {
    if (isDeletion) return deleteScalars(current, patch);
    const merged = withoutDuplicates([...current, ...patch]);
    return orderItems(merged, { patchOrder: patch, serverOrder: current, identity: { maps: false, mergeKey: key } });
  }
  if (key === '') throw new PatchError('unexpected', 'cannot merge lists without merge key for struct');
  const { kept, items } = obeyItemDirectives(current, patch, key);
  const merged = mergeItems(kept, items, key, schema, options);
  return orderItems(merged, { patchOrder: items, serverOrder: kept, identity: { maps: true, mergeKey: key } });
}

function deleteScalars(current: readonly Json[], deleted: readonly Json[]): readonly Json[] {
  const gone = new Set(deleted);
  return current.filter((item) => !gone.has(item));
}

// `$patch: delete` takes matching items out; `$patch: replace` on any item makes the other items the whole list.
function obeyItemDirectives(
  current: readonly Json[],
  patch: readonly Json[],
  mergeKeyName: string,
): { readonly kept: readonly Json[]; readonly items: readonly Json[] } {
  let kept = current;
  let replace = false;
  const items: Json[] = [];
  for (const item of patch) {
    const map = asMap(item) ?? {};
    const directive = getOwn(map, directiveKey);
    if (directive === undefined) {
      items.push(item);
    } else if (directive === deleteDirective) {
      const key = getOwn(map, mergeKeyName);
      if (key === undefined) throw noMergeKey(map, mergeKeyName);
      while (findByKey(kept, mergeKeyName, key) >= 0) {
        kept = kept.toSpliced(findByKey(kept, mergeKeyName, key), 1);
      }
    } else if (directive === replaceDirective) {
      replace = true;
    } else if (directive === mergeDirective) {
      throw new PatchError('unexpected', 'merging lists cannot yet be specified in the patch');
    } else {
      throw badPatchType(directive, map);
    }
  }
  return replace ? { kept: items, items: [] } : { kept, items };
}

function mergeItems(
  current: readonly Json[],
  patch: readonly Json[],
  mergeKeyName: string,
  schema: Schema,
  options: MergeOptions,
): readonly Json[] {
  const merged = [...current];
  for (const item of patch) {
    const { map, key } = keyedItem(item, mergeKeyName);
    const index = findByKey(merged, mergeKeyName, key);
    const old = asMap(merged[index]);
    if (old === undefined) merged.push(item);
    else merged[index] = mergeMap(old, map, schema, options);
  }
  return merged;
}
