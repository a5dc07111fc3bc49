// The strategies of autoscaling, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { horizontalPodAutoscalerStrategy } from './horizontal-pod-autoscaler.ts';

export const autoscalingStrategies: StrategyMap = {
  HorizontalPodAutoscaler: horizontalPodAutoscalerStrategy,
};
