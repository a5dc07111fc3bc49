// The strategies of resource.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { deviceClassStrategy } from './device-class.ts';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './resource-claim.ts';
import { resourceSliceStrategy } from './resource-slice.ts';

export const resourceStrategies: StrategyMap = {
  DeviceClass: deviceClassStrategy,
  ResourceClaim: resourceClaimStrategy,
  ResourceClaimTemplate: resourceClaimTemplateStrategy,
  ResourceSlice: resourceSliceStrategy,
};
