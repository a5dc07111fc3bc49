// Two pods can't have the same port of a node (spec/scheduler.md §11.4).

import { actions, onNode, onPod } from '../framework/cluster-event.ts';
import { hostPortsConflict } from '../framework/host-ports.ts';
import type { Plugin, PreFilterOutcome } from '../framework/plugin.ts';
import { podInfoOf } from '../framework/pod-info.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';

const name = pluginNames.nodePorts;
const refused = Status.unschedulable(name, "node(s) didn't have free ports for the requested pod ports");
const go: PreFilterOutcome = { verdict: undefined };
const nothingToDo: PreFilterOutcome = { verdict: Status.skip };

export function createNodePorts(): Plugin {
  return {
    name,
    events: [
      onPod(actions.delete, (pod, old) => {
        if (old === undefined) return 'Skip';
        const gone = podInfoOf(old);
        if (gone.nodeName === '' && gone.nominatedNodeName === '') return 'Skip';
        const frees = gone.hostPorts.some((port) => pod.hostPorts.some((wanted) => hostPortsConflict(wanted, port)));
        return frees ? 'Queue' : 'Skip';
      }),
      onNode(actions.add),
    ],
    preFilter: (_state, pod) => (pod.hostPorts.length === 0 ? nothingToDo : go),
    filter: (_state, pod, { usedPorts }) =>
      pod.hostPorts.some((port) => usedPorts.conflictsWith(port)) ? refused : undefined,
  };
}
