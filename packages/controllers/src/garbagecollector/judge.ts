// The verdict over one object, from its references as they were found live (spec/infrastructure.md §7.4). Pure.

import type { KubeObject, OwnerReference } from '@homeostat/machinery';
import { foregroundFinalizer, orphanFinalizer } from './graph.ts';

/** How one owner reference was found. */
export interface Reference {
  readonly owner: OwnerReference;
  readonly state: 'solid' | 'dangling' | 'waiting';
}

export type Verdict =
  | { readonly type: 'keep' }
  /** Some owner is alive: the references to the others go. */
  | { readonly type: 'drop-references'; readonly uids: readonly string[] }
  | {
      readonly type: 'delete';
      readonly propagationPolicy: 'Background' | 'Foreground' | 'Orphan';
      /** Give up blocking first: a dependent is itself waiting, so there may be a cycle. */
      readonly unblock: boolean;
    };

export interface JudgeInput {
  readonly object: KubeObject;
  readonly references: readonly Reference[];
  readonly hasDependents: boolean;
  /** Whether one of its dependents waits for its own dependents. */
  readonly dependentWaits: boolean;
}

export function judge({ object, references, hasDependents, dependentWaits }: JudgeInput): Verdict {
  const of = (state: Reference['state']): readonly string[] =>
    references.filter((found) => found.state === state).map((found) => found.owner.uid);
  const gone = [...of('dangling'), ...of('waiting')];
  if (references.length === 0) return { type: 'keep' };
  if (of('solid').length > 0) return gone.length === 0 ? { type: 'keep' } : { type: 'drop-references', uids: gone };
  if (of('waiting').length > 0 && hasDependents)
    return { type: 'delete', propagationPolicy: 'Foreground', unblock: dependentWaits };
  const finalizers = object.metadata?.finalizers ?? [];
  if (finalizers.includes(orphanFinalizer)) return { type: 'delete', propagationPolicy: 'Orphan', unblock: false };
  if (finalizers.includes(foregroundFinalizer))
    return { type: 'delete', propagationPolicy: 'Foreground', unblock: false };
  return { type: 'delete', propagationPolicy: 'Background', unblock: false };
}
