// What is being deleted comes to its end: at rest nothing hangs between being there and being gone.

import type { StoreState } from '../store-state.ts';
import { nameOf } from './checker.ts';

/** Objects that are being deleted still, though nobody but the cluster's own parts holds them. */
export function checkEndings(state: StoreState): readonly string[] {
  const problems: string[] = [];
  for (const { resource, object } of state.all()) {
    const { deletionTimestamp, finalizers = [] } = object.metadata ?? {};
    if (deletionTimestamp === undefined) continue;
    if (finalizers.some((finalizer) => !ownFinalizers.has(finalizer))) continue;
    problems.push(`${resource} ${nameOf(object)} is being deleted since ${deletionTimestamp}`);
  }
  return problems;
}

const ownFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion']);
