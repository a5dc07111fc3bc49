// The strategies of flowcontrol.apiserver.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { flowSchemaStrategy } from './flow-schema.ts';
import { priorityLevelConfigurationStrategy } from './priority-level-configuration.ts';

export const flowControlStrategies: StrategyMap = {
  FlowSchema: flowSchemaStrategy,
  PriorityLevelConfiguration: priorityLevelConfigurationStrategy,
};
