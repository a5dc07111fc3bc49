// Compares lists object by object, whatever their order: controllers work in parallel, so the order of creation is
// nobody's promise. Which of several objects with generated names is which cannot be told; they are paired by form.

import type { Comparison } from './compare.ts';
import { isObject, valueAt, withoutPaths } from './json-values.ts';
import type { Answer, Step } from './recording.ts';
import type { Shown } from './shown.ts';

export function compareSnapshots(comparison: Comparison, step: Step, actual: Answer): void {
  for (const path of step.paths ?? []) {
    const ours = objectsOf(comparison.expected, step, step.answer.lists?.[path]);
    const theirs = objectsOf(comparison.actual, step, actual.lists?.[path]);
    const names = (objects: readonly NamedObject[]): string => objects.map(({ name }) => name).join(', ');
    if (names(ours) !== names(theirs)) {
      comparison.differ(path, names(ours), names(theirs));
      continue;
    }
    ours.forEach(({ name, object }, index) => comparison.compare(`${path} ${name}`, object, theirs[index]?.object));
  }
}

interface NamedObject {
  /** The name without its generated part. */
  readonly name: string;
  readonly object: unknown;
}

function objectsOf(shown: Shown, step: Step, list: unknown): NamedObject[] {
  const items = isObject(list) && Array.isArray(list['items']) ? list['items'] : [];
  const objects = items.map((item) => loosen(shown, step, item));
  const named = sortByForm(shown, objects).map((object) => ({
    name: shown.cut(String(valueAt(object, 'metadata.name'))).text,
    object,
  }));
  // Stable: objects of one name stay in the order of their forms.
  return named.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The object as it can be compared: without what identifies one of several, arrays of random order sorted. */
function loosen(shown: Shown, step: Step, item: unknown): unknown {
  const copy = structuredClone(withoutPaths(item, step.ignore));
  const metadata = isObject(copy) ? copy['metadata'] : undefined;
  if (isObject(metadata) && shown.isGenerated(metadata['name'])) {
    const fields = metadata as Record<string, unknown>;
    delete fields['uid'];
    delete fields['resourceVersion'];
  }
  for (const path of step.sort ?? []) sortAt(shown, copy, path.split('/'));
  return copy;
}

function sortAt(shown: Shown, value: unknown, [key = '', ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  if (key === '*') {
    for (const each of Object.values(fields)) sortAt(shown, each, rest);
  } else if (rest.length > 0) {
    sortAt(shown, fields[key], rest);
  } else if (Array.isArray(fields[key])) {
    fields[key] = sortByForm(shown, fields[key]);
  }
}

function sortByForm(shown: Shown, values: readonly unknown[]): unknown[] {
  const keyed = values.map((value) => [JSON.stringify(shown.blank(value)), value] as const);
  return keyed.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)).map(([, value]) => value);
}
