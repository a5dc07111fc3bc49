// Which of its names a CustomResourceDefinition gets: in a group, each resource name and each kind belongs to one definition
// (upstream's naming controller). Pure.

import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@homeostat/api/types/apiextensions-v1';
import { goQuote, type Mutable } from '@homeostat/machinery';
import type { Statement } from './conditions.ts';

export interface AcceptedNames {
  readonly names: CustomResourceDefinitionNames;
  /** The condition NamesAccepted. */
  readonly condition: Statement;
}

/** `others`: every definition; itself and those of other groups are passed over. */
export function acceptNames(
  definition: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): AcceptedNames {
  const wanted = definition.spec?.names;
  const accepted = definition.status?.acceptedNames;
  const names = { ...accepted } as Mutable<CustomResourceDefinitionNames>;
  const { resources, kinds } = takenNames(definition, others);
  let refused: { readonly reason: string; readonly message: string } | undefined;
  for (const [field, taken, reason] of [
    ['plural', resources, 'PluralConflict'],
    ['singular', resources, 'SingularConflict'],
    ['shortNames', resources, 'ShortNamesConflict'],
    ['kind', kinds, 'KindConflict'],
    ['listKind', kinds, 'ListKindConflict'],
  ] as const) {
    const before = new Set([accepted?.[field] ?? []].flat());
    const used = [wanted?.[field] ?? []].flat().filter((name) => !before.has(name) && taken.has(name));
    // Of several conflicts the last one is told.
    if (used.length > 0) refused = { reason, message: inUse(used) };
    else take(names, field, wanted);
  }
  take(names, 'categories', wanted);
  names.plural ??= '';
  names.kind ??= '';
  const condition: Statement =
    refused === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...refused };
  return { names, condition };
}

function take<K extends keyof CustomResourceDefinitionNames>(
  names: Mutable<CustomResourceDefinitionNames>,
  field: K,
  wanted: CustomResourceDefinitionNames | undefined,
): void {
  const target = names as Partial<CustomResourceDefinitionNames>;
  const value = wanted?.[field];
  if (value === undefined) delete (target as Record<string, unknown>)[field];
  else (target as Record<string, unknown>)[field] = value;
}

function takenNames(
  definition: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.spec?.group !== definition.spec?.group || other.metadata?.name === definition.metadata?.name) continue;
    const { plural = '', singular = '', shortNames = [], kind = '', listKind = '' } = other.status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) if (name !== '') resources.add(name);
    for (const name of [kind, listKind]) if (name !== '') kinds.add(name);
  }
  return { resources, kinds };
}

function inUse(names: readonly string[]): string {
  const texts = names.map((name) => `${goQuote(name)} is already in use`);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
