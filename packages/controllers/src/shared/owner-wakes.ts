// Which owners a change of a dependent wakes: its controller (old and new), or for orphans every owner whose selector
// matches (spec/workloads.md §2.1, §4.1). Resyncs of dependents wake nobody; owners have their own.

import { type ObjectKey, type ResourceType, toKey } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { type Caches, type Change, controllerOf } from '@homeostat/runtime';

export interface OwnerWakesOptions<Owner extends KubeObject> {
  readonly owners: ResourceType<Owner>;
  /** Whether the owner's selector selects these labels; empty selectors select nothing here. */
  selects(owner: Owner, labels: Readonly<Record<string, string>>): boolean;
}

/** A `wakes` function for dependents of `owners`. */
export function wakeOwners<Owner extends KubeObject>(options: OwnerWakesOptions<Owner>) {
  const resolve = (caches: Caches, object: KubeObject): ObjectKey | undefined => {
    const controller = controllerOf(object);
    if (controller === undefined || controller.kind !== options.owners.kind) return undefined;
    const owner = caches.lister(options.owners).get(object.metadata?.namespace, controller.name);
    return owner?.metadata?.uid === controller.uid ? toKey(object.metadata?.namespace, controller.name) : undefined;
  };
  const matching = (caches: Caches, object: KubeObject): ObjectKey[] => {
    const labels = object.metadata?.labels ?? {};
    if (Object.keys(labels).length === 0) return [];
    const owners = caches.lister(options.owners).list(object.metadata?.namespace);
    return owners
      .filter((owner) => options.selects(owner, labels))
      .map((owner) => toKey(owner.metadata?.namespace, owner.metadata?.name ?? ''));
  };
  return (change: Change, caches: Caches): readonly ObjectKey[] => {
    if (change.type === 'resync') return [];
    const keys = new Set<ObjectKey>();
    const add = (key: ObjectKey | undefined): void => {
      if (key !== undefined) keys.add(key);
    };
    const { object } = change;
    add(resolve(caches, object));
    if (change.type === 'updated') add(resolve(caches, change.old));
    if (controllerOf(object) === undefined && change.type !== 'deleted' && orphanMatters(change)) {
      for (const key of matching(caches, object)) keys.add(key);
    }
    return [...keys];
  };
}

function orphanMatters(change: Change): boolean {
  if (change.type !== 'updated') return true;
  const { old, object } = change;
  if (controllerOf(old)?.uid !== controllerOf(object)?.uid) return true;
  return !sameLabels(old.metadata?.labels, object.metadata?.labels);
}

function sameLabels(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
