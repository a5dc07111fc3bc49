// Keeps pods with scheduling gates out of the queue (spec/scheduler.md §11.1). Silent: the API server tells the user.

import { actions, onPod } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';

const name = pluginNames.schedulingGates;

export function createSchedulingGates(): Plugin {
  return {
    name,
    events: [
      onPod(actions.updatePodSchedulingGatesEliminated, (pod, _old, now) =>
        now?.metadata?.uid === pod.uid ? 'Queue' : 'Skip',
      ),
    ],
    preEnqueue: ({ pod }) => {
      const gates = pod.spec?.schedulingGates ?? [];
      if (gates.length === 0) return undefined;
      const names = gates.map((gate) => gate.name).join(' ');
      return Status.unresolvable(name, `waiting for scheduling gates: [${names}]`);
    },
  };
}
