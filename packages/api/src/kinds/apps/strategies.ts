// The strategies of apps/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { controllerRevisionStrategy } from './controller-revision.ts';
import { daemonSetStrategy } from './daemon-set.ts';
import { deploymentStrategy } from './deployment.ts';
import { replicaSetStrategy } from './replica-set.ts';
import { statefulSetStrategy } from './stateful-set.ts';

export const appsStrategies: StrategyMap = {
  ControllerRevision: controllerRevisionStrategy,
  DaemonSet: daemonSetStrategy,
  Deployment: deploymentStrategy,
  ReplicaSet: replicaSetStrategy,
  StatefulSet: statefulSetStrategy,
};
