// The place of dynamic resource allocation (spec/scheduler.md §15) in the order of plugins: what every pod without claims sees of it. Claims
// are not allocated yet; pods that have some are scheduled by the other plugins.

import { stateKey } from '../framework/cycle-state.ts';
import type { Plugin } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import { pluginNames } from './names.ts';

const name = pluginNames.dynamicResources;
const seen = stateKey<object>('DynamicResources');

export function createDynamicResources(): Plugin {
  return {
    name,
    preFilter: (state) => {
      state.write(seen, {});
      return { verdict: Status.skip };
    },
    postFilter: async (state) => {
      // A plugin before this one ended PreFilter: upstream then reports its own missing state, and preemption is not tried.
      const verdict =
        state.read(seen) === undefined
          ? Status.error(name, new Error('not found'))
          : Status.unschedulable(name, 'no new claims to deallocate');
      return { verdict };
    },
  };
}
