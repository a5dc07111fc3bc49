// The resources the scheduler reads and writes, as typed names. Nothing here holds a connection.

import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from '@homeostat/api/types/core-v1';
import type { ReplicaSet, StatefulSet } from '@homeostat/api/types/apps-v1';
import type { PodDisruptionBudget } from '@homeostat/api/types/policy-v1';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '@homeostat/api/types/storage-v1';
import { resourceType } from '@homeostat/client';

const core = { group: '', version: 'v1' } as const;
const apps = { group: 'apps', version: 'v1' } as const;
const storage = { group: 'storage.k8s.io', version: 'v1' } as const;

export const pods = resourceType<Pod>({ ...core, resource: 'pods', kind: 'Pod', namespaced: true });
export const nodes = resourceType<Node>({ ...core, resource: 'nodes', kind: 'Node', namespaced: false });
export const namespaces = resourceType<Namespace>({
  ...core,
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
});
export const services = resourceType<Service>({ ...core, resource: 'services', kind: 'Service', namespaced: true });
export const replicationControllers = resourceType<ReplicationController>({
  ...core,
  resource: 'replicationcontrollers',
  kind: 'ReplicationController',
  namespaced: true,
});
export const replicaSets = resourceType<ReplicaSet>({
  ...apps,
  resource: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
});
export const statefulSets = resourceType<StatefulSet>({
  ...apps,
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
});
export const podDisruptionBudgets = resourceType<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
});
export const persistentVolumes = resourceType<PersistentVolume>({
  ...core,
  resource: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
});
export const persistentVolumeClaims = resourceType<PersistentVolumeClaim>({
  ...core,
  resource: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
});
export const storageClasses = resourceType<StorageClass>({
  ...storage,
  resource: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
});
export const csiNodes = resourceType<CSINode>({ ...storage, resource: 'csinodes', kind: 'CSINode', namespaced: false });
export const csiDrivers = resourceType<CSIDriver>({
  ...storage,
  resource: 'csidrivers',
  kind: 'CSIDriver',
  namespaced: false,
});
export const csiStorageCapacities = resourceType<CSIStorageCapacity>({
  ...storage,
  resource: 'csistoragecapacities',
  kind: 'CSIStorageCapacity',
  namespaced: true,
});
export const volumeAttachments = resourceType<VolumeAttachment>({
  ...storage,
  resource: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
});

/** The pods the scheduler watches: finished ones take no room, and their end looks like a deletion. */
export const unfinishedPods = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' } as const;
