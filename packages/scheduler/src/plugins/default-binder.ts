// Binds a pod by asking the API server to (spec/scheduler.md §8 step 5).

import type { Binding } from '@homeostat/api/types/core-v1';
import { pods } from '@homeostat/client/resources';
import type { Plugin, PluginHandle } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';

const name = pluginNames.defaultBinder;

export function createDefaultBinder({ client }: PluginHandle): Plugin {
  return {
    name,
    bind: async (_state, { pod, nodeName, kill }) => {
      const { namespace, name: podName, uid } = pod;
      const binding: Binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: podName, namespace, uid },
        target: { kind: 'Node', name: nodeName },
      };
      try {
        await client.createSubresource(pods, {
          namespace,
          name: podName,
          subresource: 'binding',
          object: binding,
          signal: kill,
        });
        return undefined;
      } catch (error) {
        return Status.error(name, error);
      }
    },
  };
}
