// The JSON patch (RFC 6902) that turns one document into another: what mutating webhooks answer with. Lists are compared
// from both ends, so that an item put in or taken out somewhere costs one operation; it is not always the shortest patch.

import type { Json } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { asList, asMap, getOwn, type JsonMap } from '../values/json-shapes.ts';
import type { JsonPatchOperation } from './json-patch-operation.ts';

/**
 * Applying the result to `before` gives `after`; empty when they are equal. Members that are undefined count as absent.
 * Values are shared with `after`. Cost: linear in the documents' size, for each item moved in a list that of the list.
 */
export function createJsonPatch(before: Json, after: Json): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diff(before, after, '', operations);
  return operations;
}

function diff(before: Json, after: Json, path: string, operations: JsonPatchOperation[]): void {
  const lists = [asList(before), asList(after)] as const;
  const maps = [asMap(before), asMap(after)] as const;
  if (lists[0] !== undefined && lists[1] !== undefined) diffLists(lists[0], lists[1], path, operations);
  else if (maps[0] !== undefined && maps[1] !== undefined) diffMaps(maps[0], maps[1], path, operations);
  else if (!deepEqual(before, after)) operations.push({ op: 'replace', path, value: after });
}

function diffMaps(before: JsonMap, after: JsonMap, path: string, operations: JsonPatchOperation[]): void {
  for (const key of Object.keys(before)) {
    if (getOwn(before, key) !== undefined && getOwn(after, key) === undefined)
      operations.push({ op: 'remove', path: join(path, key) });
  }
  for (const key of Object.keys(after)) {
    const value = getOwn(after, key);
    if (value === undefined) continue;
    const old = getOwn(before, key);
    if (old === undefined) operations.push({ op: 'add', path: join(path, key), value });
    else diff(old, value, join(path, key), operations);
  }
}

function diffLists(
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  operations: JsonPatchOperation[],
): void {
  let start = 0;
  while (start < before.length && start < after.length && deepEqual(before[start], after[start])) start++;
  let [endBefore, endAfter] = [before.length, after.length];
  while (endBefore > start && endAfter > start && deepEqual(before[endBefore - 1], after[endAfter - 1])) {
    endBefore--;
    endAfter--;
  }
  const shared = Math.min(endBefore, endAfter);
  for (let index = start; index < shared; index++)
    diff(before[index] ?? null, after[index] ?? null, join(path, String(index)), operations);
  // From the back, so that indexes stay right.
  for (let index = endBefore - 1; index >= shared; index--)
    operations.push({ op: 'remove', path: join(path, String(index)) });
  for (let index = shared; index < endAfter; index++)
    operations.push({ op: 'add', path: join(path, String(index)), value: after[index] ?? null });
}

function join(path: string, segment: string): string {
  return `${path}/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
