// What can happen in a cluster that may make a pod schedulable, and what plugins want to hear of it (spec/scheduler.md §3.4, §4.5).
// Actions are bits, so that one registration covers several.

import type { KubeObject } from '@homeostat/machinery';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import type { PodInfo } from './pod-info.ts';

/** `Pod` in a registration means assigned and unassigned ones; events say which. `*` is the wildcard. */
export type EventResource =
  | 'Pod'
  | 'AssignedPod'
  | 'UnschedulablePod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'storage.k8s.io/StorageClass'
  | 'storage.k8s.io/CSINode'
  | 'storage.k8s.io/CSIDriver'
  | 'storage.k8s.io/CSIStorageCapacity'
  | 'storage.k8s.io/VolumeAttachment'
  | 'resource.k8s.io/ResourceClaim'
  | 'resource.k8s.io/ResourceSlice'
  | 'resource.k8s.io/DeviceClass'
  | '*';

/** Bits of actions. `update` is every update there is, the generic one included. */
export const actions = {
  add: 1,
  delete: 1 << 1,
  updateNodeAllocatable: 1 << 2,
  updateNodeLabel: 1 << 3,
  updateNodeTaint: 1 << 4,
  updateNodeCondition: 1 << 5,
  updateNodeAnnotation: 1 << 6,
  updateNodeDeclaredFeature: 1 << 7,
  updatePodLabel: 1 << 8,
  updatePodScaleDown: 1 << 9,
  updatePodToleration: 1 << 10,
  updatePodSchedulingGatesEliminated: 1 << 11,
  updatePodGeneratedResourceClaim: 1 << 12,
  /** An update that none of the others describes. */
  updateOther: 1 << 13,
  update: ((1 << 14) - 1) & ~3,
  all: (1 << 14) - 1,
} as const;

export interface ClusterEvent {
  readonly resource: EventResource;
  /** One bit of {@link actions}, or all of them. */
  readonly action: number;
  /** As metrics and logs name it, e.g. `NodeAdd`. */
  readonly label: string;
}

/** What a hint answers: `Queue` when the pod may be schedulable now. */
export type Hint = 'Queue' | 'Skip';

/** Judges whether an event may make `pod` schedulable. `old` is undefined for additions, `now` for deletions. */
export type QueueingHint = (pod: PodInfo, old: KubeObject | undefined, now: KubeObject | undefined) => Hint;

/** An event a plugin wants its rejected pods to be reconsidered for. */
export interface EventRegistration {
  readonly resource: EventResource;
  /** Bits of {@link actions}. */
  readonly action: number;
  /** Default: always `Queue`. */
  readonly hint?: QueueingHint;
}

const actionNames: readonly (readonly [number, string])[] = [
  [actions.add, 'Add'],
  [actions.delete, 'Delete'],
  [actions.updateNodeAllocatable, 'UpdateNodeAllocatable'],
  [actions.updateNodeLabel, 'UpdateNodeLabel'],
  [actions.updateNodeTaint, 'UpdateNodeTaint'],
  [actions.updateNodeCondition, 'UpdateNodeCondition'],
  [actions.updateNodeAnnotation, 'UpdateNodeAnnotation'],
  [actions.updateNodeDeclaredFeature, 'UpdateNodeDeclaredFeature'],
  [actions.updatePodLabel, 'UpdatePodLabel'],
  [actions.updatePodScaleDown, 'UpdatePodScaleDown'],
  [actions.updatePodToleration, 'UpdatePodToleration'],
  [actions.updatePodSchedulingGatesEliminated, 'UpdatePodSchedulingGatesEliminated'],
  [actions.updatePodGeneratedResourceClaim, 'UpdatePodGeneratedResourceClaim'],
  [actions.updateOther, 'Update'],
];

const events = new Map<string, ClusterEvent>();

/** The event of one action on a resource; the same object every time. */
export function clusterEvent(resource: EventResource, action: number): ClusterEvent {
  const key = `${resource}\u0000${action}`;
  let event = events.get(key);
  if (event === undefined) {
    const name = actionNames.find(([bit]) => bit === action)?.[1] ?? 'All';
    event = { resource, action, label: `${resource}${name}` };
    events.set(key, event);
  }
  return event;
}

/** Events that move pods whatever plugins say. */
export const wildcardEvents = {
  forceActivate: { resource: '*', action: actions.all, label: 'ForceActivate' },
  unschedulableTimeout: { resource: '*', action: actions.all, label: 'UnschedulableTimeout' },
} as const satisfies Record<string, ClusterEvent>;

export function isWildcard(event: ClusterEvent): boolean {
  return event.resource === '*';
}

/** Whether a registration is meant for an event. Wildcard events match no registration but a wildcard one. */
export function matchesEvent(
  registration: Pick<EventRegistration, 'resource' | 'action'>,
  event: ClusterEvent,
): boolean {
  if (registration.resource === '*') return true;
  const sameResource =
    registration.resource === event.resource ||
    (registration.resource === 'Pod' && (event.resource === 'AssignedPod' || event.resource === 'UnschedulablePod'));
  return sameResource && (registration.action & event.action) === event.action;
}

/** A registration on nodes. */
export function onNode(
  action: number,
  hint?: (pod: PodInfo, old: Node | undefined, now: Node | undefined) => Hint,
): EventRegistration {
  return { resource: 'Node', action, ...(hint === undefined ? {} : { hint }) };
}

/** A registration on pods. */
export function onPod(
  action: number,
  hint?: (pod: PodInfo, old: Pod | undefined, now: Pod | undefined) => Hint,
): EventRegistration {
  return { resource: 'Pod', action, ...(hint === undefined ? {} : { hint }) };
}

/** A registration on another resource, whose objects the caller knows the type of. */
export function onResource<T extends KubeObject>(
  resource: EventResource,
  action: number,
  hint?: (pod: PodInfo, old: T | undefined, now: T | undefined) => Hint,
): EventRegistration {
  return { resource, action, ...(hint === undefined ? {} : { hint: hint as QueueingHint }) };
}
