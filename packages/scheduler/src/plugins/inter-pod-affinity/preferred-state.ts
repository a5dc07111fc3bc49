// How much each domain is liked or disliked by a pod's wishes, and by those of pods that are there (spec/scheduler.md §11.11).

import type { NodeInfo } from '../../cache/node-info.ts';
import { type AffinityTerm, matchesTerm } from '../../framework/affinity-term.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import type { ResolvedTerm } from './resolved-term.ts';

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
    for (const node of nodesWithAffinity) for (const other of node.podsWithAffinity) this.#ask(other, node);
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

  /** What a pod that is there would say of this one. */
  #ask(other: PodInfo, node: NodeInfo): void {
    const { hardPodAffinityWeight, ignoreExisting } = this.#options;
    const { requiredAffinity, preferredAffinity, preferredAntiAffinity } = other.affinity;
    if (hardPodAffinityWeight > 0)
      for (const term of requiredAffinity) this.#askTerm(term, node, hardPodAffinityWeight);
    if (ignoreExisting) return;
    for (const { term, weight } of preferredAffinity) this.#askTerm(term, node, weight);
    for (const { term, weight } of preferredAntiAffinity) this.#askTerm(term, node, -weight);
  }

  #askTerm(term: AffinityTerm, node: NodeInfo, weight: number): void {
    if (matchesTerm(term, this.#pod, this.#options.namespaceLabels)) this.#add(term.topologyKey, node, weight);
  }

  #add(key: string, { labels }: NodeInfo, by: number): void {
    const value = labels[key];
    if (value === undefined) return;
    let values = this.#scores.get(key);
    if (values === undefined) this.#scores.set(key, (values = new Map()));
    values.set(value, (values.get(value) ?? 0) + by);
  }
}
