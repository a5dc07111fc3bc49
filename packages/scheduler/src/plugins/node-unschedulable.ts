// Keeps pods off cordoned nodes, unless they tolerate the taint that means the same (spec/scheduler.md §11.1).

import { toleratesTaint } from '@homeostat/api';
import type { Pod, Taint } from '@homeostat/api/types/core-v1';
import { actions, onNode, onPod } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';

const name = pluginNames.nodeUnschedulable;
const refused = Status.unresolvable(name, 'node(s) were unschedulable');
const cordoned: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export function createNodeUnschedulable(): Plugin {
  return {
    name,
    events: [
      onNode(actions.add | actions.updateNodeTaint, (_pod, old, now) => {
        const opened = now?.spec?.unschedulable !== true && (old === undefined || old.spec?.unschedulable === true);
        return opened ? 'Queue' : 'Skip';
      }),
      onPod(actions.updatePodToleration, (pod, _old, now) =>
        now?.metadata?.uid === pod.uid && tolerates(now) ? 'Queue' : 'Skip',
      ),
    ],
    filter: (_state, { pod }, { node }) =>
      node?.spec?.unschedulable === true && !tolerates(pod) ? refused : undefined,
  };
}

function tolerates(pod: Pod): boolean {
  return (pod.spec?.tolerations ?? []).some((toleration) => toleratesTaint(toleration, cordoned));
}
