// matchLabelKeys and mismatchLabelKeys name labels of the Pod; at create their values become part of the selectors.

import type { Mutable, ObjectMeta } from '@homeostat/machinery';
import type {
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from '@homeostat/api/types/core-v1';
import { own } from '../../rules/values.ts';

export function mergeLabelKeys(spec: Mutable<PodSpec>, metadata: ObjectMeta): void {
  const labels = metadata.labels ?? {};
  for (const side of [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity]) {
    for (const term of termsOf(side)) {
      merge(term, term.matchLabelKeys, 'In', labels);
      merge(term, term.mismatchLabelKeys, 'NotIn', labels);
    }
  }
  for (const constraint of spec.topologySpreadConstraints ?? [])
    merge(constraint, constraint.matchLabelKeys, 'In', labels);
}

function termsOf(side: Mutable<PodAffinity> | undefined): readonly Mutable<PodAffinityTerm>[] {
  return [
    ...(side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      (weighted: Partial<Mutable<WeightedPodAffinityTerm>>) => weighted.podAffinityTerm ?? { topologyKey: '' },
    ),
    ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ];
}

function merge(
  term: Mutable<PodAffinityTerm> | Mutable<TopologySpreadConstraint>,
  keys: readonly string[] | undefined,
  operator: 'In' | 'NotIn',
  labels: Readonly<Record<string, string>>,
): void {
  if (term.labelSelector === undefined) return;
  for (const key of keys ?? []) {
    const value = own(labels, key);
    if (value !== undefined) (term.labelSelector.matchExpressions ??= []).push({ key, operator, values: [value] });
  }
}
