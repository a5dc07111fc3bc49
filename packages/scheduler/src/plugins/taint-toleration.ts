// Taints keep pods off that don't tolerate them; `PreferNoSchedule` only counts against a node (spec/scheduler.md §11.2).

import { findUntoleratedTaint, toleratesTaint } from '@homeostat/api';
import type { Node, Pod, Toleration } from '@homeostat/api/types/core-v1';
import { actions, onNode, onPod } from '../framework/cluster-event.ts';
import { stateKey } from '../framework/cycle-state.ts';
import type { Plugin } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';
import { normalizeByMaximum } from './normalize.ts';

const name = pluginNames.taintToleration;
const refused = Status.unresolvable(name, 'node(s) had untolerated taint(s)');
const hardEffects = ['NoSchedule', 'NoExecute'] as const;
const preferring = stateKey<readonly Toleration[]>('PreScoreTaintToleration');
const noTolerations: readonly Toleration[] = [];

export function createTaintToleration(): Plugin {
  return {
    name,
    events: [
      onNode(actions.add | actions.updateNodeTaint, (pod, old, now) => {
        const wasTolerated = old !== undefined && toleratesHard(pod.pod, old);
        return now !== undefined && toleratesHard(pod.pod, now) && !wasTolerated ? 'Queue' : 'Skip';
      }),
      onPod(actions.updatePodToleration, (pod, _old, now) => (now?.metadata?.uid === pod.uid ? 'Queue' : 'Skip')),
    ],
    filter: (_state, { pod }, node) =>
      node.taints.length === 0 ||
      findUntoleratedTaint(node.taints, pod.spec?.tolerations ?? noTolerations, hardEffects) === undefined
        ? undefined
        : refused,
    preScore: (state, { pod }) => {
      state.write(
        preferring,
        (pod.spec?.tolerations ?? noTolerations).filter(
          ({ effect }) => effect === undefined || (effect as string) === '' || effect === 'PreferNoSchedule',
        ),
      );
      return undefined;
    },
    score: (state, _pod, { taints }) => {
      if (taints.length === 0) return 0;
      const tolerations = state.read(preferring) ?? noTolerations;
      let count = 0;
      for (const taint of taints) {
        if (taint.effect === 'PreferNoSchedule' && !tolerations.some((toleration) => toleratesTaint(toleration, taint)))
          count++;
      }
      return count;
    },
    normalizeScores: (_state, _pod, { scores }) => normalizeByMaximum(scores, true),
  };
}

function toleratesHard(pod: Pod, node: Node): boolean {
  return (
    findUntoleratedTaint(node.spec?.taints ?? [], pod.spec?.tolerations ?? noTolerations, hardEffects) === undefined
  );
}
