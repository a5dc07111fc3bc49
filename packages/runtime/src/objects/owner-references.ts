// Owner references: written with upstream's checks, so that the garbage collector never meets one it must judge as wrong (case B7). Pure:
// objects go in, new objects come out.

import { type KubeObject, type OwnerReference, parseApiVersion, toApiVersion } from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';

/** An owner: the object, and its resource, because objects of lists don't name their kind. */
export interface Owner {
  readonly object: KubeObject;
  readonly resource: ResourceType;
  /** Whether foreground deletion of the owner waits for the dependent; default true for controllers, false otherwise. */
  readonly blockOwnerDeletion?: boolean;
}

/** An object has another controller already. */
export class AlreadyOwnedError extends Error {
  override readonly name = 'AlreadyOwnedError';
  /** The controller it has. */
  readonly owner: OwnerReference;

  constructor(object: KubeObject, owner: OwnerReference) {
    const { namespace = '', name = '' } = object.metadata ?? {};
    super(`Object ${namespace}/${name} is already owned by another ${owner.kind} controller ${owner.name}`);
    this.owner = owner;
  }
}

/** The reference a controller writes on what it makes. */
export function controllerReference(owner: KubeObject, resource: ResourceType): OwnerReference {
  return { ...referenceTo({ object: owner, resource }), controller: true, blockOwnerDeletion: true };
}

/**
 * The object with `owner` as its controller; the same object when it is that already.
 *
 * @throws AlreadyOwnedError when another object controls it; Error when the owner is in another namespace, or namespaced while the object
 *   is not: such references are void.
 */
export function setControllerReference<T extends KubeObject>(object: T, owner: Owner): T {
  checkScopes(object, owner);
  const reference = { ...referenceTo(owner), controller: true, blockOwnerDeletion: owner.blockOwnerDeletion ?? true };
  const existing = object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (existing !== undefined && !isSameOwner(existing, reference)) throw new AlreadyOwnedError(object, existing);
  return withReference(object, reference);
}

/** The object with `owner` among its owners, not as its controller. @throws Error as {@link setControllerReference} for void references. */
export function setOwnerReference<T extends KubeObject>(object: T, owner: Owner): T {
  checkScopes(object, owner);
  const { blockOwnerDeletion } = owner;
  return withReference(object, {
    ...referenceTo(owner),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  });
}

/** The object without `owner` among its owners; the same object when it was not there. */
export function removeOwnerReference<T extends KubeObject>(object: T, owner: Owner): T {
  const { ownerReferences = [] } = object.metadata ?? {};
  const reference = referenceTo(owner);
  const kept = ownerReferences.filter((each) => !isSameOwner(each, reference));
  if (kept.length === ownerReferences.length) return object;
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}

/** Whether `owner` is among the owners, by group, kind and name as upstream has it, and by uid. */
export function hasOwnerReference(object: KubeObject, owner: Owner): boolean {
  const reference = referenceTo(owner);
  return (
    object.metadata?.ownerReferences?.some((each) => isSameOwner(each, reference) && each.uid === reference.uid) ===
    true
  );
}

function referenceTo({ object, resource }: Owner): OwnerReference {
  return {
    apiVersion: toApiVersion(resource),
    kind: resource.kind,
    name: object.metadata?.name ?? '',
    uid: object.metadata?.uid ?? '',
  };
}

function withReference<T extends KubeObject>(object: T, reference: OwnerReference): T {
  const { ownerReferences = [] } = object.metadata ?? {};
  const at = ownerReferences.findIndex((each) => isSameOwner(each, reference));
  const before = ownerReferences[at];
  if (before === undefined) {
    return { ...object, metadata: { ...object.metadata, ownerReferences: [...ownerReferences, reference] } };
  }
  if (isEqual(before, reference)) return object;
  return { ...object, metadata: { ...object.metadata, ownerReferences: ownerReferences.with(at, reference) } };
}

function checkScopes(object: KubeObject, { object: owner }: Owner): void {
  const ownerNamespace = owner.metadata?.namespace ?? '';
  const namespace = object.metadata?.namespace ?? '';
  if (ownerNamespace === '') return;
  if (namespace === '') {
    throw new Error(
      `cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${ownerNamespace}`,
    );
  }
  if (namespace !== ownerNamespace) {
    throw new Error(
      `cross-namespace owner references are disallowed, owner's namespace ${ownerNamespace}, obj's namespace ${namespace}`,
    );
  }
}

/** One owner by group, kind and name: a recreated owner takes the place of the old one. */
function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group
  );
}

function isEqual(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.apiVersion === b.apiVersion &&
    a.uid === b.uid &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}
