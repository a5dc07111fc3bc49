// No writes for the clock's sake: when all that a write changes is the times in managedFields, the old times are kept,
// so that the store sees an unchanged object (spec/apiserver.md §4.5).

import type { KubeObject, ManagedFieldsEntry } from '../meta/object.ts';
import { deepEqual } from '../values/deep-equal.ts';

/**
 * Returns the object with the live times where nothing else differs, else the object itself.
 *
 * @param isEqual whether two objects of the kind are equal but for managedFields; by default deep equality
 */
export function keepUnchangedTimes<T extends KubeObject>(
  live: T,
  object: T,
  isEqual: (live: unknown, object: unknown) => boolean = deepEqual,
): T {
  const old = live.metadata?.managedFields ?? [];
  const now = object.metadata?.managedFields ?? [];
  if (now.length === 0 || now.length !== old.length) return object;
  if (now.every((entry, index) => entry.time === old[index]?.time)) return object;
  if (!now.every((entry, index) => isEqualButTime(entry, old[index]))) return object;
  if (!isEqual(withoutManagedFields(live), withoutManagedFields(object))) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: old } };
}

function isEqualButTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry | undefined): boolean {
  return b !== undefined && deepEqual({ ...a, time: undefined }, { ...b, time: undefined });
}

function withoutManagedFields(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } as KubeObject['metadata'] & object };
}
