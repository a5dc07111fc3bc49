// The cluster as one scheduling cycle sees it (spec/scheduler.md §5.3). Only the cache writes it, between cycles; plugins read it
// and never the cache.

import type { NodeInfo } from './node-info.ts';

export class Snapshot {
  readonly #infos = new Map<string, NodeInfo>();
  #nodes: NodeInfo[] = [];
  readonly #positions = new Map<string, number>();
  readonly #withAffinity = new Map<string, NodeInfo>();
  readonly #withRequiredAntiAffinity = new Map<string, NodeInfo>();
  readonly #claims = new Map<string, number>();
  /** The newest change it contains. */
  generation = 0;

  /** All nodes, one zone in turn with the others. */
  get nodes(): readonly NodeInfo[] {
    return this.#nodes;
  }

  get(name: string): NodeInfo | undefined {
    return this.#infos.get(name);
  }

  /** Nodes that have pods with terms of pod (anti-)affinity. */
  get nodesWithAffinity(): Iterable<NodeInfo> {
    return this.#withAffinity.values();
  }

  get nodesWithRequiredAntiAffinity(): Iterable<NodeInfo> {
    return this.#withRequiredAntiAffinity.values();
  }

  get hasRequiredAntiAffinity(): boolean {
    return this.#withRequiredAntiAffinity.size > 0;
  }

  /** Whether a pod on some node uses the claim `namespace/name`. */
  isClaimUsed(key: string): boolean {
    return this.#claims.has(key);
  }

  /** Takes over the state of a node. The cache's. */
  put(info: NodeInfo): void {
    const before = this.#infos.get(info.name);
    this.#infos.set(info.name, info);
    const position = this.#positions.get(info.name);
    if (position !== undefined) this.#nodes[position] = info;
    this.#index(before, info);
  }

  /** The node is gone. The cache's. */
  delete(name: string): void {
    const before = this.#infos.get(name);
    if (before === undefined) return;
    this.#infos.delete(name);
    this.#index(before, undefined);
  }

  /** Sets which nodes there are, and their order. The cache's. */
  order(names: readonly string[]): void {
    this.#positions.clear();
    this.#nodes = [];
    for (const name of names) {
      const info = this.#infos.get(name);
      if (info === undefined) continue;
      this.#positions.set(name, this.#nodes.length);
      this.#nodes.push(info);
    }
  }

  /** Names it knows. The cache's. */
  names(): Iterable<string> {
    return this.#infos.keys();
  }

  get size(): number {
    return this.#infos.size;
  }

  #index(before: NodeInfo | undefined, now: NodeInfo | undefined): void {
    const name = (now ?? before)?.name ?? '';
    if (now !== undefined && now.podsWithAffinity.length > 0) this.#withAffinity.set(name, now);
    else this.#withAffinity.delete(name);
    if (now !== undefined && now.podsWithRequiredAntiAffinity.length > 0) this.#withRequiredAntiAffinity.set(name, now);
    else this.#withRequiredAntiAffinity.delete(name);
    for (const key of before?.claims.keys() ?? []) {
      const left = (this.#claims.get(key) ?? 0) - 1;
      if (left > 0) this.#claims.set(key, left);
      else this.#claims.delete(key);
    }
    for (const key of now?.claims.keys() ?? []) this.#claims.set(key, (this.#claims.get(key) ?? 0) + 1);
  }
}
