// Public names of @homeostat/scheduler.

// The scheduler and its profiles.
export { defaultPlugins, defaultProfile, defaultSchedulerName } from './configuration/default-profile.ts';
export type { Profile, ProfilePlugin } from './configuration/profile.ts';
export { createScheduler, type Scheduler, type SchedulerOptions } from './scheduler.ts';

// What plugins are made of.
export type { NodeInfo } from './cache/node-info.ts';
export type { Snapshot } from './cache/snapshot.ts';
export {
  actions,
  type EventRegistration,
  type EventResource,
  type Hint,
  onNode,
  onPod,
  onResource,
} from './framework/cluster-event.ts';
export { type Cloneable, type CycleState, type StateKey, stateKey } from './framework/cycle-state.ts';
export type { NodeToStatus } from './framework/node-to-status.ts';
export type {
  NominatingInfo,
  PermitOutcome,
  Placement,
  Plugin,
  PluginFactory,
  PluginHandle,
  PodOnNode,
  PostFilterOutcome,
  PreFilterExtensions,
  PreFilterOutcome,
  ScoredNodes,
  SortedPod,
  WaitingPod,
} from './framework/plugin.ts';
export type { PodInfo } from './framework/pod-info.ts';
export { Status, type StatusCode, type Verdict } from './framework/status.ts';

// The built-in plugins, for profiles of one's own.
export { createNodeAffinity, type NodeAffinityOptions } from './plugins/node-affinity.ts';
export { createNodeResourcesFit, type NodeResourcesFitOptions } from './plugins/node-resources-fit.ts';
export {
  createPodTopologySpread,
  type PodTopologySpreadOptions,
} from './plugins/pod-topology-spread/pod-topology-spread.ts';
export {
  createInterPodAffinity,
  type InterPodAffinityOptions,
} from './plugins/inter-pod-affinity/inter-pod-affinity.ts';
export {
  createDefaultPreemption,
  type DefaultPreemptionOptions,
} from './plugins/default-preemption/default-preemption.ts';
