// The plugins of the default profile, in upstream's order and with its weights (spec/scheduler.md §2.2).

import { createBalancedAllocation } from '../plugins/balanced-allocation.ts';
import { createDefaultBinder } from '../plugins/default-binder.ts';
import { createDefaultPreemption } from '../plugins/default-preemption/default-preemption.ts';
import { createDynamicResources } from '../plugins/dynamic-resources.ts';
import { createImageLocality } from '../plugins/image-locality.ts';
import { createInterPodAffinity } from '../plugins/inter-pod-affinity/inter-pod-affinity.ts';
import { createNodeAffinity } from '../plugins/node-affinity.ts';
import { createNodeDeclaredFeatures } from '../plugins/node-declared-features.ts';
import { createNodeName } from '../plugins/node-name.ts';
import { createNodePorts } from '../plugins/node-ports.ts';
import { createNodeResourcesFit } from '../plugins/node-resources-fit.ts';
import { createNodeUnschedulable } from '../plugins/node-unschedulable.ts';
import { createPodTopologySpread } from '../plugins/pod-topology-spread/pod-topology-spread.ts';
import { createPrioritySort } from '../plugins/priority-sort.ts';
import { createSchedulingGates } from '../plugins/scheduling-gates.ts';
import { createTaintToleration } from '../plugins/taint-toleration.ts';
import { createNodeVolumeLimits } from '../plugins/volumes/node-volume-limits.ts';
import { createVolumeBinding } from '../plugins/volumes/volume-binding.ts';
import { createVolumeRestrictions } from '../plugins/volumes/volume-restrictions.ts';
import { createVolumeZone } from '../plugins/volumes/volume-zone.ts';
import type { Profile, ProfilePlugin } from './profile.ts';

export const defaultSchedulerName = 'default-scheduler';

export const defaultPlugins: readonly ProfilePlugin[] = [
  { factory: () => createSchedulingGates() },
  { factory: () => createPrioritySort() },
  { factory: () => createNodeUnschedulable() },
  { factory: () => createNodeName() },
  { factory: () => createTaintToleration(), weight: 3 },
  { factory: () => createNodeAffinity(), weight: 2 },
  { factory: () => createNodePorts() },
  { factory: () => createNodeResourcesFit() },
  { factory: createVolumeRestrictions },
  { factory: createNodeVolumeLimits },
  { factory: (handle) => createVolumeBinding(handle) },
  { factory: createVolumeZone },
  { factory: (handle) => createPodTopologySpread(handle), weight: 2 },
  { factory: (handle) => createInterPodAffinity(handle), weight: 2 },
  { factory: () => createDynamicResources(), weight: 2 },
  { factory: (handle) => createDefaultPreemption(handle) },
  { factory: () => createBalancedAllocation() },
  { factory: createImageLocality },
  { factory: createDefaultBinder },
  { factory: () => createNodeDeclaredFeatures() },
];

export const defaultProfile: Profile = { schedulerName: defaultSchedulerName, plugins: defaultPlugins };
