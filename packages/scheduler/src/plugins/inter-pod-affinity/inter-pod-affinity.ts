// Puts pods near pods they want to be near, and away from others (spec/scheduler.md §11.11).

import type { LabelSelector } from '@homeostat/machinery';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { namespaces } from '@homeostat/client/resources';
import { actions, type Hint, onNode, onPod } from '../../framework/cluster-event.ts';
import { stateKey } from '../../framework/cycle-state.ts';
import { type AffinityTerm, matchesTerm } from '../../framework/affinity-term.ts';
import type { Plugin, PluginHandle, PreFilterOutcome } from '../../framework/plugin.ts';
import { type PodInfo, podInfoOf } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import { pluginNames } from '../names.ts';
import { PreferredState } from './preferred-state.ts';
import { type Obstacle, RequiredState } from './required-state.ts';
import { matchesAll, type ResolvedTerm, resolveTerm } from './resolved-term.ts';

export interface InterPodAffinityOptions {
  /** How much a pod that must be near others draws them, 0 to 100; default 1. */
  readonly hardPodAffinityWeight?: number;
  /** Wishes of existing pods don't count; default false. Saves time in clusters with many. */
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

const name = pluginNames.interPodAffinity;
const required = stateKey<RequiredState>('PreFilterInterPodAffinity');
const preferred = stateKey<PreferredState>('PreScoreInterPodAffinity');
const nothingToDo: PreFilterOutcome = { verdict: Status.skip };
const refusals: Readonly<Record<Obstacle, Status>> = {
  affinity: Status.unresolvable(name, "node(s) didn't match pod affinity rules"),
  'anti-affinity': Status.unschedulable(name, "node(s) didn't match pod anti-affinity rules"),
  'existing anti-affinity': Status.unschedulable(name, "node(s) didn't satisfy existing pods anti-affinity rules"),
};

export function createInterPodAffinity(handle: PluginHandle, options: InterPodAffinityOptions = {}): Plugin {
  const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = options;
  const lister = handle.informers.lister(namespaces);
  const namespacesOf = (selector: LabelSelector): readonly string[] =>
    selector.requirements.length === 0
      ? []
      : lister.list(undefined, (labels) => selector.matches(labels)).map(({ metadata }) => metadata?.name ?? '');
  const resolve = (terms: readonly AffinityTerm[]): readonly ResolvedTerm[] =>
    terms.map((term) => resolveTerm(term, namespacesOf));
  const labelsOf = (namespace: string): Readonly<Record<string, string>> =>
    lister.get(undefined, namespace)?.metadata?.labels ?? {};

  return {
    name,
    events: [
      onPod(actions.add | actions.updatePodLabel | actions.delete, (pod, old, now) => {
        const own = {
          affinity: resolve(pod.affinity.requiredAffinity),
          antiAffinity: resolve(pod.affinity.requiredAntiAffinity),
        };
        return afterPodChange(pod, own, { old, now, namespaceLabels: labelsOf(pod.namespace) });
      }),
      onNode(actions.add | actions.updateNodeLabel, afterNodeChange),
    ],
    preFilter: (state, pod, nodes) => {
      const { requiredAffinity, requiredAntiAffinity } = pod.affinity;
      const { snapshot } = handle;
      if (requiredAffinity.length === 0 && requiredAntiAffinity.length === 0 && !snapshot.hasRequiredAntiAffinity)
        return nothingToDo;
      const counted = new RequiredState(pod, {
        affinity: resolve(requiredAffinity),
        antiAffinity: resolve(requiredAntiAffinity),
        namespaceLabels: labelsOf(pod.namespace),
      });
      counted.count(nodes, snapshot.nodesWithRequiredAntiAffinity);
      if (counted.isIdle) return nothingToDo;
      state.write(required, counted);
      return { verdict: undefined };
    },
    preFilterExtensions: {
      addPod: (state, _pod, change) => {
        state.read(required)?.change(change.pod, change.node, 1);
        return undefined;
      },
      removePod: (state, _pod, change) => {
        state.read(required)?.change(change.pod, change.node, -1);
        return undefined;
      },
    },
    filter: (state, _pod, node) => {
      const obstacle = state.read(required)?.obstacleOn(node);
      return obstacle === undefined ? undefined : refusals[obstacle];
    },
    preScore: (state, pod) => {
      const { preferredAffinity, preferredAntiAffinity } = pod.affinity;
      const hasWishes = preferredAffinity.length + preferredAntiAffinity.length > 0;
      if (!hasWishes && ignorePreferredTermsOfExistingPods) return Status.skip;
      const own = [
        ...preferredAffinity.map(({ term, weight }) => ({ term: resolveTerm(term, namespacesOf), weight })),
        ...preferredAntiAffinity.map(({ term, weight }) => ({
          term: resolveTerm(term, namespacesOf),
          weight: -weight,
        })),
      ];
      const { snapshot } = handle;
      const counted = new PreferredState(pod, {
        own,
        nodes: snapshot.nodes,
        nodesWithAffinity: snapshot.nodesWithAffinity,
        hardPodAffinityWeight,
        ignoreExisting: ignorePreferredTermsOfExistingPods,
        namespaceLabels: labelsOf(pod.namespace),
      });
      if (counted.isEmpty) return Status.skip;
      state.write(preferred, counted);
      return undefined;
    },
    score: (state, _pod, node) => state.read(preferred)?.rawScore(node) ?? 0,
    normalizeScores: (_state, _pod, { scores }) => {
      let max = -Infinity;
      let min = Infinity;
      for (const score of scores) {
        max = Math.max(max, score);
        min = Math.min(min, score);
      }
      for (let index = 0; index < scores.length; index++) {
        scores[index] = max > min ? Math.trunc(100 * (((scores[index] ?? 0) - min) / (max - min))) : 0;
      }
    },
  };
}

interface OwnTerms {
  readonly affinity: readonly ResolvedTerm[];
  readonly antiAffinity: readonly ResolvedTerm[];
}

interface PodChange {
  readonly old: Pod | undefined;
  readonly now: Pod | undefined;
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

function afterPodChange(pod: PodInfo, own: OwnTerms, { old, now, namespaceLabels }: PodChange): Hint {
  if (old !== undefined && now !== undefined) {
    if (now.metadata?.uid === pod.uid) return 'Queue';
    if (!isPlaced(now)) return 'Skip';
    const [before, after] = [podInfoOf(old), podInfoOf(now)];
    const comes = !matchesAll(own.affinity, before) && matchesAll(own.affinity, after);
    const goes = matchesAll(own.antiAffinity, before) && !matchesAll(own.antiAffinity, after);
    return comes || goes ? 'Queue' : 'Skip';
  }
  if (now !== undefined) return isPlaced(now) && matchesAll(own.affinity, podInfoOf(now)) ? 'Queue' : 'Skip';
  if (old === undefined || !isPlaced(old)) return 'Skip';
  const gone = podInfoOf(old);
  if (matchesAll(own.antiAffinity, gone)) return 'Queue';
  return gone.affinity.requiredAntiAffinity.some((term) => matchesTerm(term, pod, namespaceLabels)) ? 'Queue' : 'Skip';
}

function isPlaced(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? '') !== '' || (pod.status?.nominatedNodeName ?? '') !== '';
}

function afterNodeChange({ affinity }: PodInfo, old: Node | undefined, now: Node | undefined): Hint {
  const { requiredAffinity, requiredAntiAffinity } = affinity;
  const valueOn = (node: Node | undefined, { topologyKey }: AffinityTerm): string | undefined =>
    node?.metadata?.labels?.[topologyKey];
  if (old === undefined) {
    // A new domain has nobody in it that could object.
    if (requiredAntiAffinity.length > 0 || requiredAffinity.length === 0) return 'Queue';
    return requiredAffinity.some((term) => valueOn(now, term) !== undefined) ? 'Queue' : 'Skip';
  }
  const changed = (term: AffinityTerm): boolean => valueOn(old, term) !== valueOn(now, term);
  const gained = requiredAffinity.some((term) => changed(term) && valueOn(now, term) !== undefined);
  const lost = requiredAntiAffinity.some((term) => changed(term) && valueOn(old, term) !== undefined);
  return gained || lost ? 'Queue' : 'Skip';
}
