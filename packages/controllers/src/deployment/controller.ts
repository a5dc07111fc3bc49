// The Deployment controller: drives ReplicaSets from one template to the next.

import { deployments, pods, replicaSets } from '@homeostat/client/resources';
import { byController, type PlanController } from '@homeostat/runtime';
import { labelSelectorMatcher } from '../shared/label-match.ts';
import { wakeOwners } from '../shared/owner-wakes.ts';
import { diff } from './diff.ts';
import { observe, type ObservedDeployment } from './observe.ts';
import { wakeRecreatingDeployment } from './pod-wakes.ts';

export interface DeploymentControllerOptions {
  /** `--concurrent-deployment-syncs`; default 5. */
  readonly concurrency?: number;
}

/** Failures in a row after which a Deployment rests until it changes. */
const retriesMax = 15;

/** Creates the definition; the manager runs it. */
export function createDeploymentController(
  options: DeploymentControllerOptions = {},
): PlanController<ObservedDeployment> {
  return {
    name: 'deployment-controller',
    eventSource: 'deployment-controller',
    concurrency: options.concurrency ?? 5,
    retriesMax,
    for: { resource: deployments },
    watches: [
      {
        resource: replicaSets,
        indexes: [byController],
        wakes: wakeOwners({
          owners: deployments,
          selects: (deployment, labels) => labelSelectorMatcher(deployment.spec?.selector)?.(labels) === true,
        }),
      },
      { resource: pods, indexes: [byController], wakes: wakeRecreatingDeployment },
    ],
    observe,
    diff,
  };
}
