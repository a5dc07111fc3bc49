// The strategies of apiregistration.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { apiServiceStrategy } from './api-service.ts';

export const apiRegistrationStrategies: StrategyMap = {
  APIService: apiServiceStrategy,
};
