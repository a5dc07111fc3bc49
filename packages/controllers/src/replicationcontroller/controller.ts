// The ReplicationController controller: ReplicaSets of old, with the same algorithm (spec/workloads.md §3).

import { pods, replicationControllers } from '@homeostat/client/resources';
import { byController, type PlanController } from '@homeostat/runtime';
import { batchDelayMs } from '../shared/batch-delay.ts';
import { wakeOwners } from '../shared/owner-wakes.ts';
import type { ObservedReplicas } from '../shared/replicas/replica-owner.ts';
import { replicasPlan } from '../shared/replicas/replicas-plan.ts';
import { observe, selectorOf } from './observe.ts';

export interface ReplicationControllerOptions {
  /** `--concurrent-rc-syncs`; default 5. */
  readonly concurrency?: number;
}

/** Creates the definition; the manager runs it. */
export function createReplicationController(
  options: ReplicationControllerOptions = {},
): PlanController<ObservedReplicas> {
  return {
    name: 'replicationcontroller-controller',
    eventSource: 'replication-controller',
    concurrency: options.concurrency ?? 5,
    for: { resource: replicationControllers, indexes: [byController] },
    watches: [
      {
        resource: pods,
        indexes: [byController],
        wakes: wakeOwners({
          owners: replicationControllers,
          delayMs: (owner) => batchDelayMs(Math.max(owner.spec?.replicas ?? 1, owner.status?.replicas ?? 0)),
          selects: (owner, labels) => selectorOf(owner)?.(labels) === true,
        }),
      },
    ],
    observe,
    diff: replicasPlan,
  };
}
