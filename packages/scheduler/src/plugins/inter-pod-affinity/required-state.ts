// Where a pod may go by the terms that must hold, its own and those of pods that are there (spec/scheduler.md §11.11).

import type { NodeInfo } from '../../cache/node-info.ts';
import { matchesTerm } from '../../framework/affinity-term.ts';
import type { Cloneable } from '../../framework/cycle-state.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { PairCounts } from './pair-counts.ts';
import { createCounter, matchesAll, type ResolvedTerm } from './resolved-term.ts';
import { createAsker, termGroupsOn } from './term-groups.ts';

export interface RequiredTerms {
  readonly affinity: readonly ResolvedTerm[];
  readonly antiAffinity: readonly ResolvedTerm[];
  /** Of the pod's namespace, for terms of other pods. */
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

/** What keeps the pod off a node. */
export type Obstacle = 'affinity' | 'anti-affinity' | 'existing anti-affinity';

export class RequiredState implements Cloneable {
  readonly #pod: PodInfo;
  readonly #terms: RequiredTerms;
  /** Domains of pods that don't want this one near. */
  readonly #existing: PairCounts;
  /** Domains of pods it wants to be near. */
  readonly #wanted: PairCounts;
  /** Domains of pods it doesn't want near. */
  readonly #unwanted: PairCounts;

  constructor(pod: PodInfo, terms: RequiredTerms, counts?: readonly [PairCounts, PairCounts, PairCounts]) {
    this.#pod = pod;
    this.#terms = terms;
    [this.#existing, this.#wanted, this.#unwanted] = counts ?? [new PairCounts(), new PairCounts(), new PairCounts()];
  }

  /** No term, of whomever, concerns the pod. */
  get isIdle(): boolean {
    const { affinity, antiAffinity } = this.#terms;
    return this.#existing.isEmpty && affinity.length === 0 && antiAffinity.length === 0;
  }

  /** Counts over the cluster. */
  count(nodes: readonly NodeInfo[], withAntiAffinity: Iterable<NodeInfo>): void {
    const isAboutPod = createAsker(this.#pod, this.#terms.namespaceLabels);
    for (const node of withAntiAffinity) {
      for (const [term, by] of termGroupsOn(node).antiAffinity)
        if (isAboutPod(term)) this.#add(this.#existing, term.topologyKey, { node, by });
    }
    const { affinity, antiAffinity } = this.#terms;
    if (affinity.length === 0 && antiAffinity.length === 0) return;
    const countWanted = createCounter(affinity);
    for (const node of nodes) {
      if (node.pods.length === 0) continue;
      if (affinity.length > 0) this.#addAll(this.#wanted, affinity, { node, by: countWanted(node) });
      for (const term of antiAffinity) this.#add(this.#unwanted, term.topologyKey, { node, by: term.countOn(node) });
    }
  }

  /** A pod comes to a node, or leaves it, in thought. */
  change(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const { affinity, antiAffinity } = this.#terms;
    this.#countExisting(other, node, by);
    if (matchesAll(affinity, other)) this.#addAll(this.#wanted, affinity, { node, by });
    for (const term of antiAffinity) if (term.matches(other)) this.#add(this.#unwanted, term.topologyKey, { node, by });
  }

  /** What keeps the pod off a node; undefined when nothing does. */
  obstacleOn({ labels }: NodeInfo): Obstacle | undefined {
    if (!this.#isNearWanted(labels)) return 'affinity';
    for (const { topologyKey } of this.#terms.antiAffinity) {
      const value = labels[topologyKey];
      if (value !== undefined && this.#unwanted.get(topologyKey, value) > 0) return 'anti-affinity';
    }
    if (this.#existing.isEmpty) return undefined;
    for (const key of this.#existing.keys()) {
      const value = labels[key];
      if (value !== undefined && this.#existing.get(key, value) > 0) return 'existing anti-affinity';
    }
    return undefined;
  }

  clone(): RequiredState {
    const counts = [this.#existing.clone(), this.#wanted.clone(), this.#unwanted.clone()] as const;
    return new RequiredState(this.#pod, this.#terms, [...counts]);
  }

  #isNearWanted(labels: Readonly<Record<string, string>>): boolean {
    let near = true;
    for (const { topologyKey } of this.#terms.affinity) {
      const value = labels[topologyKey];
      if (value === undefined) return false;
      if (this.#wanted.get(topologyKey, value) <= 0) near = false;
    }
    // The first pod of a group that wants to be together would wait for ever.
    return near || (this.#wanted.isEmpty && matchesAll(this.#terms.affinity, this.#pod));
  }

  #countExisting(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    for (const term of other.affinity.requiredAntiAffinity) {
      if (matchesTerm(term, this.#pod, this.#terms.namespaceLabels))
        this.#add(this.#existing, term.topologyKey, { node, by });
    }
  }

  #addAll(
    counts: PairCounts,
    terms: readonly ResolvedTerm[],
    change: { readonly node: NodeInfo; readonly by: number },
  ): void {
    for (const { topologyKey } of terms) this.#add(counts, topologyKey, change);
  }

  #add(counts: PairCounts, key: string, { node, by }: { readonly node: NodeInfo; readonly by: number }): void {
    const value = node.labels[key];
    if (value !== undefined) counts.add(key, value, by);
  }
}
