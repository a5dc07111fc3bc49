// What changes of pods mean for cache and queue (spec/scheduler.md §3.2).

import type { Pod } from '@homeostat/api/types/core-v1';
import type { Change } from '@homeostat/runtime';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import { actions, clusterEvent } from '../framework/cluster-event.ts';
import { podInfoOf } from '../framework/pod-info.ts';
import type { WaitingPods } from '../framework/waiting-pods.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import { derivePodEvents } from './derive-events.ts';

export interface PodEventsOptions {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly waitingPods: WaitingPods;
  /** Whether a profile answers to the name. */
  isOurs(schedulerName: string): boolean;
}

const assignedAdd = clusterEvent('AssignedPod', actions.add);
const assignedDelete = clusterEvent('AssignedPod', actions.delete);

/** Makes the handler of pod changes. */
export function createPodHandler(options: PodEventsOptions): (change: Change<Pod>) => void {
  const { cache, queue, waitingPods } = options;
  const isOurs = (pod: Pod): boolean => options.isOurs(pod.spec?.schedulerName ?? '');

  const bound = (pod: Pod): void => {
    cache.addPod(pod);
    queue.moveAll(assignedAdd, { now: pod });
  };

  const added = (pod: Pod): void => {
    if (isAssigned(pod)) bound(pod);
    else if (isOurs(pod)) queue.add(pod);
  };

  /** An assumed pod is being deleted, or has gone: its room is free at once. */
  const assumedGone = (pod: Pod): void => {
    const info = podInfoOf(pod);
    const waiting = waitingPods.get(info.uid);
    const assumed = cache.getPod(info.uid);
    if (waiting !== undefined) waiting.reject('', 'removed');
    else if (assumed !== undefined && cache.isAssumed(info.uid)) cache.forget(assumed);
    queue.moveAll(assignedDelete, { old: assumed?.pod ?? pod });
  };

  /** The room kept for a nominated pod is free: for pods that had to respect it. */
  const nominationGone = (old: Pod): void => {
    const { priority } = podInfoOf(old);
    queue.moveAll(assignedDelete, { old, mayMove: (pod) => pod.priority <= priority });
  };

  const updated = (old: Pod, pod: Pod): void => {
    if (isAssigned(old)) {
      cache.updatePod(pod);
      for (const event of derivePodEvents('AssignedPod', old, pod)) queue.moveAll(event, { old, now: pod });
      return;
    }
    if (isAssigned(pod)) {
      bound(pod);
      if (isOurs(pod)) queue.delete(old);
      return;
    }
    if (!isOurs(pod)) return;
    if (cache.isAssumed(podInfoOf(pod).uid)) {
      if (old.metadata?.deletionTimestamp === undefined && pod.metadata?.deletionTimestamp !== undefined)
        assumedGone(pod);
      return;
    }
    queue.update(old, pod, derivePodEvents('UnschedulablePod', old, pod));
    const nominated = old.status?.nominatedNodeName ?? '';
    if (nominated !== '' && nominated !== (pod.status?.nominatedNodeName ?? '')) nominationGone(old);
  };

  const removedWaiting = (pod: Pod): void => {
    queue.delete(pod);
    if (cache.isAssumed(podInfoOf(pod).uid)) assumedGone(pod);
    else if ((pod.status?.nominatedNodeName ?? '') !== '') nominationGone(pod);
  };

  return (change) => {
    switch (change.type) {
      case 'added':
        added(change.object);
        return;
      case 'updated':
        updated(change.old, change.object);
        return;
      case 'deleted':
        if (isAssigned(change.object)) {
          cache.removePod(change.object);
          queue.moveAll(assignedDelete, { old: change.object });
          // The pod may have been bound, finished and gone without our having seen it.
          if (isOurs(change.object)) queue.delete(change.object);
        } else {
          // What was missed may have been its binding.
          if (change.lastStateUnknown && !cache.isAssumed(podInfoOf(change.object).uid)) cache.removePod(change.object);
          if (isOurs(change.object)) removedWaiting(change.object);
        }
        return;
      case 'resync':
        return;
    }
  };
}

function isAssigned(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? '') !== '';
}
