// Small questions about JSON values that replaying and comparing share.

import type { Condition } from './recording.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a dotted path; undefined where it leads nowhere. */
export function valueAt(value: unknown, path: string): unknown {
  let found: unknown = value;
  for (const key of path.split('.')) {
    if (found === undefined || found === null) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
}

/** Whether every condition holds of the value. */
export function holds(value: unknown, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => holdsOne(value, condition));
}

function holdsOne(value: unknown, condition: Condition): boolean {
  const found = conditionValue(value, condition.path);
  if ('equals' in condition) return JSON.stringify(found) === JSON.stringify(condition.equals);
  if (condition.exists !== undefined) return (found !== undefined) === condition.exists;
  if (condition.condition !== undefined) {
    const { condition: type, status = 'True' } = condition;
    const list = Array.isArray(found) ? found : [];
    return list.some((each) => isObject(each) && each['type'] === type && each['status'] === status);
  }
  if (condition.matches !== undefined) return new RegExp(condition.matches).test(String(found));
  return false;
}

function conditionValue(value: unknown, path: string): unknown {
  if (path === '') return value;
  if (!path.includes('#')) return valueAt(value, path);
  const list = valueAt(value, path.split('.#')[0] ?? '');
  return Array.isArray(list) ? list.length : 0;
}

/** A copy without what the paths name: `a/b`, `*` for any one key, `**` for any depth, `~1` for a slash in a key. */
export function withoutPaths<T>(value: T, paths: readonly string[] | undefined): T {
  if (paths === undefined) return value;
  const copy = structuredClone(value);
  for (const path of paths) {
    const keys = path.split('/').map((key) => key.replaceAll('~1', '/'));
    removeAt(copy, keys);
  }
  return copy;
}

function removeAt(value: unknown, [key = '', ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  if (key === '*') {
    for (const each of Object.values(fields)) removeAt(each, rest);
  } else if (key === '**') {
    removeAt(fields, rest);
    for (const each of Object.values(fields)) removeAt(each, [key, ...rest]);
  } else if (rest.length === 0) {
    delete fields[key];
  } else {
    removeAt(fields[key], rest);
  }
}
