// Spreads pods over zones, nodes or other domains: as constraints demand, as they wish, or by the cluster's defaults
// (spec/scheduler.md §11.10).

import { deepEqual, type LabelSelector } from '@homeostat/machinery';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { actions, type Hint, onNode, onPod } from '../../framework/cluster-event.ts';
import { stateKey } from '../../framework/cycle-state.ts';
import type { Plugin, PluginHandle, PreFilterOutcome } from '../../framework/plugin.ts';
import { type PodInfo, podInfoOf } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import { createDefaultSelector } from '../default-selector.ts';
import { pluginNames } from '../names.ts';
import {
  type DefaultConstraint,
  defaultConstraintsFor,
  hasAllKeys,
  hostnameLabel,
  ownConstraints,
  type SpreadAction,
  type SpreadConstraint,
} from './constraint.ts';
import { HardState } from './hard-state.ts';
import { SoftState } from './soft-state.ts';

export interface PodTopologySpreadOptions {
  /** Constraints of pods that have none; default the system's: hosts and zones, as a wish. */
  readonly defaultConstraints?: readonly DefaultConstraint[];
}

const name = pluginNames.podTopologySpread;
const missingKey = Status.unresolvable(
  name,
  "node(s) didn't match pod topology spread constraints (missing required label)",
);
const tooSkewed = Status.unschedulable(name, "node(s) didn't match pod topology spread constraints");
const hard = stateKey<HardState>('PreFilterPodTopologySpread');
const soft = stateKey<SoftState>('PreScorePodTopologySpread');
const nothingToDo: PreFilterOutcome = { verdict: Status.skip };

const systemConstraints: readonly DefaultConstraint[] = [
  { topologyKey: hostnameLabel, maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
];

export function createPodTopologySpread(handle: PluginHandle, options: PodTopologySpreadOptions = {}): Plugin {
  const { defaultConstraints } = options;
  const constraintsOf = createConstraintFinder(
    defaultConstraints ?? systemConstraints,
    createDefaultSelector(handle.informers),
  );
  const hardOf = (pod: PodInfo): readonly SpreadConstraint[] => constraintsOf(pod, 'DoNotSchedule');
  return {
    name,
    events: [
      onPod(actions.add | actions.delete | actions.updatePodLabel, (pod, old, now) =>
        afterPodChange(pod, hardOf, { old, now }),
      ),
      onPod(actions.updatePodToleration, (pod, _old, now) =>
        now?.metadata?.uid === pod.uid && hardOf(pod).some(({ honorsTaints }) => honorsTaints) ? 'Queue' : 'Skip',
      ),
      onNode(actions.add | actions.delete | actions.updateNodeLabel | actions.updateNodeTaint, (pod, old, now) =>
        afterNodeChange(hardOf(pod), old, now),
      ),
    ],
    preFilter: (state, pod, nodes) => {
      const constraints = hardOf(pod);
      if (constraints.length === 0) return nothingToDo;
      state.write(hard, HardState.count(pod, constraints, nodes));
      return { verdict: undefined };
    },
    preFilterExtensions: {
      addPod: (state, pod, change) => {
        state.read(hard)?.change(pod, change.node, { other: change.pod, by: 1 });
        return undefined;
      },
      removePod: (state, pod, change) => {
        state.read(hard)?.change(pod, change.node, { other: change.pod, by: -1 });
        return undefined;
      },
    },
    filter: (state, pod, { labels }) => {
      const counted = state.read(hard);
      if (counted === undefined) return undefined;
      for (const [index, { topologyKey, selector, maxSkew }] of counted.constraints.entries()) {
        if (!Object.hasOwn(labels, topologyKey)) return missingKey;
        const own = selector.matches(pod.labels) ? 1 : 0;
        if (counted.countOf(index, labels[topologyKey] ?? '') + own - counted.leastOf(index) > maxSkew)
          return tooSkewed;
      }
      return undefined;
    },
    preScore: (state, pod, feasible) => {
      const constraints = constraintsOf(pod, 'ScheduleAnyway');
      if (constraints.length === 0) return Status.skip;
      const requireAll = hasOwnConstraints(pod) || defaultConstraints !== undefined;
      state.write(soft, new SoftState(pod, { constraints, requireAll, feasible, all: handle.snapshot.nodes }));
      return undefined;
    },
    score: (state, _pod, node) => state.read(soft)?.rawScore(node) ?? 0,
    normalizeScores: (state, _pod, { nodes, scores }) => {
      const counted = state.read(soft);
      if (counted === undefined) return;
      let max = 0;
      let min = Infinity;
      for (const [index, node] of nodes.entries()) {
        if (counted.isIgnored(node)) continue;
        max = Math.max(max, scores[index] ?? 0);
        min = Math.min(min, scores[index] ?? 0);
      }
      for (const [index, node] of nodes.entries()) {
        if (counted.isIgnored(node)) scores[index] = 0;
        else if (max === 0) scores[index] = 100;
        else scores[index] = Math.trunc((100 * (max + min - (scores[index] ?? 0))) / max);
      }
    },
  };
}

type ConstraintFinder = (pod: PodInfo, action: SpreadAction) => readonly SpreadConstraint[];

function createConstraintFinder(
  defaults: readonly DefaultConstraint[],
  selectorOf: (pod: Pod) => LabelSelector,
): ConstraintFinder {
  return (pod, action) => {
    if (hasOwnConstraints(pod)) return ownConstraints(pod, action);
    const wanted = defaults.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
    if (wanted.length === 0) return [];
    const selector = selectorOf(pod.pod);
    return selector.isEmpty ? [] : defaultConstraintsFor(pod, wanted, selector);
  };
}

function hasOwnConstraints({ pod }: PodInfo): boolean {
  return (pod.spec?.topologySpreadConstraints?.length ?? 0) > 0;
}

function afterPodChange(
  pod: PodInfo,
  hardOf: (pod: PodInfo) => readonly SpreadConstraint[],
  { old, now }: { readonly old: Pod | undefined; readonly now: Pod | undefined },
): Hint {
  const involved = (other: Pod | undefined): boolean => {
    if (other === undefined) return true;
    const info = podInfoOf(other);
    if (info.uid === pod.uid) return true;
    return info.namespace === pod.namespace && (info.nodeName !== '' || info.nominatedNodeName !== '');
  };
  if (!involved(old) || !involved(now)) return 'Skip';
  const matches = (constraint: SpreadConstraint, other: Pod): boolean =>
    constraint.selector.matches(other.metadata?.labels);
  const constraints = hardOf(pod);
  if (old !== undefined && now !== undefined)
    return constraints.some((each) => matches(each, old) !== matches(each, now)) ? 'Queue' : 'Skip';
  const only = now ?? old;
  return only !== undefined && constraints.some((each) => matches(each, only)) ? 'Queue' : 'Skip';
}

function afterNodeChange(constraints: readonly SpreadConstraint[], old: Node | undefined, now: Node | undefined): Hint {
  const hasKeys = (node: Node | undefined): boolean =>
    node !== undefined && hasAllKeys(node.metadata?.labels ?? {}, constraints);
  if (old === undefined || now === undefined) return hasKeys(old) || hasKeys(now) ? 'Queue' : 'Skip';
  if (hasKeys(old) !== hasKeys(now)) return 'Queue';
  if (!hasKeys(now)) return 'Skip';
  const changed = constraints.some(
    ({ topologyKey }) => old.metadata?.labels?.[topologyKey] !== now.metadata?.labels?.[topologyKey],
  );
  return changed || !deepEqual(old.spec?.taints ?? [], now.spec?.taints ?? []) ? 'Queue' : 'Skip';
}
