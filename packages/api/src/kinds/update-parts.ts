// What the update strategies of most kinds are made of: an endpoint keeps the fields that are not its own, a changed
// spec raises the generation, and some fields never change (spec/apiserver.md §4.3, §4.5, §13.5).

import {
  cloneJson,
  type FieldError,
  type FieldPath,
  type GroupVersionKind,
  invalid,
  type KubeObject,
  type Mutable,
  type Schema,
} from '@homeostat/machinery';
import { schemaOf } from '../scheme/scheme.ts';
import type { LabelSelectorLike } from './rules/labels.ts';
import { printableSelector } from './rules/printable.ts';
import { immutableText } from './rules/values.ts';
import { semanticEqual } from './semantic-equal.ts';

/** Puts back a root field that this endpoint may not write. */
export function keepField<T extends KubeObject>(draft: Mutable<T>, old: T, name: keyof T & string): void {
  const target = draft as Record<string, unknown>;
  if (old[name] === undefined) delete target[name];
  else target[name] = old[name];
}

/** Puts back labels, for status endpoints of kinds whose labels only the main endpoint writes. */
export function keepLabels(draft: Mutable<KubeObject>, old: KubeObject): void {
  const metadata = (draft.metadata ??= {});
  if (old.metadata?.labels === undefined) delete metadata.labels;
  else metadata.labels = { ...old.metadata.labels };
}

/** Puts back all metadata but managedFields, for status endpoints that own no metadata at all. */
export function keepMetadata(draft: Mutable<KubeObject>, old: KubeObject): void {
  const managedFields = draft.metadata?.managedFields;
  const { managedFields: _replaced, ...metadata } = old.metadata ?? {};
  draft.metadata = cloneJson(metadata) as Mutable<NonNullable<KubeObject['metadata']>>;
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
}

export function bumpGeneration(draft: Mutable<KubeObject>, old: KubeObject): void {
  const metadata = (draft.metadata ??= {});
  metadata.generation = (old.metadata?.generation ?? 0) + 1;
}

/** Raises the generation when one of the root fields differs. */
export function bumpGenerationOn<T extends KubeObject>(
  draft: Mutable<T>,
  old: T,
  names: readonly (keyof T & string)[],
  kind: GroupVersionKind,
): void {
  if (names.some((name) => fieldDiffers(draft as T, old, name, kind)))
    bumpGeneration(draft as Mutable<KubeObject>, old);
}

/** Whether a root field differs in meaning, not only in how absence is written. */
export function fieldDiffers<T extends KubeObject>(
  a: T,
  b: T,
  name: keyof T & string,
  kind: GroupVersionKind,
): boolean {
  return !semanticEqual(a[name], b[name], fieldSchema(kind, name));
}

/** The schema of a field by its path from the root, for comparisons. */
export function fieldSchema(kind: GroupVersionKind, ...path: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = schemaOf(kind);
  for (const name of path) schema = schema?.kind === 'struct' ? schema.byName.get(name)?.schema : undefined;
  return schema;
}

export function validateImmutable(
  value: unknown,
  old: unknown,
  path: FieldPath,
  errors: FieldError[],
  schema?: Schema,
): void {
  if (!semanticEqual(value, old, schema)) errors.push(invalid(path, value, immutableText));
}

export function validateImmutableSelector(
  selector: LabelSelectorLike | undefined,
  old: LabelSelectorLike | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!semanticEqual(selector, old)) errors.push(invalid(path, printableSelector(selector), immutableText));
}
