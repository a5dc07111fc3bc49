// Orders waiting pods: the higher priority first, then who has waited longer (spec/scheduler.md §4.1).

import type { Plugin } from '../framework/plugin.ts';
import { pluginNames } from './names.ts';

export function createPrioritySort(): Plugin {
  return {
    name: pluginNames.prioritySort,
    less: (a, b) =>
      a.info.priority > b.info.priority || (a.info.priority === b.info.priority && a.timestampMs < b.timestampMs),
  };
}
