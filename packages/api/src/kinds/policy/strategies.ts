// The strategies of policy/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { podDisruptionBudgetStrategy } from './pod-disruption-budget.ts';

export const policyStrategies: StrategyMap = {
  PodDisruptionBudget: podDisruptionBudgetStrategy,
};
