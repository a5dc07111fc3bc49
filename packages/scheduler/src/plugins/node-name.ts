// A pod that names its node runs there or nowhere (spec/scheduler.md §11.1). Such pods never reach the queue; preemption and users of
// the framework ask.

import { actions, onNode } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';

const name = pluginNames.nodeName;
const refused = Status.unresolvable(name, "node(s) didn't match the requested node name");

export function createNodeName(): Plugin {
  return {
    name,
    events: [onNode(actions.add)],
    filter: (_state, pod, node) => (pod.nodeName === '' || pod.nodeName === node.name ? undefined : refused),
  };
}
