// The strategies of node.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { runtimeClassStrategy } from './runtime-class.ts';

export const nodeStrategies: StrategyMap = {
  RuntimeClass: runtimeClassStrategy,
};
