// A node and what runs on it, summed up (spec/scheduler.md §5.1). The cache changes its own; a snapshot holds copies, so that a
// scheduling cycle sees one state however long it takes.

import type { Node, Taint } from '@homeostat/api/types/core-v1';
import { UsedHostPorts } from '../framework/host-ports.ts';
import type { PodInfo } from '../framework/pod-info.ts';
import { type Amounts, type NodeAmounts, noNodeAmounts, toNodeAmounts } from '../resources/amounts.ts';

/** An image, as all nodes that have it know it. */
export interface ImageState {
  /** As the first node that reported it said. */
  readonly sizeBytes: number;
  /** How many nodes have it. */
  nodes: number;
}

const noPorts = new UsedHostPorts();
const noImages: ReadonlyMap<string, ImageState> = new Map();
const noTaints: readonly Taint[] = [];
const countsMax = 256;

/** Sums of what pods take; changed in place by their owner only. */
class MutableAmounts implements Amounts {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  scalars: Map<string, number>;

  constructor(from?: MutableAmounts) {
    this.milliCpu = from?.milliCpu ?? 0;
    this.memory = from?.memory ?? 0;
    this.ephemeralStorage = from?.ephemeralStorage ?? 0;
    this.scalars = from === undefined || from.scalars.size === 0 ? new Map() : new Map(from.scalars);
  }

  add(amounts: Amounts, sign: 1 | -1): void {
    this.milliCpu += sign * amounts.milliCpu;
    this.memory += sign * amounts.memory;
    this.ephemeralStorage += sign * amounts.ephemeralStorage;
    for (const [name, amount] of amounts.scalars) {
      const left = (this.scalars.get(name) ?? 0) + sign * amount;
      if (left === 0) this.scalars.delete(name);
      else this.scalars.set(name, left);
    }
  }
}

export class NodeInfo {
  readonly name: string;
  #node: Node | undefined;
  #pods: PodInfo[] = [];
  #podsWithAffinity: PodInfo[] = [];
  #podsWithRequiredAntiAffinity: PodInfo[] = [];
  #requested = new MutableAmounts();
  #nonZeroMilliCpu = 0;
  #nonZeroMemory = 0;
  #allocatable: NodeAmounts = noNodeAmounts;
  #ports: UsedHostPorts | undefined;
  #claims: Map<string, number> | undefined;
  #counts: Map<number, number> | undefined;
  /** Names of images on the node. */
  images: ReadonlyMap<string, ImageState> = noImages;
  /** Grows with every change, over all nodes of the process. */
  generation = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Absent while pods are known to be on a node that has not been seen, or has gone. */
  get node(): Node | undefined {
    return this.#node;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#node?.metadata?.labels ?? noLabels;
  }

  get taints(): readonly Taint[] {
    return this.#node?.spec?.taints ?? noTaints;
  }

  get pods(): readonly PodInfo[] {
    return this.#pods;
  }

  /** Pods with any term of pod (anti-)affinity. */
  get podsWithAffinity(): readonly PodInfo[] {
    return this.#podsWithAffinity;
  }

  get podsWithRequiredAntiAffinity(): readonly PodInfo[] {
    return this.#podsWithRequiredAntiAffinity;
  }

  get requested(): Amounts {
    return this.#requested;
  }

  /** With assumed amounts for pods that request nothing. */
  get nonZeroMilliCpu(): number {
    return this.#nonZeroMilliCpu;
  }

  get nonZeroMemory(): number {
    return this.#nonZeroMemory;
  }

  get allocatable(): NodeAmounts {
    return this.#allocatable;
  }

  get usedPorts(): UsedHostPorts {
    return this.#ports ?? noPorts;
  }

  /** `namespace/name` of claims in use, each as often as pods use it. */
  get claims(): ReadonlyMap<string, number> {
    return this.#claims ?? noClaims;
  }

  setNode(node: Node): void {
    if (node.status?.allocatable !== this.#node?.status?.allocatable || this.#node === undefined)
      this.#allocatable = toNodeAmounts(node.status?.allocatable);
    this.#node = node;
  }

  /** The node is gone; its pods are not yet. */
  removeNode(): void {
    this.#node = undefined;
    this.#allocatable = noNodeAmounts;
  }

  addPod(info: PodInfo): void {
    this.#pods.push(info);
    if (info.affinity.any) this.#podsWithAffinity.push(info);
    if (info.affinity.requiredAntiAffinity.length > 0) this.#podsWithRequiredAntiAffinity.push(info);
    this.#account(info, 1);
  }

  /** Whether the pod was there. */
  removePod(uid: string): boolean {
    const index = this.#pods.findIndex((pod) => pod.uid === uid);
    const info = this.#pods[index];
    if (info === undefined) return false;
    // The order of pods on a node means nothing: filling the gap with the last one is cheap.
    const last = this.#pods.pop();
    if (last !== undefined && last !== info) this.#pods[index] = last;
    if (info.affinity.any) {
      this.#podsWithAffinity = this.#podsWithAffinity.filter((pod) => pod !== info);
      this.#podsWithRequiredAntiAffinity = this.#podsWithRequiredAntiAffinity.filter((pod) => pod !== info);
    }
    this.#account(info, -1);
    return true;
  }

  /** A copy that may be changed without the original noticing. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name);
    copy.#node = this.#node;
    copy.#pods = this.#pods.slice();
    if (this.#podsWithAffinity.length > 0) copy.#podsWithAffinity = this.#podsWithAffinity.slice();
    if (this.#podsWithRequiredAntiAffinity.length > 0)
      copy.#podsWithRequiredAntiAffinity = this.#podsWithRequiredAntiAffinity.slice();
    copy.#requested = new MutableAmounts(this.#requested);
    copy.#nonZeroMilliCpu = this.#nonZeroMilliCpu;
    copy.#nonZeroMemory = this.#nonZeroMemory;
    copy.#allocatable = this.#allocatable;
    if (this.#ports?.isEmpty === false) copy.#ports = new UsedHostPorts(this.#ports);
    if (this.#claims !== undefined && this.#claims.size > 0) copy.#claims = new Map(this.#claims);
    copy.images = this.images;
    copy.generation = this.generation;
    return copy;
  }

  /**
   * How many pods match. Remembered until the pods change: in a cycle only few nodes differ from the last one.
   * @param key from `countKey`; stands for what `matches` asks
   */
  countPods(key: number, matches: (pod: PodInfo) => boolean): number {
    if (this.#pods.length === 0) return 0;
    const known = this.#counts?.get(key);
    if (known !== undefined) return known;
    let count = 0;
    for (const pod of this.#pods) if (matches(pod)) count++;
    if (this.#counts === undefined || this.#counts.size >= countsMax) this.#counts = new Map();
    this.#counts.set(key, count);
    return count;
  }

  #account(info: PodInfo, sign: 1 | -1): void {
    const { requested, nonZeroMilliCpu, nonZeroMemory } = info.usage;
    this.#counts = undefined;
    this.#requested.add(requested, sign);
    this.#nonZeroMilliCpu += sign * nonZeroMilliCpu;
    this.#nonZeroMemory += sign * nonZeroMemory;
    for (const port of info.hostPorts) {
      this.#ports ??= new UsedHostPorts();
      if (sign === 1) this.#ports.add(port);
      else this.#ports.remove(port);
    }
    for (const name of info.claimNames) {
      const key = `${info.namespace}/${name}`;
      this.#claims ??= new Map();
      const count = (this.#claims.get(key) ?? 0) + sign;
      if (count > 0) this.#claims.set(key, count);
      else this.#claims.delete(key);
    }
  }
}

const noLabels: Readonly<Record<string, string>> = {};
const noClaims: ReadonlyMap<string, number> = new Map();
