// The 409 of a conflicting apply: one cause per field and owner, and a text that groups them (spec/apiserver.md §7.8).

import { ApiError, type StatusCause } from '@homeostat/base';
import { compareBytewise, goQuote } from '../values/go-strings.ts';
import type { FieldSet } from './field-set.ts';
import type { Manager, Managers } from './managed-fields.ts';
import { printPath } from './path-element.ts';

/** Makes the error from the conflicting sets, by manager identity; `managers` says who they are. */
export function newApplyConflict(conflicts: ReadonlyMap<string, FieldSet>, managers: Managers): ApiError {
  const owners = [...conflicts.keys()].sort(compareBytewise).map((id) => ({
    who: printManager(managers.get(id)),
    paths: [...(conflicts.get(id)?.paths() ?? [])].map(printPath),
  }));
  const causes = owners.flatMap(({ who, paths }) =>
    paths.map((field): StatusCause => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  return new ApiError({
    code: 409,
    reason: 'Conflict',
    message: messageOf(owners, causes.length),
    details: { causes },
  });
}

function messageOf(owners: readonly { who: string; paths: readonly string[] }[], count: number): string {
  if (count === 1) return `Apply failed with 1 conflict: conflict with ${owners[0]?.who}: ${owners[0]?.paths[0]}`;
  const lines = owners.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function printManager(manager: Manager | undefined): string {
  if (manager === undefined) return '""';
  const subresource = manager.subresource === '' ? '' : ` with subresource ${goQuote(manager.subresource)}`;
  const version = manager.operation === 'Update' ? ` using ${manager.apiVersion}` : '';
  return goQuote(manager.name) + subresource + version;
}
