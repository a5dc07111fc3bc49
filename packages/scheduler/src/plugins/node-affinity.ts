// Nodes a pod asks for by labels or name: nodeSelector and node affinity (spec/scheduler.md §11.3).

import { matchesNodeSelector, matchesNodeSelectorTerm, matchesRequiredNodeAffinity } from '@homeostat/api';
import type { Node, NodeAffinity, NodeSelectorTerm, Pod, PreferredSchedulingTerm } from '@homeostat/api/types/core-v1';
import { actions, onNode } from '../framework/cluster-event.ts';
import { stateKey } from '../framework/cycle-state.ts';
import type { Plugin, PreFilterOutcome } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';
import { normalizeByMaximum } from './normalize.ts';

export interface NodeAffinityOptions {
  /** What every pod must and should match besides its own affinity. */
  readonly addedAffinity?: NodeAffinity;
}

const name = pluginNames.nodeAffinity;
const refusedByPod = Status.unresolvable(name, "node(s) didn't match Pod's node affinity/selector");
const refusedByScheduler = Status.unresolvable(name, "node(s) didn't match scheduler-enforced node affinity");
const conflicting: PreFilterOutcome = { verdict: Status.unresolvable(name, 'pod affinity terms conflict') };
const nothingToDo: PreFilterOutcome = { verdict: Status.skip };
const preferredTerms = stateKey<readonly PreferredSchedulingTerm[]>('PreScoreNodeAffinity');

export function createNodeAffinity({ addedAffinity }: NodeAffinityOptions = {}): Plugin {
  const addedRequired = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const addedPreferred = usefulTerms(addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
  const matchesAdded = (node: Node): boolean => addedRequired === undefined || matchesNodeSelector(addedRequired, node);
  const matches = (pod: Pod, node: Node): boolean =>
    matchesAdded(node) && (pod.spec === undefined || matchesRequiredNodeAffinity(pod.spec, node));
  return {
    name,
    events: [
      onNode(actions.add | actions.updateNodeLabel, ({ pod }, old, now) => {
        if (now === undefined || !matches(pod, now)) return 'Skip';
        return old !== undefined && matches(pod, old) ? 'Skip' : 'Queue';
      }),
    ],
    preFilter: (_state, { pod }) => {
      const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      const hasSelector = Object.keys(pod.spec?.nodeSelector ?? {}).length > 0;
      if (required === undefined && !hasSelector && addedRequired === undefined) return nothingToDo;
      const nodeNames = namedNodes(required?.nodeSelectorTerms ?? []);
      if (nodeNames === undefined) return { verdict: undefined };
      return nodeNames.size === 0 ? conflicting : { verdict: undefined, nodeNames };
    },
    filter: (_state, { pod }, { node }) => {
      if (node === undefined) return refusedByPod;
      if (!matchesAdded(node)) return refusedByScheduler;
      return pod.spec === undefined || matchesRequiredNodeAffinity(pod.spec, node) ? undefined : refusedByPod;
    },
    preScore: (state, { pod }) => {
      const own = usefulTerms(pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
      const terms = [...own, ...addedPreferred];
      if (terms.length === 0) return Status.skip;
      state.write(preferredTerms, terms);
      return undefined;
    },
    score: (state, _pod, { node }) => {
      if (node === undefined) return 0;
      let sum = 0;
      for (const { weight, preference } of state.read(preferredTerms) ?? []) {
        if (matchesNodeSelectorTerm(preference, node)) sum += weight;
      }
      return sum;
    },
    normalizeScores: (_state, _pod, { scores }) => normalizeByMaximum(scores, false),
  };
}

function usefulTerms(terms: readonly PreferredSchedulingTerm[] | undefined): readonly PreferredSchedulingTerm[] {
  return (terms ?? []).filter(
    ({ weight, preference: { matchExpressions = [], matchFields = [] } }) =>
      weight !== 0 && matchExpressions.length + matchFields.length > 0,
  );
}

/** The only nodes that can match when every term names nodes; undefined when some term names none. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  let union: ReadonlySet<string> = new Set();
  for (const { matchFields = [] } of terms) {
    let named: ReadonlySet<string> | undefined;
    for (const { key, operator, values = [] } of matchFields) {
      if (key !== 'metadata.name' || (operator as string) !== 'In') continue;
      const these = new Set(values);
      named = named === undefined ? these : named.intersection(these);
    }
    if (named === undefined) return undefined;
    union = union.union(named);
  }
  return union;
}
