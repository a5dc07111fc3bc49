// Metadata as endpoints have it that own none of it: what the stored object says, apart from what identifies the request's
// version and the record of who owns which field.

import { cloneJson, type KubeObject, type Mutable, type ObjectMeta } from '@homeostat/machinery';

const kept = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

export function resetMetadataForStatus(draft: Mutable<KubeObject>, old: KubeObject): void {
  const target = (draft.metadata ??= {}) as Record<string, unknown>;
  const source: ObjectMeta = old.metadata ?? {};
  for (const field of kept) {
    if (source[field] === undefined) delete target[field];
    else target[field] = cloneJson(source[field]);
  }
}
