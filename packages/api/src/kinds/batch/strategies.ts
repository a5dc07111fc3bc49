// The strategies of batch/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { cronJobStrategy } from './cron-job.ts';
import { jobStrategy } from './job.ts';

export const batchStrategies: StrategyMap = {
  CronJob: cronJobStrategy,
  Job: jobStrategy,
};
