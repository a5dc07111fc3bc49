// A spread constraint, parsed for one pod (spec/scheduler.md §11.10).

import { findUntoleratedTaint, matchesRequiredNodeAffinity } from '@homeostat/api';
import type { Node, Pod, TopologySpreadConstraint } from '@homeostat/api/types/core-v1';
import { LabelRequirement, LabelSelector } from '@homeostat/machinery';
import { countKey } from '../../cache/count-key.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import { parseSelector } from '../../framework/affinity-term.ts';
import type { PodInfo } from '../../framework/pod-info.ts';

export const hostnameLabel = 'kubernetes.io/hostname';

export type SpreadAction = 'DoNotSchedule' | 'ScheduleAnyway';

/** A constraint a cluster gives pods that have none; its selector is found for each pod. */
export interface DefaultConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: SpreadAction;
}

export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  /** Stands for pod namespace and selector, for counts. */
  readonly countKey: number;
  /** Whether pods count at all: a selector without conditions counts none. */
  readonly counts: boolean;
  /** Whether a pod on a node counts. */
  readonly matches: (other: PodInfo) => boolean;
  readonly minDomains: number;
  /** Nodes the pod's node affinity leaves out form no domain. */
  readonly honorsAffinity: boolean;
  /** Nodes whose taints the pod doesn't tolerate form no domain. */
  readonly honorsTaints: boolean;
}

const hardEffects = ['NoSchedule', 'NoExecute'] as const;

/** The pod's own constraints of one kind. */
export function ownConstraints(pod: PodInfo, action: SpreadAction): readonly SpreadConstraint[] {
  const constraints = pod.pod.spec?.topologySpreadConstraints ?? [];
  return constraints
    .filter(({ whenUnsatisfiable }) => (whenUnsatisfiable as string) === action)
    .map((constraint) => parseConstraint(pod, constraint));
}

/** The cluster's constraints, for a pod without any of its own. */
export function defaultConstraintsFor(
  pod: PodInfo,
  constraints: readonly DefaultConstraint[],
  selector: LabelSelector,
): readonly SpreadConstraint[] {
  const counting = countingOf(pod, selector);
  return constraints.map(({ maxSkew, topologyKey }) => ({
    maxSkew,
    topologyKey,
    ...counting,
    minDomains: 1,
    honorsAffinity: true,
    honorsTaints: false,
  }));
}

function parseConstraint(pod: PodInfo, constraint: TopologySpreadConstraint): SpreadConstraint {
  const { maxSkew, topologyKey, labelSelector, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const selector = withLabelKeys(parseSelector(labelSelector), constraint.matchLabelKeys ?? [], pod);
  return {
    maxSkew,
    topologyKey,
    ...countingOf(pod, selector),
    minDomains,
    honorsAffinity: (nodeAffinityPolicy as string | undefined) !== 'Ignore',
    honorsTaints: (nodeTaintsPolicy as string | undefined) === 'Honor',
  };
}

/** Narrows a selector to pods that have the same values of some labels. */
function withLabelKeys(selector: LabelSelector, keys: readonly string[], pod: PodInfo): LabelSelector {
  const added = keys.flatMap((key) => {
    const value = pod.labels?.[key];
    return value === undefined ? [] : [LabelRequirement.equals(key, value)];
  });
  return added.length === 0 ? selector : LabelSelector.of([...selector.requirements, ...added]);
}

type Counting = Pick<SpreadConstraint, 'selector' | 'counts' | 'countKey' | 'matches'>;

function countingOf({ namespace }: PodInfo, selector: LabelSelector): Counting {
  return {
    selector,
    counts: selector.requirements.length > 0,
    countKey: countKey(`spread\u0000${namespace}\u0000${selector.toString()}`),
    matches: (other) => other.namespace === namespace && !other.isTerminating && selector.matches(other.labels),
  };
}

/** How many pods on a node the constraint is about. */
export function countOn(node: NodeInfo, constraint: SpreadConstraint): number {
  return constraint.counts ? node.countPods(constraint.countKey, constraint.matches) : 0;
}

/** Whether the node takes part in the constraint's domains. */
export function isIncluded(constraint: SpreadConstraint, pod: Pod, node: Node): boolean {
  if (constraint.honorsAffinity && pod.spec !== undefined && !matchesRequiredNodeAffinity(pod.spec, node)) return false;
  if (!constraint.honorsTaints) return true;
  return findUntoleratedTaint(node.spec?.taints ?? [], pod.spec?.tolerations ?? [], hardEffects) === undefined;
}

/** Whether the labels have all keys of the constraints. */
export function hasAllKeys(
  labels: Readonly<Record<string, string>>,
  constraints: readonly SpreadConstraint[],
): boolean {
  for (const { topologyKey } of constraints) if (!Object.hasOwn(labels, topologyKey)) return false;
  return true;
}
