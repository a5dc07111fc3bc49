// The strategies of coordination.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { leaseStrategy } from './lease.ts';

export const coordinationStrategies: StrategyMap = {
  Lease: leaseStrategy,
};
