// How much each domain is liked or disliked by a pod's wishes, and by those of pods that are there (spec/scheduler.md §11.11).

import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import type { ResolvedTerm } from './resolved-term.ts';
import { createAsker, termGroupsOn } from './term-groups.ts';

export interface WeightedTerm {
  readonly term: ResolvedTerm;
  /** Negative: the fewer near, the better. */
  readonly weight: number;
}

export interface PreferredStateOptions {
  readonly own: readonly WeightedTerm[];
  readonly nodes: readonly NodeInfo[];
  readonly nodesWithAffinity: Iterable<NodeInfo>;
  /** How much a pod that must be near the likes of this one likes it. */
  readonly hardPodAffinityWeight: number;
  /** Leaves wishes of existing pods out. */
  readonly ignoreExisting: boolean;
  /** Of the pod's namespace, for terms of other pods. */
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

export class PreferredState {
  readonly #pod: PodInfo;
  readonly #options: PreferredStateOptions;
  readonly #scores = new Map<string, Map<string, number>>();

  constructor(pod: PodInfo, options: PreferredStateOptions) {
    this.#pod = pod;
    this.#options = options;
    const { own, nodes, nodesWithAffinity } = options;
    if (own.length > 0) {
      for (const node of nodes) {
        if (node.pods.length === 0) continue;
        for (const { term, weight } of own) {
          const count = term.countOn(node);
          if (count > 0) this.#add(term.topologyKey, node, count * weight);
        }
      }
    }
    this.#askOthers(nodesWithAffinity);
  }

  /** Nobody has any wish that concerns the pod. */
  get isEmpty(): boolean {
    return this.#scores.size === 0;
  }

  rawScore({ labels }: NodeInfo): number {
    let sum = 0;
    for (const [key, values] of this.#scores) {
      const value = labels[key];
      if (value !== undefined) sum += values.get(value) ?? 0;
    }
    return sum;
  }

  /** What pods that are there would say of this one. */
  #askOthers(nodes: Iterable<NodeInfo>): void {
    const { hardPodAffinityWeight, ignoreExisting, namespaceLabels } = this.#options;
    const isAboutPod = createAsker(this.#pod, namespaceLabels);
    for (const node of nodes) {
      const { affinity, wishes } = termGroupsOn(node);
      if (hardPodAffinityWeight > 0) {
        for (const [term, count] of affinity)
          if (isAboutPod(term)) this.#add(term.topologyKey, node, count * hardPodAffinityWeight);
      }
      if (ignoreExisting) continue;
      for (const [term, weight] of wishes) if (isAboutPod(term)) this.#add(term.topologyKey, node, weight);
    }
  }

  #add(key: string, { labels }: NodeInfo, by: number): void {
    const value = labels[key];
    if (value === undefined) return;
    let values = this.#scores.get(key);
    if (values === undefined) this.#scores.set(key, (values = new Map()));
    values.set(value, (values.get(value) ?? 0) + by);
  }
}
