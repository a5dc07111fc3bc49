// How evenly each node would leave a pod's siblings spread, for constraints that are wishes (spec/scheduler.md §11.10).

import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { countOn, hasAllKeys, hostnameLabel, isIncluded, type SpreadConstraint } from './constraint.ts';

export interface SoftStateOptions {
  readonly constraints: readonly SpreadConstraint[];
  /** Nodes without a key of some constraint get no score. */
  readonly requireAll: boolean;
  readonly feasible: readonly NodeInfo[];
  readonly all: readonly NodeInfo[];
}

type CountOptions = Pick<SoftStateOptions, 'all' | 'requireAll'>;

export class SoftState {
  readonly #pod: PodInfo;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #counts: readonly ReadonlyMap<string, number>[];
  readonly #weights: readonly number[];
  readonly #ignored = new Set<string>();

  constructor(pod: PodInfo, options: SoftStateOptions) {
    const { constraints, requireAll, feasible, all } = options;
    this.#pod = pod;
    this.#constraints = constraints;
    const domains = constraints.map(() => new Map<string, number>());
    const unlabelled = constraints.map(() => false);
    // Loops over nodes are the scheduler's hottest: no iterators, no closures.
    for (let at = 0; at < feasible.length; at++) {
      const info = feasible[at];
      if (info === undefined) continue;
      const { labels } = info;
      if (requireAll && !hasAllKeys(labels, constraints)) {
        this.#ignored.add(info.name);
        continue;
      }
      for (let index = 0; index < constraints.length; index++) {
        const topologyKey = constraints[index]?.topologyKey ?? '';
        if (topologyKey === hostnameLabel) continue;
        const value = labels[topologyKey];
        if (value === undefined) unlabelled[index] = true;
        else domains[index]?.set(value, 0);
      }
    }
    // Rare domains weigh less: with few of them there is little to gain from choosing between them.
    this.#weights = constraints.map(({ topologyKey }, index) => {
      const size =
        topologyKey === hostnameLabel
          ? feasible.length - this.#ignored.size
          : (domains[index]?.size ?? 0) + (unlabelled[index] === true ? 1 : 0);
      return Math.log(size + 2);
    });
    this.#counts = domains;
    if (domains.some(({ size }) => size > 0)) this.#count(domains, { all, requireAll });
  }

  #count(domains: readonly Map<string, number>[], { all, requireAll }: CountOptions): void {
    const { pod } = this.#pod;
    const constraints = this.#constraints.map((constraint, index) => ({ constraint, domain: domains[index] }));
    for (let at = 0; at < all.length; at++) {
      const info = all[at];
      const node = info?.node;
      if (info === undefined || node === undefined || info.pods.length === 0) continue;
      const { labels } = info;
      if (requireAll && !hasAllKeys(labels, this.#constraints)) continue;
      for (const { constraint, domain } of constraints) {
        const value = labels[constraint.topologyKey];
        const known = value === undefined ? undefined : domain?.get(value);
        if (value === undefined || known === undefined) continue;
        const count = countOn(info, constraint);
        if (count > 0 && isIncluded(constraint, pod, node)) domain?.set(value, known + count);
      }
    }
  }

  isIgnored(node: NodeInfo): boolean {
    return this.#ignored.has(node.name);
  }

  /** The lower, the better. */
  rawScore(info: NodeInfo): number {
    if (this.#ignored.size > 0 && this.isIgnored(info)) return 0;
    const { labels } = info;
    let score = 0;
    for (let index = 0; index < this.#constraints.length; index++) {
      const constraint = this.#constraints[index];
      const value = constraint === undefined ? undefined : labels[constraint.topologyKey];
      if (constraint === undefined || value === undefined) continue;
      const count =
        constraint.topologyKey === hostnameLabel ? countOn(info, constraint) : (this.#counts[index]?.get(value) ?? 0);
      score += count * (this.#weights[index] ?? 0) + (constraint.maxSkew - 1);
    }
    return Math.round(score);
  }
}
