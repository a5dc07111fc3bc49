// Whether an update would write anything (spec/apiserver.md §4.5): equality of two canonical objects, which is equality
// of their bytes without making them. The times of managedFields alone do not count.

import type { KubeObject } from '@homeostat/machinery';

export function sameObject(a: KubeObject, b: KubeObject): boolean {
  return sameFields(a, b, (key, left, right) =>
    key === 'metadata' ? sameMetadata(left, right) : sameJson(left, right),
  );
}

function sameMetadata(a: unknown, b: unknown): boolean {
  return sameFields(a, b, (key, left, right) =>
    key === 'managedFields' ? sameEntries(left, right) : sameJson(left, right),
  );
}

function sameEntries(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((entry, index) =>
    sameFields(entry, b[index], (key, left, right) => key === 'time' || sameJson(left, right)),
  );
}

/** Structural equality; leaves at the first difference. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) if (!sameJson(a[index], b[index])) return false;
    return true;
  }
  return !Array.isArray(b) && sameFields(a, b, (_key, left, right) => sameJson(left, right));
}

type Fields = Readonly<Record<string, unknown>>;

function sameFields(a: unknown, b: unknown, same: (key: string, left: unknown, right: unknown) => boolean): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const left = a as Fields;
  const right = b as Fields;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) if (!(key in right) || !same(key, left[key], right[key])) return false;
  return true;
}
