// The resources that checkers read, as typed names.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Endpoints, Namespace, Node, Pod, Service } from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { resourceType } from '@homeostat/client';

const core = { group: '', version: 'v1' } as const;
const apps = { group: 'apps', version: 'v1' } as const;
const namespaced = { namespaced: true } as const;

export const pods = resourceType<Pod>({ ...core, resource: 'pods', kind: 'Pod', ...namespaced });
export const nodes = resourceType<Node>({ ...core, resource: 'nodes', kind: 'Node', namespaced: false });
export const namespaces = resourceType<Namespace>({
  ...core,
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
});
export const services = resourceType<Service>({ ...core, resource: 'services', kind: 'Service', ...namespaced });
export const endpoints = resourceType<Endpoints>({ ...core, resource: 'endpoints', kind: 'Endpoints', ...namespaced });
export const replicaSets = resourceType<ReplicaSet>({
  ...apps,
  resource: 'replicasets',
  kind: 'ReplicaSet',
  ...namespaced,
});
export const deployments = resourceType<Deployment>({
  ...apps,
  resource: 'deployments',
  kind: 'Deployment',
  ...namespaced,
});
export const endpointSlices = resourceType<EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  ...namespaced,
});
