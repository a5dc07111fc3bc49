// Pods that need a feature of the node agent run only on nodes that declare it (spec/scheduler.md §11.12).

import type { Container, Pod } from '@homeostat/api/types/core-v1';
import { deepEqual } from '@homeostat/machinery';
import { actions, onNode, onPod } from '../framework/cluster-event.ts';
import { stateKey } from '../framework/cycle-state.ts';
import type { Plugin } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';

const name = pluginNames.nodeDeclaredFeatures;
const refused = Status.unresolvable(name, "node(s) didn't match Pod's required features");
const required = stateKey<readonly string[]>('PreFilterNodeDeclaredFeatures');
const restartAllContainers = 'RestartAllContainersOnContainerExits';
const userNamespacesHostNetwork = 'UserNamespacesHostNetworkSupport';

export function createNodeDeclaredFeatures(): Plugin {
  return {
    name,
    events: [
      onNode(actions.add | actions.updateNodeDeclaredFeature, (_pod, old, now) =>
        old !== undefined && deepEqual(old.status?.declaredFeatures, now?.status?.declaredFeatures) ? 'Skip' : 'Queue',
      ),
      onPod(actions.update, (pod, old, now) => {
        if (old === undefined || now === undefined || now.metadata?.uid !== pod.uid) return 'Skip';
        return deepEqual(requiredFeatures(old), requiredFeatures(now)) ? 'Skip' : 'Queue';
      }),
    ],
    preFilter: (state, { pod }) => {
      const features = requiredFeatures(pod);
      if (features.length === 0) return { verdict: Status.skip };
      state.write(required, features);
      return { verdict: undefined };
    },
    filter: (state, _pod, { node }) => {
      const declared = node?.status?.declaredFeatures ?? [];
      return (state.read(required) ?? []).every((feature) => declared.includes(feature)) ? undefined : refused;
    },
  };
}

function requiredFeatures({ spec }: Pod): readonly string[] {
  const features: string[] = [];
  const restartsAll = ({ restartPolicyRules = [] }: Container): boolean =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers');
  if ([...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some(restartsAll))
    features.push(restartAllContainers);
  if (spec?.hostNetwork === true && spec.hostUsers === false) features.push(userNamespacesHostNetwork);
  return features;
}
