// Which objects each node has to do with, through the Pods bound to it: the memory of the node authorizer.
// Fed from Pods, PersistentVolumes, VolumeAttachments, ResourceSlices and PodCertificateRequests; a question costs a few
// map look-ups whatever the size of the cluster. Spec: spec/apiserver.md §17, the node authorizer.

import type { KubeObject } from '@homeostat/machinery';
import {
  isMirrorPod,
  type PersistentVolumeLike,
  podClaimNames,
  podConfigMapNames,
  type PodLike,
  podResourceClaimNames,
  podSecretNames,
  volumeSecretKeys,
} from './pod-references.ts';

/** Kinds of objects that can be related to a node. */
export type RelatedType =
  | 'pod'
  | 'secret'
  | 'configmap'
  | 'pvc'
  | 'pv'
  | 'resourceclaim'
  | 'serviceaccount'
  | 'volumeattachment'
  | 'resourceslice'
  | 'podcertificaterequest';

interface Edges {
  readonly node: string;
  readonly keys: readonly string[];
}

interface VolumeEdges {
  readonly claimKey: string;
  readonly secretKeys: ReadonlySet<string>;
}

export class NodeGraph {
  /** Object key → node → how many owners (Pods) relate the two. */
  readonly #nodesOf = new Map<string, Map<string, number>>();
  readonly #owners = new Map<string, Edges>();
  readonly #volumes = new Map<string, VolumeEdges>();
  readonly #volumesOfSecret = new Map<string, Set<string>>();

  setPod(pod: PodLike): void {
    const key = keyOf('pod', pod.metadata?.namespace, pod.metadata?.name);
    const node = pod.spec?.nodeName ?? '';
    if (node === '') {
      this.#removeOwner(key);
      return;
    }
    this.#setOwner(key, node, [key, ...this.#podKeys(pod)]);
  }

  deletePod(pod: KubeObject): void {
    this.#removeOwner(keyOf('pod', pod.metadata?.namespace, pod.metadata?.name));
  }

  /** An object that names its node itself; an empty node name removes it. */
  setOwned(type: RelatedType, object: KubeObject, nodeName: string): void {
    const key = keyOf(type, object.metadata?.namespace, object.metadata?.name);
    if (nodeName === '') this.#removeOwner(key);
    else this.#setOwner(key, nodeName, [key]);
  }

  setVolume(volume: PersistentVolumeLike): void {
    const name = volume.metadata?.name ?? '';
    this.deleteVolume(volume);
    const claim = volume.spec?.claimRef;
    if (claim === undefined) return;
    const edges = { claimKey: keyOf('pvc', claim.namespace, claim.name), secretKeys: volumeSecretKeys(volume) };
    this.#volumes.set(name, edges);
    for (const secret of edges.secretKeys) {
      let names = this.#volumesOfSecret.get(secret);
      if (names === undefined) this.#volumesOfSecret.set(secret, (names = new Set()));
      names.add(name);
    }
  }

  deleteVolume(volume: KubeObject): void {
    const name = volume.metadata?.name ?? '';
    for (const secret of this.#volumes.get(name)?.secretKeys ?? []) {
      const names = this.#volumesOfSecret.get(secret);
      names?.delete(name);
      if (names?.size === 0) this.#volumesOfSecret.delete(secret);
    }
    this.#volumes.delete(name);
  }

  /** Whether the node has to do with the object. `namespace` is empty for cluster-scoped types. */
  isRelated(
    nodeName: string,
    type: RelatedType,
    object: { readonly namespace: string; readonly name: string },
  ): boolean {
    if (type === 'pv') return this.#volumeIsRelated(nodeName, object.name);
    if (this.#has(nodeName, keyOf(type, object.namespace, object.name))) return true;
    if (type !== 'secret') return false;
    for (const volume of this.#volumesOfSecret.get(`${object.namespace}/${object.name}`) ?? []) {
      if (this.#volumeIsRelated(nodeName, volume)) return true;
    }
    return false;
  }

  #volumeIsRelated(nodeName: string, volume: string): boolean {
    const edges = this.#volumes.get(volume);
    return edges !== undefined && this.#has(nodeName, edges.claimKey);
  }

  #has(nodeName: string, key: string): boolean {
    return this.#nodesOf.get(key)?.has(nodeName) ?? false;
  }

  #podKeys(pod: PodLike): string[] {
    // A kubelet makes its mirror Pods itself: they must not widen what it may read.
    if (isMirrorPod(pod)) return [];
    const namespace = pod.metadata?.namespace;
    const account = pod.spec?.serviceAccountName ?? '';
    const keysOf = (type: RelatedType, names: Iterable<string>): string[] =>
      Array.from(names, (name) => keyOf(type, namespace, name));
    return [
      ...(account === '' ? [] : keysOf('serviceaccount', [account])),
      ...keysOf('secret', podSecretNames(pod)),
      ...keysOf('configmap', podConfigMapNames(pod)),
      ...keysOf('pvc', podClaimNames(pod)),
      ...keysOf('resourceclaim', podResourceClaimNames(pod)),
    ];
  }

  #setOwner(owner: string, node: string, keys: readonly string[]): void {
    const old = this.#owners.get(owner);
    // Status updates of Pods are most of the traffic and change nothing here.
    if (old !== undefined && old.node === node && sameKeys(old.keys, keys)) return;
    this.#removeOwner(owner);
    this.#owners.set(owner, { node, keys });
    for (const key of keys) {
      let nodes = this.#nodesOf.get(key);
      if (nodes === undefined) this.#nodesOf.set(key, (nodes = new Map()));
      nodes.set(node, (nodes.get(node) ?? 0) + 1);
    }
  }

  #removeOwner(owner: string): void {
    const old = this.#owners.get(owner);
    if (old === undefined) return;
    this.#owners.delete(owner);
    for (const key of old.keys) {
      const nodes = this.#nodesOf.get(key);
      const count = nodes?.get(old.node) ?? 0;
      if (count > 1) nodes?.set(old.node, count - 1);
      else nodes?.delete(old.node);
      if (nodes?.size === 0) this.#nodesOf.delete(key);
    }
  }
}

function keyOf(type: RelatedType, namespace: string | undefined, name: string | undefined): string {
  return `${type}/${namespace ?? ''}/${name ?? ''}`;
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
