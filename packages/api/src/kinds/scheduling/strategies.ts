// The strategies of scheduling.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { priorityClassStrategy } from './priority-class.ts';

export const schedulingStrategies: StrategyMap = {
  PriorityClass: priorityClassStrategy,
};
