// Which owners a change of a dependent wakes: its controller (old and new), or for orphans every owner whose selector
// matches (spec/workloads.md §2.1, §4.1). Resyncs of dependents wake nobody; owners have their own.

import { keyOf, type ResourceType } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { type Caches, type Change, controllerOf, type Wake } from '@homeostat/runtime';

export interface OwnerWakesOptions<Owner extends KubeObject> {
  readonly owners: ResourceType<Owner>;
  /** How long changes of the owner's dependents are gathered, milliseconds; default not at all. */
  delayMs?(owner: Owner): number;
  /** Whether the owner's selector selects these labels; empty selectors select nothing here. */
  selects(owner: Owner, labels: Readonly<Record<string, string>>): boolean;
}

/** A `wakes` function for dependents of `owners`. */
export function wakeOwners<Owner extends KubeObject>(options: OwnerWakesOptions<Owner>) {
  const resolve = (caches: Caches, object: KubeObject): Owner | undefined => {
    const controller = controllerOf(object);
    if (controller === undefined || controller.kind !== options.owners.kind) return undefined;
    const owner = caches.lister(options.owners).get(object.metadata?.namespace, controller.name);
    return owner?.metadata?.uid === controller.uid ? owner : undefined;
  };
  const matching = (caches: Caches, object: KubeObject): readonly Owner[] => {
    const labels = object.metadata?.labels ?? {};
    if (Object.keys(labels).length === 0) return [];
    const owners = caches.lister(options.owners).list(object.metadata?.namespace);
    return owners.filter((owner) => options.selects(owner, labels));
  };
  return (change: Change, caches: Caches): readonly Wake[] => {
    if (change.type === 'resync') return [];
    const owners = new Set<Owner>();
    const add = (owner: Owner | undefined): void => {
      if (owner !== undefined) owners.add(owner);
    };
    const { object } = change;
    add(resolve(caches, object));
    if (change.type === 'updated') add(resolve(caches, change.old));
    if (controllerOf(object) === undefined && change.type !== 'deleted' && orphanMatters(change)) {
      for (const owner of matching(caches, object)) owners.add(owner);
    }
    return Array.from(owners, (owner) => ({ key: keyOf(owner), afterMs: options.delayMs?.(owner) ?? 0 }));
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
