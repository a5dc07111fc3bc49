// The ownership graph: who owns whom, by uid, as informers tell it (spec/infrastructure.md §7.2, §7.3). It decides
// nothing: every change returns which objects are worth a look. Owners need not be known: a dependent that names one the
// graph has never seen is looked at live, so the order of arrival does not matter (case B7).

import type { KubeObject, OwnerReference } from '@homeostat/machinery';

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface GraphNode {
  readonly identity: Identity;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly beingDeleted: boolean;
  /** Being deleted in the foreground: it waits for its blocking dependents. */
  readonly deletingDependents: boolean;
}

/** Objects worth a look after a change, by uid. */
export interface Effects {
  readonly inspect: readonly string[];
  readonly orphan: readonly string[];
}

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

export class OwnershipGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  /** Dependents whose reference blocks the owner's deletion. */
  blockingDependentsOf(uid: string): readonly GraphNode[] {
    return this.dependentsOf(uid).filter((node) =>
      node.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  /** Takes in the present state of an object. */
  upsert(identity: Identity, object: KubeObject): Effects {
    const old = this.#nodes.get(identity.uid);
    const node = toNode(identity, object);
    this.#nodes.set(identity.uid, node);
    const inspect = new Set<string>();
    this.#relink(old, node, inspect);
    if (this.#needsLook(node)) inspect.add(identity.uid);
    // Only now is it known who it really is: dependents that came before may have been mistaken.
    for (const dependent of old === undefined ? this.dependentsOf(identity.uid) : []) {
      if (dependent.owners.some((owner) => owner.uid === identity.uid && !matches(owner, dependent, node)))
        inspect.add(dependent.identity.uid);
    }
    const orphans = node.beingDeleted && node.finalizers.includes(orphanFinalizer);
    if (node.deletingDependents && !orphans) {
      inspect.add(identity.uid);
      if (old?.deletingDependents !== true)
        for (const dependent of this.dependentsOf(identity.uid)) inspect.add(dependent.identity.uid);
    }
    return { inspect: [...inspect], orphan: orphans ? [identity.uid] : [] };
  }

  /** Takes out an object that is gone. */
  remove(uid: string): Effects {
    const node = this.#nodes.get(uid);
    if (node === undefined) return { inspect: [], orphan: [] };
    this.#nodes.delete(uid);
    const inspect = new Set<string>();
    for (const owner of node.owners) {
      this.#unlink(owner.uid, uid);
      if (this.#nodes.get(owner.uid)?.deletingDependents === true) inspect.add(owner.uid);
    }
    for (const dependent of this.#dependents.get(uid) ?? []) inspect.add(dependent);
    return { inspect: [...inspect], orphan: [] };
  }

  #relink(old: GraphNode | undefined, node: GraphNode, inspect: Set<string>): void {
    const { uid } = node.identity;
    const present = new Set(node.owners.map((owner) => owner.uid));
    for (const before of old?.owners ?? []) {
      const after = node.owners.find((owner) => owner.uid === before.uid);
      if (!present.has(before.uid)) this.#unlink(before.uid, uid);
      const freed = before.blockOwnerDeletion === true && after?.blockOwnerDeletion !== true;
      if ((after === undefined || freed) && this.#nodes.get(before.uid)?.deletingDependents === true)
        inspect.add(before.uid);
    }
    for (const owner of node.owners) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents === undefined) this.#dependents.set(owner.uid, new Set([uid]));
      else dependents.add(uid);
    }
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }

  // An owner that is unknown, or known under other coordinates, or that waits for its dependents.
  #needsLook(node: GraphNode): boolean {
    return node.owners.some((owner) => {
      const found = this.#nodes.get(owner.uid);
      return found === undefined || found.deletingDependents || !matches(owner, node, found);
    });
  }
}

/** Whether a reference of `dependent` names `owner` as it really is. */
export function matches(reference: OwnerReference, dependent: GraphNode, owner: GraphNode): boolean {
  const { identity } = owner;
  return (
    groupOf(reference.apiVersion) === groupOf(identity.apiVersion) &&
    reference.kind === identity.kind &&
    reference.name === identity.name &&
    (identity.namespace === '' || identity.namespace === dependent.identity.namespace)
  );
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

function toNode(identity: Identity, object: KubeObject): GraphNode {
  const finalizers = object.metadata?.finalizers ?? [];
  const beingDeleted = object.metadata?.deletionTimestamp !== undefined;
  return {
    identity,
    owners: object.metadata?.ownerReferences ?? [],
    finalizers,
    beingDeleted,
    deletingDependents: beingDeleted && finalizers.includes(foregroundFinalizer),
  };
}
