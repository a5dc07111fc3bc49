// The server's own Service and the range that Services take their addresses from (spec/apiserver.md §20): ServiceCIDR
// `kubernetes` and Service `default/kubernetes`. Its endpoints are made where the server is told its address.

import type { Env } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import { formatTime } from '@homeostat/machinery';
import type { ServiceAllocator } from '../services/service-allocator.ts';
import { ensureObject } from './ensure-object.ts';
import { ownRequest } from './own-request.ts';

export interface ServiceNetworkOptions {
  readonly env: Env;
  readonly handle: Handle;
  readonly services: ServiceAllocator;
  readonly ranges: readonly string[];
  readonly advertise?: { readonly address: string; readonly port: number } | undefined;
  readonly signal: AbortSignal;
}

const securePort = 6443;
const cidrPath = '/apis/networking.k8s.io/v1/servicecidrs';
const cidrController = 'kubernetes-service-cidr-controller';

export async function ensureServiceCidr(options: ServiceNetworkOptions): Promise<void> {
  const { handle, signal, ranges, env } = options;
  const apiVersion = 'networking.k8s.io/v1';
  const created = await ensureObject(options.handle, signal, {
    path: cidrPath,
    object: {
      kind: 'ServiceCIDR',
      apiVersion,
      metadata: { name: 'kubernetes' },
      spec: { cidrs: ranges },
    },
  });
  if (!created) return;
  const condition = {
    type: 'Ready',
    status: 'True',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(env.clock.nowMs()),
  };
  await ownRequest(handle, signal, {
    method: 'PATCH',
    path: `${cidrPath}/kubernetes/status`,
    query: `fieldManager=${cidrController}&force=true`,
    contentType: 'application/apply-patch+yaml',
    object: { kind: 'ServiceCIDR', apiVersion, metadata: { name: 'kubernetes' }, status: { conditions: [condition] } },
  });
}

export async function ensureKubernetesService(options: ServiceNetworkOptions): Promise<void> {
  const { services, advertise, handle, signal } = options;
  const ensure = (path: string, object: object): Promise<boolean> => ensureObject(handle, signal, { path, object });
  await ensure('/api/v1/namespaces/default/services', {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: advertise?.port ?? securePort }],
      clusterIP: services.addresses.first,
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilyPolicy: 'SingleStack',
    },
  });
  if (advertise === undefined) return;
  await ensure('/api/v1/namespaces/default/endpoints', {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [
      { addresses: [{ ip: advertise.address }], ports: [{ name: 'https', port: advertise.port, protocol: 'TCP' }] },
    ],
  });
  await ensure('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: advertise.address.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [advertise.address], conditions: { ready: true } }],
    ports: [{ name: 'https', port: advertise.port, protocol: 'TCP' }],
  });
}
