// Identical owner references in one object are dropped with a warning (spec/apiserver.md §4.1).

import type { KubeObject, Mutable, OwnerReference } from '@homeostat/machinery';
import type { WarningRecorder } from '../server/warnings.ts';

export function dedupOwnerReferences(
  draft: Mutable<KubeObject>,
  afterAdmission: boolean,
  warnings: WarningRecorder,
): void {
  const references = draft.metadata?.ownerReferences;
  if (references === undefined || references === null || references.length < 2) return;
  const kept: OwnerReference[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  for (const reference of references as readonly OwnerReference[]) {
    const key = JSON.stringify([
      reference.apiVersion,
      reference.kind,
      reference.name,
      reference.uid,
      reference.controller ?? null,
      reference.blockOwnerDeletion ?? null,
    ]);
    if (seen.has(key)) {
      repeated.push(reference.uid);
      continue;
    }
    seen.add(key);
    kept.push(reference);
  }
  if (repeated.length === 0) return;
  const when = afterAdmission ? ' after mutating admission happens' : '';
  warnings.add(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject ` +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
  if (draft.metadata !== undefined) draft.metadata.ownerReferences = kept as never;
}
