// The strategies of discovery.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { endpointSliceStrategy } from './endpoint-slice.ts';

export const discoveryStrategies: StrategyMap = {
  EndpointSlice: endpointSliceStrategy,
};
