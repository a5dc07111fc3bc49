// What changes of nodes mean for cache and queue (spec/scheduler.md §3.3). A node's conditions keep nobody away: only taints and
// `spec.unschedulable` do.

import type { Node } from '@homeostat/api/types/core-v1';
import type { Change } from '@homeostat/runtime';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import { actions, clusterEvent } from '../framework/cluster-event.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import { deriveNodeEvents } from './derive-events.ts';

const nodeAdd = clusterEvent('Node', actions.add);
const nodeDelete = clusterEvent('Node', actions.delete);

/** Makes the handler of node changes. */
export function createNodeHandler(cache: SchedulerCache, queue: SchedulingQueue): (change: Change<Node>) => void {
  return (change) => {
    switch (change.type) {
      case 'added':
        cache.setNode(change.object);
        queue.moveAll(nodeAdd, { now: change.object });
        return;
      case 'updated':
        cache.setNode(change.object);
        for (const event of deriveNodeEvents(change.old, change.object))
          queue.moveAll(event, { old: change.old, now: change.object });
        return;
      case 'deleted':
        queue.moveAll(nodeDelete, { old: change.object });
        cache.removeNode(change.object.metadata?.name ?? '');
        return;
      case 'resync':
        return;
    }
  };
}
