// The usual mappings from a change to the keys it wakes. All of them look at the old and the new object of an update,
// because an object may move from one owner to another and both must hear of it.

import type { KubeObject, OwnerReference } from '@homeostat/machinery';
import { parseApiVersion } from '@homeostat/machinery';
import { keyOf, type ObjectKey, toKey } from '@homeostat/client';
import type { Change } from '../informer/change.ts';
import type { Caches } from '../store/lister.ts';
import type { Wake } from './controller-definition.ts';

/** The key of the changed object itself. */
export function wakeSelf(change: Change): readonly ObjectKey[] {
  return [keyOf(change.object)];
}

/** Nothing: the resource is only read. */
export function wakeNothing(): readonly ObjectKey[] {
  return [];
}

/** The keys `map` gives for the object, before and after the change, each once. It may look them up in the controller's caches. */
export function wakeMapped<T extends KubeObject>(
  map: (object: T, caches: Caches) => Iterable<ObjectKey>,
): (change: Change<T>, caches: Caches) => Iterable<Wake> {
  return (change, caches) => keysOf(change, (object) => map(object, caches));
}

/** The owner that controls the object, when it is of this kind (of any version of the group). */
export function wakeController(owner: OwnerKind): (change: Change) => Iterable<Wake> {
  return (change) =>
    keysOf(change, (object) => {
      const reference = controllerOf(object);
      return reference !== undefined && isOfKind(reference, owner) ? [ownerKey(object, reference, owner)] : [];
    });
}

/** All owners of this kind, controlling or not. */
export function wakeOwners(owner: OwnerKind): (change: Change) => Iterable<Wake> {
  return (change) =>
    keysOf(change, (object) =>
      (object.metadata?.ownerReferences ?? [])
        .filter((reference) => isOfKind(reference, owner))
        .map((reference) => ownerKey(object, reference, owner)),
    );
}

/** A kind that owns objects. A `ResourceType` will do. */
export interface OwnerKind {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The owner reference that controls the object; there is at most one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** The keys of the object as it is and, after an update, as it was; each once. */
function keysOf<T extends KubeObject>(
  change: Change<T>,
  map: (object: T) => Iterable<ObjectKey>,
): ReadonlySet<ObjectKey> {
  const keys = new Set<ObjectKey>(map(change.object));
  if (change.type === 'updated') for (const key of map(change.old)) keys.add(key);
  return keys;
}

function isOfKind(reference: OwnerReference, owner: OwnerKind): boolean {
  return reference.kind === owner.kind && parseApiVersion(reference.apiVersion).group === owner.group;
}

function ownerKey(object: KubeObject, reference: OwnerReference, owner: OwnerKind): ObjectKey {
  return toKey(owner.namespaced ? object.metadata?.namespace : undefined, reference.name);
}
