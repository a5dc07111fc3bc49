// What the scheduler knows of nodes and the pods on them, its own decisions included before the API server confirms them
// (spec/scheduler.md §5.1). Assumed pods never expire: they are confirmed, forgotten or deleted. Memory: one entry per node and pod.

import type { Env } from '@homeostat/base';
import { invariant } from '@homeostat/base';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { type PodInfo, podInfoOf } from '../framework/pod-info.ts';
import { type ImageState, NodeInfo } from './node-info.ts';
import { NodeTree } from './node-tree.ts';
import type { Snapshot } from './snapshot.ts';

interface Entry {
  readonly info: NodeInfo;
  /** Towards more recent changes. */
  newer: Entry | undefined;
  older: Entry | undefined;
}

export class SchedulerCache {
  readonly #env: Env;
  readonly #entries = new Map<string, Entry>();
  /** The most recently changed node; copying a snapshot stops at the first one it knows. */
  #newest: Entry | undefined;
  readonly #pods = new Map<string, PodInfo>();
  readonly #assumed = new Set<string>();
  readonly #tree = new NodeTree();
  readonly #images = new Map<string, ImageState>();
  readonly #gone = new Set<string>();
  #generation = 0;
  #nodesChanged = false;

  constructor(env: Env) {
    this.#env = env;
  }

  get nodeCount(): number {
    return this.#tree.size;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get assumedCount(): number {
    return this.#assumed.size;
  }

  /** The pod as the cache knows it. */
  getPod(uid: string): PodInfo | undefined {
    return this.#pods.get(uid);
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** Counts a pod as bound before the API server knows. @throws Error when the pod is there already */
  assume(info: PodInfo): void {
    if (this.#pods.has(info.uid)) throw new Error(`pod ${info.uid}(${info.key}) is in the cache, so can't be assumed`);
    this.#put(info);
    this.#assumed.add(info.uid);
  }

  /** Takes an assumption back. One that is gone already is fine. @throws Error when the pod has been confirmed */
  forget(info: PodInfo): void {
    if (!this.#pods.has(info.uid)) return;
    if (!this.#assumed.has(info.uid))
      throw new Error(`pod ${info.uid}(${info.key}) wasn't assumed so cannot be forgotten`);
    this.#take(info.uid);
  }

  /** A bound pod has been seen: new, or the confirmation of an assumed one. */
  addPod(pod: Pod): void {
    const info = podInfoOf(pod);
    const known = this.#pods.get(info.uid);
    if (known !== undefined) {
      if (known.nodeName !== info.nodeName) {
        this.#env.log.info('a pod was assumed on another node than it was bound to', {
          pod: info.key,
          assumed: known.nodeName,
          bound: info.nodeName,
        });
      }
      this.#take(info.uid);
    }
    this.#put(info);
  }

  /** A bound pod has changed. */
  updatePod(pod: Pod): void {
    const info = podInfoOf(pod);
    const known = this.#pods.get(info.uid);
    if (known !== undefined && !this.#assumed.has(info.uid)) {
      invariant(known.nodeName === info.nodeName, `pod ${info.key} moved from ${known.nodeName} to ${info.nodeName}`);
    }
    if (known !== undefined) this.#take(info.uid);
    this.#put(info);
  }

  /** A bound pod has gone. */
  removePod(pod: Pod): void {
    this.#take(podInfoOf(pod).uid);
  }

  /** A node is new or has changed. */
  setNode(node: Node): void {
    const name = node.metadata?.name ?? '';
    const entry = this.#entry(name);
    const before = entry.info.node;
    if (before === undefined) {
      this.#nodesChanged = true;
      this.#gone.delete(name);
    }
    this.#tree.set(node);
    if (before?.status?.images !== node.status?.images || before === undefined) this.#setImages(entry.info, node);
    entry.info.setNode(node);
    this.#touch(entry);
  }

  /** A node has gone; pods still known to be on it keep their entry. */
  removeNode(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#tree.delete(name);
    this.#dropImages(entry.info);
    entry.info.removeNode();
    this.#nodesChanged = true;
    this.#gone.add(name);
    if (entry.info.pods.length === 0) this.#unlink(entry, true);
    else this.#touch(entry);
  }

  /** Brings a snapshot up to date: costs what has changed since its last update. */
  updateSnapshot(snapshot: Snapshot): void {
    for (let entry = this.#newest; entry !== undefined; entry = entry.older) {
      if (entry.info.generation <= snapshot.generation) break;
      if (entry.info.node !== undefined) snapshot.put(entry.info.clone());
    }
    snapshot.generation = this.#generation;
    if (!this.#nodesChanged) return;
    for (const name of this.#gone) snapshot.delete(name);
    this.#gone.clear();
    snapshot.order(this.#tree.list());
    this.#nodesChanged = false;
    invariant(
      snapshot.nodes.length === this.#tree.size && snapshot.size === this.#tree.size,
      `snapshot state is not consistent, length of NodeInfoList=${snapshot.nodes.length} not equal to length of nodes in tree=${this.#tree.size}`,
    );
  }

  #put(info: PodInfo): void {
    const entry = this.#entry(info.nodeName);
    entry.info.addPod(info);
    this.#touch(entry);
    this.#pods.set(info.uid, info);
    this.#assumed.delete(info.uid);
  }

  #take(uid: string): void {
    const info = this.#pods.get(uid);
    if (info === undefined) return;
    this.#pods.delete(uid);
    this.#assumed.delete(uid);
    const entry = this.#entries.get(info.nodeName);
    if (entry === undefined) return;
    entry.info.removePod(uid);
    if (entry.info.node === undefined && entry.info.pods.length === 0) this.#unlink(entry, true);
    else this.#touch(entry);
  }

  #entry(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = { info: new NodeInfo(name), newer: undefined, older: undefined };
      this.#entries.set(name, entry);
    }
    return entry;
  }

  /** Gives the node a new generation and puts it in front. */
  #touch(entry: Entry): void {
    entry.info.generation = ++this.#generation;
    if (entry === this.#newest) return;
    this.#unlink(entry, false);
    entry.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry, remove: boolean): void {
    if (entry.newer !== undefined) entry.newer.older = entry.older;
    if (entry.older !== undefined) entry.older.newer = entry.newer;
    if (this.#newest === entry) this.#newest = entry.older;
    entry.newer = undefined;
    entry.older = undefined;
    if (remove) this.#entries.delete(entry.info.name);
  }

  #setImages(info: NodeInfo, node: Node): void {
    this.#dropImages(info);
    const { images = [] } = node.status ?? {};
    if (images.length === 0) return;
    const states = new Map<string, ImageState>();
    for (const { names, sizeBytes = 0 } of images) {
      for (const name of names ?? []) {
        if (states.has(name)) continue;
        let state = this.#images.get(name);
        if (state === undefined) this.#images.set(name, (state = { sizeBytes, nodes: 0 }));
        state.nodes++;
        states.set(name, state);
      }
    }
    info.images = states;
  }

  #dropImages(info: NodeInfo): void {
    for (const [name, state] of info.images) {
      if (--state.nodes === 0) this.#images.delete(name);
    }
    info.images = new Map();
  }
}
