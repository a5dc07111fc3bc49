// Nothing outlives its owners: an object whose owners are all gone is gone too, or on its way (spec/infrastructure.md §7).

import type { StoreState } from '../store-state.ts';
import { nameOf } from './checker.ts';

/** Objects that name owners none of which exists. Those that wait for finalizers or a node agent are not meant. */
export function checkOwnership(state: StoreState): readonly string[] {
  const alive = new Set<string>();
  for (const { object } of state.all()) alive.add(object.metadata?.uid ?? '');
  const problems: string[] = [];
  for (const { resource, object } of state.all()) {
    const owners = object.metadata?.ownerReferences ?? [];
    if (owners.length === 0 || object.metadata?.deletionTimestamp !== undefined) continue;
    if (owners.some((owner) => alive.has(owner.uid))) continue;
    const names = owners.map((owner) => `${owner.kind} ${owner.name}`).join(', ');
    problems.push(`${resource} ${nameOf(object)} outlived its owners: ${names}`);
  }
  return problems;
}
