// The strategies of events.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { eventStrategy } from './event.ts';

export const eventsStrategies: StrategyMap = {
  Event: eventStrategy,
};
