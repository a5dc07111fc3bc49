// The strategies of apiextensions.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { customResourceDefinitionStrategy } from './custom-resource-definition.ts';

export const apiExtensionsStrategies: StrategyMap = {
  CustomResourceDefinition: customResourceDefinitionStrategy,
};
