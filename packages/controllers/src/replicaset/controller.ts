// The ReplicaSet controller: keeps the number of pods of each set at `spec.replicas`.

import { pods, replicaSets } from '@homeostat/client/resources';
import { byController, type PlanController } from '@homeostat/runtime';
import { labelSelectorMatcher } from '../shared/label-match.ts';
import { batchDelayMs } from '../shared/batch-delay.ts';
import { wakeOwners } from '../shared/owner-wakes.ts';
import type { ObservedReplicas } from '../shared/replicas/replica-owner.ts';
import { diff } from './diff.ts';
import { observe } from './observe.ts';

export interface ReplicaSetControllerOptions {
  /** `--concurrent-replicaset-syncs`; default 5. */
  readonly concurrency?: number;
}

/** Creates the definition; the manager runs it. */
export function createReplicaSetController(
  options: ReplicaSetControllerOptions = {},
): PlanController<ObservedReplicas> {
  return {
    name: 'replicaset-controller',
    eventSource: 'replicaset-controller',
    concurrency: options.concurrency ?? 5,
    for: { resource: replicaSets, indexes: [byController] },
    watches: [
      {
        resource: pods,
        indexes: [byController],
        wakes: wakeOwners({
          owners: replicaSets,
          delayMs: (owner) => batchDelayMs(Math.max(owner.spec?.replicas ?? 1, owner.status?.replicas ?? 0)),
          selects: (replicaSet, labels) => labelSelectorMatcher(replicaSet.spec?.selector)?.(labels) === true,
        }),
      },
    ],
    observe,
    diff,
  };
}
