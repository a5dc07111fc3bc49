// The resources that controllers read and write, as typed names. Nothing here holds a connection.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import type {
  ConfigMap,
  Endpoints,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import type { ResourceClaim } from '@homeostat/api/types/resource-v1';
import type { ClusterRole } from '@homeostat/api/types/rbac-v1';
import { resourceType } from '@homeostat/client';

const core = { group: '', version: 'v1' } as const;
const apps = { group: 'apps', version: 'v1' } as const;

export const pods = resourceType<Pod>({ ...core, resource: 'pods', kind: 'Pod', namespaced: true });
export const nodes = resourceType<Node>({ ...core, resource: 'nodes', kind: 'Node', namespaced: false });
export const namespaces = resourceType<Namespace>({
  ...core,
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
});
export const services = resourceType<Service>({ ...core, resource: 'services', kind: 'Service', namespaced: true });
export const endpoints = resourceType<Endpoints>({
  ...core,
  resource: 'endpoints',
  kind: 'Endpoints',
  namespaced: true,
});
export const configMaps = resourceType<ConfigMap>({
  ...core,
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
});
export const persistentVolumeClaims = resourceType<PersistentVolumeClaim>({
  ...core,
  resource: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
});
export const resourceQuotas = resourceType<ResourceQuota>({
  ...core,
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
});
export const secrets = resourceType<Secret>({ ...core, resource: 'secrets', kind: 'Secret', namespaced: true });
export const serviceAccounts = resourceType<ServiceAccount>({
  ...core,
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
});
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
export const deployments = resourceType<Deployment>({
  ...apps,
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
});
export const endpointSlices = resourceType<EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
});
export const leases = resourceType<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
});
export const clusterRoles = resourceType<ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
});
export const resourceClaims = resourceType<ResourceClaim>({
  group: 'resource.k8s.io',
  version: 'v1',
  resource: 'resourceclaims',
  kind: 'ResourceClaim',
  namespaced: true,
});
