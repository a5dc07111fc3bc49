// The resources the story touches, and the Deployment it is about.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Event, Node, Pod, Service } from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { resourceType } from '@homeostat/client';

const core = { group: '', version: 'v1' } as const;
const apps = { group: 'apps', version: 'v1' } as const;

export const pods = resourceType<Pod>({ ...core, resource: 'pods', kind: 'Pod', namespaced: true });
export const nodes = resourceType<Node>({ ...core, resource: 'nodes', kind: 'Node', namespaced: false });
export const services = resourceType<Service>({ ...core, resource: 'services', kind: 'Service', namespaced: true });
export const events = resourceType<Event>({ ...core, resource: 'events', kind: 'Event', namespaced: true });
export const deployments = resourceType<Deployment>({
  ...apps,
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
});
export const replicaSets = resourceType<ReplicaSet>({
  ...apps,
  resource: 'replicasets',
  kind: 'ReplicaSet',
  namespaced: true,
});
export const endpointSlices = resourceType<EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
});

export const namespace = 'default';
export const labels = { app: 'web' } as const;

/** Three replicas that leave a silent node after `tolerationSeconds`. */
export function webDeployment(tolerationSeconds: number): Deployment {
  const tolerate = (key: string): object => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'web', image: 'nginx:1.29', ports: [{ containerPort: 80 }] }],
          tolerations: [tolerate('node.kubernetes.io/not-ready'), tolerate('node.kubernetes.io/unreachable')],
          terminationGracePeriodSeconds: 1,
        },
      },
    },
  } as unknown as Deployment;
}

export const webService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace },
  spec: { selector: labels, ports: [{ port: 80 }] },
} as unknown as Service;
