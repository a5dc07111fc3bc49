// Strategic merge patches from objects: what turns one into another (two-way), and what `kubectl apply` sends (three-way:
// additions and changes against the live object, deletions against what was applied last). One difference to upstream, which
// compares lists of scalars after sorting the old one in place: here a list that is only reordered is patched too.

import type { Json, Schema, StructSchema } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { goPlain } from '../values/go-format.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { asList, asMap, getOwn, type JsonMap, setOwn } from '../values/json-shapes.ts';
import {
  deleteDirective,
  deleteFromPrimitiveListPrefix,
  directiveKey,
  retainKeysKey,
  setElementOrderPrefix,
} from './directives.ts';
import { elementKind, keyedItem, sortItems, withoutDuplicates } from './list-order.ts';
import { PatchError } from './patch-error.ts';
import { lookUpList, lookUpMap, type PatchField } from './patch-schema.ts';
import { havePatchConflicts } from './strategic-conflicts.ts';
import { mergeStrategicPatches } from './strategic-merge-patch.ts';

/** The patch that turns `original` into `modified`. @throws PatchError for lists that strategic patches can't express */
export function createTwoWayMergePatch(original: JsonMap, modified: JsonMap, schema: StructSchema): JsonMap {
  return diffMaps(original, modified, schema, { additions: true, deletions: true, order: true, retainKeys: false });
}

export interface ThreeWayOptions {
  /** Whether the patch may override what others changed since `original`; default true, as in kubectl. */
  readonly overwrite?: boolean;
}

/**
 * The patch that brings `current` to `modified`, and deletes what was in `original` (what was applied last) and is not
 * in `modified`.
 *
 * @throws PatchError also for a conflict, unless `overwrite`
 */
export function createThreeWayMergePatch(
  original: JsonMap,
  modified: JsonMap,
  current: JsonMap,
  schema: StructSchema,
  { overwrite = true }: ThreeWayOptions = {},
): JsonMap {
  const delta = diffMaps(current, modified, schema, {
    additions: true,
    deletions: false,
    order: true,
    retainKeys: false,
  });
  const deletions = diffMaps(original, modified, schema, {
    additions: false,
    deletions: true,
    order: true,
    retainKeys: false,
  });
  const patch = mergeStrategicPatches(deletions, delta, schema);
  if (!overwrite) {
    const changed = diffMaps(original, current, schema, {
      additions: true,
      deletions: true,
      order: false,
      retainKeys: false,
    });
    if (havePatchConflicts(patch, changed, schema)) {
      throw new PatchError(
        'unexpected',
        `patch:\n${goPlain(patch)}\nconflicts with changes made from original to current:\n${goPlain(changed)}\n`,
      );
    }
  }
  return patch;
}

interface DiffOptions {
  readonly additions: boolean;
  readonly deletions: boolean;
  /** Whether `$setElementOrder` is written. */
  readonly order: boolean;
  /** Whether the map at hand needs `$retainKeys`. */
  readonly retainKeys: boolean;
}

type MutableMap = { [key: string]: Json };

function diffMaps(original: JsonMap, modified: JsonMap, schema: Schema, options: DiffOptions): JsonMap {
  const patch: MutableMap = {};
  for (const key of keysOf(modified)) {
    const value = modified[key] ?? null;
    const old = getOwn(original, key);
    if (old === undefined) {
      if (options.additions) setOwn(patch, key, value);
    } else if (key === directiveKey) {
      diffDirective(old, value, patch);
    } else {
      diffValues(old, value, key, patch, schema, options);
    }
  }
  if (options.deletions) {
    for (const key of keysOf(original)) if (getOwn(modified, key) === undefined) setOwn(patch, key, null);
  }
  addRetainedKeys(original, modified, patch, options);
  return patch;
}

function keysOf(map: JsonMap): string[] {
  return Object.keys(map).filter((key) => map[key] !== undefined);
}

function diffDirective(old: Json, value: Json, patch: MutableMap): void {
  if (typeof old !== 'string' || typeof value !== 'string') {
    throw new PatchError('unexpected', `invalid value for special key: ${directiveKey}`);
  }
  if (old !== value) patch[directiveKey] = value;
}

function addRetainedKeys(original: JsonMap, modified: JsonMap, patch: MutableMap, options: DiffOptions): void {
  if (!options.retainKeys) return;
  const retained = keysOf(modified).filter((key) => modified[key] !== null);
  if (retained.length === 0) return;
  const isShrinking = keysOf(original).some((key) => original[key] !== null && getOwn(modified, key) === undefined);
  if (keysOf(patch).length > 0 || isShrinking) patch[retainKeysKey] = retained.sort(compareBytewise);
}

function diffValues(
  old: Json,
  value: Json,
  key: string,
  patch: MutableMap,
  schema: Schema,
  options: DiffOptions,
): void {
  const [oldMap, map] = [asMap(old), asMap(value)];
  const [oldList, list] = [asList(old), asList(value)];
  if (oldMap !== undefined && map !== undefined) {
    diffMapField(oldMap, map, key, patch, schema, options);
  } else if (oldList !== undefined && list !== undefined) {
    diffListField(oldList, list, key, patch, schema, options);
  } else {
    replaceUnlessEqual(old, value, key, patch, options);
  }
}

function replaceUnlessEqual(old: Json, value: Json, key: string, patch: MutableMap, options: DiffOptions): void {
  if (options.additions && !deepEqual(old, value)) setOwn(patch, key, value);
}

function diffMapField(
  old: JsonMap,
  map: JsonMap,
  key: string,
  patch: MutableMap,
  schema: Schema,
  options: DiffOptions,
): void {
  const field = fieldUnlessEqual(lookUpMap, schema, key, old, map);
  if (field === undefined) return;
  if (field.strategy === 'replace') {
    if (options.additions) setOwn(patch, key, map);
    return;
  }
  const below = diffMaps(old, map, field.schema, { ...options, retainKeys: field.retainKeys });
  if (Object.keys(below).length > 0) setOwn(patch, key, below);
}

// A field the type does not know is no matter as long as it stays as it is.
function fieldUnlessEqual(
  lookUp: (schema: Schema, name: string) => PatchField,
  schema: Schema,
  key: string,
  old: Json,
  value: Json,
): PatchField | undefined {
  try {
    return lookUp(schema, key);
  } catch (error) {
    if (error instanceof PatchError && deepEqual(old, value)) return undefined;
    throw error;
  }
}

function diffListField(
  old: readonly Json[],
  list: readonly Json[],
  key: string,
  patch: MutableMap,
  schema: Schema,
  options: DiffOptions,
): void {
  const field = fieldUnlessEqual(lookUpList, schema, key, old, list);
  if (field === undefined) return;
  if (field.strategy !== 'merge') {
    replaceUnlessEqual(old, list, key, patch, options);
    return;
  }
  const { added, deleted, order } = diffLists(old, list, field, { ...options, retainKeys: field.retainKeys });
  if (added.length > 0) setOwn(patch, key, added);
  if (deleted.length > 0) patch[`${deleteFromPrimitiveListPrefix}/${key}`] = deleted;
  if (order.length > 0) patch[`${setElementOrderPrefix}/${key}`] = order;
}

interface ListDiff {
  readonly added: readonly Json[];
  readonly deleted: readonly Json[];
  readonly order: readonly Json[];
}

function diffLists(old: readonly Json[], list: readonly Json[], field: PatchField, options: DiffOptions): ListDiff {
  if (old.length === 0) return { added: options.additions ? list : [], deleted: [], order: [] };
  return elementKind(old, list) === 'map'
    ? diffMapLists(old, list, field, options)
    : diffScalarLists(old, list, options);
}

function diffScalarLists(old: readonly Json[], list: readonly Json[], options: DiffOptions): ListDiff {
  const added: Json[] = [];
  const deleted: Json[] = [];
  zipByText(old, list, goPlain, {
    onlyOld: (item) => options.deletions && deleted.push(item),
    onlyNew: (item) => options.additions && added.push(item),
    both: () => undefined,
  });
  const sorted = sortItems(added, list, { maps: false, mergeKey: '' });
  const needsOrder = (options.deletions && deleted.length > 0) || (options.additions && !deepEqual(old, list));
  return { added: sorted, deleted: withoutDuplicates(deleted), order: options.order && needsOrder ? list : [] };
}

function diffMapLists(old: readonly Json[], list: readonly Json[], field: PatchField, options: DiffOptions): ListDiff {
  const { mergeKey } = field;
  const changed: Json[] = [];
  const deletions: Json[] = [];
  const textOf = (item: Json): string => goPlain(keyedItem(item, mergeKey).key);
  zipByText(old, list, textOf, {
    onlyOld: (item) =>
      options.deletions &&
      deletions.push({ [directiveKey]: deleteDirective, [mergeKey]: keyedItem(item, mergeKey).key }),
    onlyNew: (item) => options.additions && changed.push(item),
    both: (oldItem, item) => {
      const { map, key } = keyedItem(item, mergeKey);
      const below = diffMaps(keyedItem(oldItem, mergeKey).map, map, field.schema, options);
      if (Object.keys(below).length > 0) changed.push({ ...below, [mergeKey]: key });
    },
  });
  const patch = [...sortItems(changed, list, { maps: true, mergeKey }), ...deletions];
  const sameOrder =
    old.length === list.length && list.every((item, index) => textOf(item) === textOf(old[index] ?? null));
  const needsOrder = (options.additions && (patch.length > 0 || !sameOrder)) || (options.deletions && patch.length > 0);
  const order = options.order && needsOrder ? list.map((item) => ({ [mergeKey]: keyedItem(item, mergeKey).key })) : [];
  return { added: patch, deleted: [], order };
}

// Walks two lists sorted by a text, telling which items are in one of them or in both.
function zipByText(
  old: readonly Json[],
  list: readonly Json[],
  textOf: (item: Json) => string,
  visit: {
    readonly onlyOld: (item: Json) => unknown;
    readonly onlyNew: (item: Json) => unknown;
    readonly both: (oldItem: Json, item: Json) => unknown;
  },
): void {
  const olds = sortedByText(old, textOf);
  const news = sortedByText(list, textOf);
  let o = 0;
  let n = 0;
  for (;;) {
    const a = olds[o];
    const b = news[n];
    if (a === undefined && b === undefined) return;
    const order = a === undefined ? 1 : b === undefined ? -1 : compareBytewise(a.text, b.text);
    if (order <= 0) o++;
    if (order >= 0) n++;
    if (order === 0) visit.both(a?.item ?? null, b?.item ?? null);
    else if (order < 0) visit.onlyOld(a?.item ?? null);
    else visit.onlyNew(b?.item ?? null);
  }
}

function sortedByText(
  items: readonly Json[],
  textOf: (item: Json) => string,
): readonly { readonly item: Json; readonly text: string }[] {
  return items.map((item) => ({ item, text: textOf(item) })).sort((a, b) => compareBytewise(a.text, b.text));
}
