// How many pods each domain has, for the constraints that must hold (spec/scheduler.md §11.10). Counted once per cycle; what-if runs keep
// the differences, which concern one node and so one domain of each constraint.

import type { NodeInfo } from '../../cache/node-info.ts';
import type { Cloneable } from '../../framework/cycle-state.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { countOn, hasAllKeys, isIncluded, type SpreadConstraint } from './constraint.ts';

interface Domains {
  readonly counts: ReadonlyMap<string, number>;
  /** The domain with the fewest pods, and the runner-up. */
  readonly least: readonly (readonly [value: string, count: number])[];
}

export class HardState implements Cloneable {
  readonly constraints: readonly SpreadConstraint[];
  readonly #domains: readonly Domains[];
  readonly #changes: readonly Map<string, number>[];

  private constructor(
    constraints: readonly SpreadConstraint[],
    domains: readonly Domains[],
    changes: readonly ReadonlyMap<string, number>[],
  ) {
    this.constraints = constraints;
    this.#domains = domains;
    this.#changes = changes.map((change) => new Map(change));
  }

  static count(pod: PodInfo, constraints: readonly SpreadConstraint[], nodes: readonly NodeInfo[]): HardState {
    const counts = constraints.map(() => new Map<string, number>());
    for (const info of nodes) {
      const { node, labels } = info;
      if (node === undefined || !hasAllKeys(labels, constraints)) continue;
      for (const [index, constraint] of constraints.entries()) {
        if (!isIncluded(constraint, pod.pod, node)) continue;
        const value = labels[constraint.topologyKey] ?? '';
        const ofConstraint = counts[index];
        ofConstraint?.set(value, (ofConstraint.get(value) ?? 0) + countOn(info, constraint));
      }
    }
    const domains = counts.map((map) => ({ counts: map, least: twoLeast(map) }));
    return new HardState(
      constraints,
      domains,
      constraints.map(() => new Map()),
    );
  }

  clone(): HardState {
    return new HardState(this.constraints, this.#domains, this.#changes);
  }

  /** A pod comes to a node, or leaves it, in thought. */
  change(pod: PodInfo, info: NodeInfo, { other, by }: { readonly other: PodInfo; readonly by: 1 | -1 }): void {
    const { node, labels } = info;
    if (node === undefined || !hasAllKeys(labels, this.constraints)) return;
    for (const [index, constraint] of this.constraints.entries()) {
      if (!constraint.counts || !constraint.matches(other)) continue;
      if (!isIncluded(constraint, pod.pod, node)) continue;
      const value = labels[constraint.topologyKey] ?? '';
      const changes = this.#changes[index];
      changes?.set(value, (changes.get(value) ?? 0) + by);
    }
  }

  /** Pods in a domain. */
  countOf(index: number, value: string): number {
    return (this.#domains[index]?.counts.get(value) ?? 0) + (this.#changes[index]?.get(value) ?? 0);
  }

  /** Pods in the domain that has the fewest; 0 while there are too few domains. */
  leastOf(index: number): number {
    const domains = this.#domains[index];
    const constraint = this.constraints[index];
    if (domains === undefined || constraint === undefined || domains.counts.size < constraint.minDomains) return 0;
    const changes = this.#changes[index];
    let least = Infinity;
    for (const [value, count] of domains.least) least = Math.min(least, count + (changes?.get(value) ?? 0));
    for (const value of changes?.keys() ?? []) {
      if (domains.counts.has(value)) least = Math.min(least, this.countOf(index, value));
    }
    return least === Infinity ? 0 : least;
  }
}

function twoLeast(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  let first: readonly [string, number] | undefined;
  let second: readonly [string, number] | undefined;
  for (const entry of counts) {
    if (first === undefined || entry[1] < first[1]) [first, second] = [entry, first];
    else if (second === undefined || entry[1] < second[1]) second = entry;
  }
  return [first, second].filter((entry) => entry !== undefined);
}
