// The generation of a Pod counts the changes of its spec, whatever endpoint makes them.

import type { Mutable } from '@homeostat/machinery';
import type { Pod } from '@homeostat/api/types/core-v1';
import { sameSpec, specOf } from './validation.ts';

export function bumpPodGeneration(draft: Mutable<Pod>, old: Pod): void {
  if (sameSpec(specOf(draft as Pod), specOf(old))) return;
  const metadata = (draft.metadata ??= {});
  metadata.generation = (metadata.generation ?? 0) + 1;
}
