// The terms of all pods on a node, equal ones counted together: a cycle then asks each term once, however many pods have it. Worked out
// once for each state of a node; only for nodes of a snapshot, which never change.

import type { NodeInfo } from '../../cache/node-info.ts';
import { type AffinityTerm, matchesTerm } from '../../framework/affinity-term.ts';
import type { PodInfo } from '../../framework/pod-info.ts';

export interface TermGroups {
  /** Required affinity: how many pods have the term. */
  readonly affinity: ReadonlyMap<AffinityTerm, number>;
  /** Required anti-affinity: how many pods have the term. */
  readonly antiAffinity: ReadonlyMap<AffinityTerm, number>;
  /** Preferences: the sum of weights, those of anti-affinity negative. */
  readonly wishes: ReadonlyMap<AffinityTerm, number>;
}

const groups = new WeakMap<NodeInfo, TermGroups>();

export function termGroupsOn(node: NodeInfo): TermGroups {
  let found = groups.get(node);
  if (found === undefined) groups.set(node, (found = group(node)));
  return found;
}

function group({ podsWithAffinity }: NodeInfo): TermGroups {
  const affinity = new Map<AffinityTerm, number>();
  const antiAffinity = new Map<AffinityTerm, number>();
  const wishes = new Map<AffinityTerm, number>();
  const add = (to: Map<AffinityTerm, number>, term: AffinityTerm, by: number): void => {
    to.set(term, (to.get(term) ?? 0) + by);
  };
  for (const pod of podsWithAffinity) {
    const { requiredAffinity, requiredAntiAffinity, preferredAffinity, preferredAntiAffinity } = pod.affinity;
    for (const term of requiredAffinity) add(affinity, term, 1);
    for (const term of requiredAntiAffinity) add(antiAffinity, term, 1);
    for (const { term, weight } of preferredAffinity) add(wishes, term, weight);
    for (const { term, weight } of preferredAntiAffinity) add(wishes, term, -weight);
  }
  return { affinity, antiAffinity, wishes };
}

/** Whether terms of other pods are about a pod; each term is asked once. */
export function createAsker(
  pod: PodInfo,
  namespaceLabels: Readonly<Record<string, string>>,
): (term: AffinityTerm) => boolean {
  const answers = new Map<AffinityTerm, boolean>();
  return (term) => {
    let answer = answers.get(term);
    if (answer === undefined) answers.set(term, (answer = matchesTerm(term, pod, namespaceLabels)));
    return answer;
  };
}
