// Terms of pod (anti-)affinity, parsed once per pod (spec/scheduler.md §11.11).

import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '@homeostat/api/types/core-v1';
import { LabelSelector, labelSelectorAsSelector, type LabelSelectorSpec, SelectorError } from '@homeostat/machinery';

type Labels = Readonly<Record<string, string>> | undefined;

export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  readonly selector: LabelSelector;
  readonly topologyKey: string;
  /** Absent matches no namespace, empty all. */
  readonly namespaceSelector: LabelSelector;
}

export interface WeightedAffinityTerm {
  readonly term: AffinityTerm;
  readonly weight: number;
}

/** All terms of one pod. */
export interface PodAffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[];
  /** Whether the pod has any. */
  readonly any: boolean;
}

export const noAffinityTerms: PodAffinityTerms = {
  requiredAffinity: [],
  requiredAntiAffinity: [],
  preferredAffinity: [],
  preferredAntiAffinity: [],
  any: false,
};

/** Parses the terms of a pod. */
export function affinityTermsOf(pod: Pod): PodAffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return noAffinityTerms;
  const namespace = pod.metadata?.namespace ?? '';
  const parse = (terms: readonly PodAffinityTerm[] | undefined): readonly AffinityTerm[] =>
    (terms ?? []).map((term) => parseTerm(term, namespace));
  const parseWeighted = (terms: readonly WeightedPodAffinityTerm[] | undefined): readonly WeightedAffinityTerm[] =>
    (terms ?? []).map(({ weight, podAffinityTerm }) => ({ weight, term: parseTerm(podAffinityTerm, namespace) }));
  const requiredAffinity = parse(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution);
  const requiredAntiAffinity = parse(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution);
  const preferredAffinity = parseWeighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
  const preferredAntiAffinity = parseWeighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
  const any =
    requiredAffinity.length + requiredAntiAffinity.length + preferredAffinity.length + preferredAntiAffinity.length > 0;
  return { requiredAffinity, requiredAntiAffinity, preferredAffinity, preferredAntiAffinity, any };
}

function parseTerm(term: PodAffinityTerm, podNamespace: string): AffinityTerm {
  const { namespaces = [], namespaceSelector, labelSelector, topologyKey } = term;
  const ownNamespace = namespaces.length === 0 && namespaceSelector === undefined;
  return intern({
    namespaces: new Set(ownNamespace ? [podNamespace] : namespaces),
    selector: parseSelector(labelSelector),
    topologyKey,
    namespaceSelector: parseSelector(namespaceSelector),
  });
}

const known = new Map<string, AffinityTerm>();
const knownMax = 4_096;

/** Pods of one controller have equal terms: one object stands for all, so that who counts can count terms instead of pods. */
function intern(term: AffinityTerm): AffinityTerm {
  const { namespaces, selector, topologyKey, namespaceSelector } = term;
  const texts = [topologyKey, [...namespaces].sort().join(','), textOf(selector), textOf(namespaceSelector)];
  const text = texts.join('\u0000');
  const same = known.get(text);
  if (same !== undefined) return same;
  if (known.size >= knownMax) known.clear();
  known.set(text, term);
  return term;
}

/** A selector as a text; one that matches nothing differs from one that matches everything. */
export function textOf(selector: LabelSelector): string {
  return selector.isEmpty || selector.requirements.length > 0 ? selector.toString() : '!';
}

/** A selector of a stored object; one that validation would refuse matches nothing. */
export function parseSelector(spec: LabelSelectorSpec | undefined): LabelSelector {
  try {
    return labelSelectorAsSelector(spec);
  } catch (error) {
    if (error instanceof SelectorError) return LabelSelector.nothing;
    throw error;
  }
}

/** Whether a term is about a pod of that namespace, with those labels; `namespaceLabels` are the namespace's. */
export function matchesTerm(
  term: AffinityTerm,
  pod: { readonly namespace: string; readonly labels: Labels },
  namespaceLabels: Labels,
): boolean {
  if (!term.namespaces.has(pod.namespace) && !term.namespaceSelector.matches(namespaceLabels)) return false;
  return term.selector.matches(pod.labels);
}
