// The claim rules of owners and dependents (spec/workloads.md §1.5): which objects a controller owns, adopts and releases. Pure.

import type { KubeObject } from '@homeostat/machinery';
import { controllerOf } from '../controller/wakes.ts';

/** What becomes of the candidates of one owner. */
export interface Claim<T extends KubeObject> {
  /** Owned already and matching. */
  readonly owned: readonly T[];
  /** Orphans that match: to be adopted after a live look at the owner. */
  readonly adopt: readonly T[];
  /** Owned but no longer matching: to be let go. */
  readonly release: readonly T[];
}

/** Sorts candidates by the claim rules. An owner that is being deleted keeps what it has and takes or lets go nothing. */
export function claim<T extends KubeObject>(
  owner: KubeObject,
  candidates: readonly T[],
  matches: (object: T) => boolean,
): Claim<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  const deleting = owner.metadata?.deletionTimestamp !== undefined;
  for (const candidate of candidates) {
    const controller = controllerOf(candidate);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata?.uid) continue;
      if (matches(candidate)) owned.push(candidate);
      else if (!deleting) release.push(candidate);
      continue;
    }
    if (deleting || candidate.metadata?.deletionTimestamp !== undefined || !matches(candidate)) continue;
    adopt.push(candidate);
  }
  return { owned, adopt, release };
}
