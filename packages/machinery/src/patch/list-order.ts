// The order of merged lists in strategic merge patch: items that the patch names follow the patch's order, items that
// only the server has keep their places among them. Also what lists need besides: element kinds, duplicates, look-ups.

import type { Json } from '../schema/schema.ts';
import { goPlain, goType } from '../values/go-format.ts';
import { asMap, getOwn, type JsonMap } from '../values/json-shapes.ts';
import { deleteDirective, directiveKey } from './directives.ts';
import { PatchError } from './patch-error.ts';

type List = readonly Json[];

/** How items of a list are told apart: maps by their merge key, scalars by themselves. */
export interface ItemIdentity {
  readonly maps: boolean;
  readonly mergeKey: string;
}

/** Whether a list holds maps or scalars. @throws PatchError for mixed lists, lists of lists and empty ones */
export function elementKind(...lists: readonly List[]): 'map' | 'scalar' {
  let type: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const itemType = goType(item);
      if (type === undefined && itemType === '[]interface {}') {
        throw new PatchError('inapplicable', 'lists of lists are not supported');
      }
      if (type !== undefined && type !== itemType) {
        throw new PatchError('unexpected', `list element types are not identical: [${lists.map(goPlain).join(' ')}]`);
      }
      type = itemType;
    }
  }
  if (type === undefined) throw new PatchError('unexpected', 'no elements in any of the given slices');
  return type === 'map[string]interface {}' ? 'map' : 'scalar';
}

/** The item as a map with its merge key. @throws PatchError when it is none or lacks the key */
export function keyedItem(item: Json, mergeKey: string): { readonly map: JsonMap; readonly key: Json } {
  const map = asMap(item);
  if (map === undefined) throw badType('map[string]interface {}', item);
  const key = getOwn(map, mergeKey);
  if (key === undefined) throw noMergeKey(map, mergeKey);
  return { map, key };
}

export function noMergeKey(map: JsonMap, mergeKey: string): PatchError {
  return new PatchError('unexpected', `map: ${goPlain(map)} does not contain declared merge key: ${mergeKey}`);
}

export function badType(expected: string, actual: Json): PatchError {
  return new PatchError(
    'unexpected',
    `expected a ${expected}, but received a ${actual === null ? '%!s(<nil>)' : goType(actual)}`,
  );
}

/** The value an item is identified by. */
function identityOf(item: Json, { maps, mergeKey }: ItemIdentity): Json | undefined {
  if (!maps) return item;
  const map = asMap(item);
  return map === undefined ? undefined : getOwn(map, mergeKey);
}

/** The index of the first item with a merge key value; -1 when there is none. @throws PatchError when an item is no map */
export function findByKey(list: List, mergeKey: string, key: Json): number {
  return list.findIndex((item, index) => {
    const map = asMap(item);
    if (map === undefined) throw new PatchError('unexpected', `value for key ${index} is not a map`);
    return getOwn(map, mergeKey) === key;
  });
}

/** Puts merged items into their final order. */
export function orderItems(
  merged: List,
  options: { readonly patchOrder: List; readonly serverOrder: List; readonly identity: ItemIdentity },
): List {
  const { patchOrder, serverOrder, identity } = options;
  const named = new Set(patchOrder.map((item) => identityOf(item, identity)));
  if (identity.mergeKey !== '') for (const item of merged) keyedItem(item, identity.mergeKey);
  const isNamed = (item: Json): boolean => named.has(identityOf(item, identity));
  const patchItems = sortItems(merged.filter(isNamed), patchOrder, identity);
  const serverItems = sortItems(
    merged.filter((item) => !isNamed(item)),
    serverOrder,
    identity,
  );
  return interleave(serverItems, patchItems, positionsIn(serverOrder, identity), identity);
}

/** Sorts items like another list; deletions come last. Items the other list lacks are where upstream's sort leaves them. */
export function sortItems(items: List, order: List, identity: ItemIdentity): List {
  let kept = items;
  let deletions: List = [];
  if (identity.maps) {
    for (const item of [...items, ...order]) keyedItem(item, identity.mergeKey);
    deletions = items.filter(isDeletion);
    kept = items.filter((item) => !isDeletion(item));
  }
  const positions = positionsIn(order, identity);
  const sorted = [...kept];
  for (let i = 1; i < sorted.length; i++) {
    for (let j = i; j > 0 && goesBefore(sorted[j], sorted[j - 1]); j--) {
      [sorted[j - 1], sorted[j]] = [sorted[j] ?? null, sorted[j - 1] ?? null];
    }
  }
  return [...sorted, ...deletions];

  function goesBefore(item: Json | undefined, other: Json | undefined): boolean {
    const a = positions.get(identityOf(item ?? null, identity));
    const b = positions.get(identityOf(other ?? null, identity));
    return a === undefined || b === undefined || a < b;
  }
}

function isDeletion(item: Json): boolean {
  const map = asMap(item);
  return map !== undefined && getOwn(map, directiveKey) === deleteDirective;
}

function positionsIn(order: List, identity: ItemIdentity): ReadonlyMap<Json | undefined, number> {
  const positions = new Map<Json | undefined, number>();
  for (const [index, item] of order.entries()) {
    const key = identityOf(item, identity);
    if (!positions.has(key)) positions.set(key, index);
  }
  return positions;
}

// A server-only item goes before a patch item that followed it in the live list.
function interleave(
  server: List,
  patch: List,
  positions: ReadonlyMap<Json | undefined, number>,
  identity: ItemIdentity,
): List {
  const out: Json[] = [];
  let s = 0;
  for (const item of patch) {
    const position = positions.get(identityOf(item, identity));
    while (position !== undefined && s < server.length) {
      const serverPosition = positions.get(identityOf(server[s] ?? null, identity));
      if (serverPosition === undefined || serverPosition >= position) break;
      out.push(server[s++] ?? null);
    }
    out.push(item);
  }
  return [...out, ...server.slice(s)];
}

/** Drops duplicates as upstream does: the last item moves into the gap. */
export function withoutDuplicates(list: List): Json[] {
  const out = [...list];
  for (let i = 0; i < out.length - 1; i++) {
    for (let j = i + 1; j < out.length; j++) {
      if (out[i] !== out[j]) continue;
      const last = out.pop() ?? null;
      if (j < out.length) out[j] = last;
      j--;
    }
  }
  return out;
}
