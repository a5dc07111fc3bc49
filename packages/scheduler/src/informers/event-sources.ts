// Connects informers with cache and queue: pods and nodes always, other resources when a plugin asked for their events
// (spec/scheduler.md §3.1).

import type { KubeObject } from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
  volumeAttachments,
} from '@homeostat/client/resources';
import type { Change, InformerFactory, Registration } from '@homeostat/runtime';
import { actions, clusterEvent, type EventResource } from '../framework/cluster-event.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import { createNodeHandler } from './node-events.ts';
import { createPodHandler, type PodEventsOptions } from './pod-events.ts';
import { unfinishedPods } from './unfinished-pods.ts';

const sources: Partial<Record<EventResource, ResourceType>> = {
  PersistentVolume: persistentVolumes,
  PersistentVolumeClaim: persistentVolumeClaims,
  'storage.k8s.io/StorageClass': storageClasses,
  'storage.k8s.io/CSINode': csiNodes,
  'storage.k8s.io/CSIDriver': csiDrivers,
  'storage.k8s.io/CSIStorageCapacity': csiStorageCapacities,
  'storage.k8s.io/VolumeAttachment': volumeAttachments,
};

export interface EventSourcesOptions extends PodEventsOptions {
  readonly informers: InformerFactory;
  /** What plugins registered for. */
  readonly resources: ReadonlySet<EventResource>;
  /** Hears how long events took. */
  measure(event: string, run: () => void): void;
}

/** Adds the handlers; they are called once the informers run. */
export function addEventHandlers(options: EventSourcesOptions): readonly Registration[] {
  const { informers, cache, queue, resources, measure } = options;
  const handlePod = createPodHandler(options);
  const handleNode = createNodeHandler(cache, queue);
  const registrations = [
    informers
      .informer(pods, { select: unfinishedPods })
      .addHandler((change) => measure(`Pod${suffix(change)}`, () => handlePod(change)), { resyncPeriodMs: 0 }),
    informers
      .informer(nodes)
      .addHandler((change) => measure(`Node${suffix(change)}`, () => handleNode(change)), { resyncPeriodMs: 0 }),
  ];
  for (const resource of resources) {
    const source = sources[resource];
    if (source === undefined) continue;
    registrations.push(
      informers
        .informer(source)
        .addHandler((change) => measure(`${resource}${suffix(change)}`, () => tell(queue, resource, change)), {
          resyncPeriodMs: 0,
        }),
    );
  }
  return registrations;
}

function tell(queue: SchedulingQueue, resource: EventResource, change: Change): void {
  switch (change.type) {
    case 'added':
      queue.moveAll(clusterEvent(resource, actions.add), { now: change.object });
      return;
    case 'updated':
      queue.moveAll(clusterEvent(resource, actions.updateOther), { old: change.old, now: change.object });
      return;
    case 'deleted':
      queue.moveAll(clusterEvent(resource, actions.delete), { old: change.object });
      return;
    case 'resync':
      return;
  }
}

function suffix(change: Change<KubeObject>): string {
  return change.type === 'added' ? 'Add' : change.type === 'deleted' ? 'Delete' : 'Update';
}
