// A term of the pod being scheduled, with its namespaces found out (spec/scheduler.md §11.11): what it asks of other pods can then be asked
// without looking at namespaces again.

import type { LabelSelector } from '@homeostat/machinery';
import { countKey } from '../../cache/count-key.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import { type AffinityTerm, textOf } from '../../framework/affinity-term.ts';
import type { PodInfo } from '../../framework/pod-info.ts';

export interface ResolvedTerm {
  readonly topologyKey: string;
  matches(this: void, other: PodInfo): boolean;
  /** How many pods on a node match. */
  countOn(this: void, node: NodeInfo): number;
  /** Says what it asks, as a text. */
  readonly text: string;
}

/** @param namespacesOf names of the namespaces a selector matches, now */
export function resolveTerm(
  term: AffinityTerm,
  namespacesOf: (selector: LabelSelector) => readonly string[],
): ResolvedTerm {
  const { selector, namespaceSelector, topologyKey } = term;
  const everywhere = namespaceSelector.isEmpty;
  const namespaces = everywhere ? term.namespaces : new Set([...term.namespaces, ...namespacesOf(namespaceSelector)]);
  const where = everywhere ? '*' : [...namespaces].sort().join(',');
  const text = `${where}\u0000${textOf(selector)}`;
  const key = countKey(`affinity\u0000${text}`);
  const matches = (other: PodInfo): boolean =>
    (everywhere || namespaces.has(other.namespace)) && selector.matches(other.labels);
  return { topologyKey, matches, countOn: (node) => node.countPods(key, matches), text };
}

/** Pods on a node that match all of several terms: one pod must satisfy them together. */
export function createCounter(terms: readonly ResolvedTerm[]): (node: NodeInfo) => number {
  const key = countKey(`affinities\u0000${terms.map(({ text }) => text).join('\u0001')}`);
  const matches = (other: PodInfo): boolean => matchesAll(terms, other);
  return (node) => node.countPods(key, matches);
}

/** Whether a pod matches every term; no terms match nobody. */
export function matchesAll(terms: readonly ResolvedTerm[], other: PodInfo): boolean {
  if (terms.length === 0) return false;
  for (const term of terms) if (!term.matches(other)) return false;
  return true;
}
