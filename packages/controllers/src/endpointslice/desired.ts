// The endpoints a Service wants, per address type and port set (spec/infrastructure.md §10.4 steps 1-3). Pure.

import type { Node, Pod, Service } from '@homeostat/api/types/core-v1';
import type { Endpoint, EndpointPort } from '@homeostat/api/types/discovery-v1';
import { isPodReady } from '@homeostat/api';
import {
  endpointHostname,
  findPort,
  ipFamily,
  isEndpointCandidate,
  isHeadless,
  podIps,
} from '../shared/service-endpoints/service-pods.ts';
import { portsKey } from '../shared/service-endpoints/slice-names.ts';

export type AddressType = 'IPv4' | 'IPv6';

/** Endpoints that share one set of ports. */
export interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface DesiredEndpoints {
  /** By {@link portsKey}. */
  readonly groups: ReadonlyMap<string, PortGroup>;
  /** Nodes that pods name and the cache does not have: their pods are left out and the sync is tried again. */
  readonly missingNodes: readonly string[];
}

/** The address types of a Service: its families, or what its cluster IP says; both for headless ones without families. */
export function addressTypes(service: Service): readonly AddressType[] {
  const families = service.spec?.ipFamilies ?? [];
  if (families.length > 0) return families.map((family) => (family === 'IPv6' ? 'IPv6' : 'IPv4'));
  return isHeadless(service) ? ['IPv4', 'IPv6'] : [ipFamily(service.spec?.clusterIP ?? '')];
}

export function desiredEndpoints(
  service: Service,
  pods: readonly Pod[],
  nodes: ReadonlyMap<string, Node>,
  type: AddressType,
): DesiredEndpoints {
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
  const missingNodes = new Set<string>();
  const publishNotReady = service.spec?.publishNotReadyAddresses === true;
  for (const pod of pods) {
    if (!isEndpointCandidate(pod, true)) continue;
    const addresses = podIps(pod).filter((ip) => ipFamily(ip) === type);
    const ports = portsOf(service, pod);
    const nodeName = pod.spec?.nodeName ?? '';
    if (addresses.length === 0 || ports === undefined) continue;
    const node = nodes.get(nodeName);
    // A pod that runs but names no node is as unknown as one whose node is missing.
    if (node === undefined && !publishNotReady) {
      missingNodes.add(nodeName);
      continue;
    }
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(toEndpoint(service, pod, addresses, node));
  }
  return { groups, missingNodes: [...missingNodes] };
}

function toEndpoint(service: Service, pod: Pod, addresses: readonly string[], node: Node | undefined): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const hostname = endpointHostname(pod, service);
  const nodeName = pod.spec?.nodeName ?? '';
  const zone = node?.metadata?.labels?.['topology.kubernetes.io/zone'] ?? '';
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: {
      kind: 'Pod',
      namespace: pod.metadata?.namespace ?? '',
      name: pod.metadata?.name ?? '',
      uid: pod.metadata?.uid ?? '',
    },
    ...(nodeName === '' ? {} : { nodeName }),
    ...(zone === '' ? {} : { zone }),
    ...hintsOf(service, ready, zone, nodeName),
  };
}

// trafficDistribution: endpoints that are ready are hinted to where they are.
function hintsOf(service: Service, ready: boolean, zone: string, nodeName: string): Pick<Endpoint, 'hints'> {
  const distribution = service.spec?.trafficDistribution;
  if (!ready || zone === '' || distribution === undefined) return {};
  const forZones = [{ name: zone }];
  if (distribution === 'PreferSameNode' && nodeName !== '')
    return { hints: { forZones, forNodes: [{ name: nodeName }] } };
  return distribution === 'PreferClose' || distribution === 'PreferSameZone' || distribution === 'PreferSameNode'
    ? { hints: { forZones } }
    : {};
}

// Undefined: a Service without ports that is not headless leads nowhere.
function portsOf(service: Service, pod: Pod): readonly EndpointPort[] | undefined {
  const wanted = service.spec?.ports ?? [];
  if (wanted.length === 0) return isHeadless(service) ? [] : undefined;
  return wanted.flatMap((port): EndpointPort[] => {
    const number = findPort(pod, port);
    if (number === undefined) return [];
    return [
      {
        name: port.name ?? '',
        protocol: port.protocol ?? 'TCP',
        port: number,
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ];
  });
}

/** Identity of an endpoint within a slice: the pod, not the address alone (case B18: a finished pod and a new one may share an IP). */
export function endpointKey(endpoint: Endpoint): string {
  const { targetRef } = endpoint;
  return JSON.stringify([
    endpoint.addresses.toSorted(),
    endpoint.hostname ?? '',
    targetRef?.namespace ?? '',
    targetRef?.name ?? '',
    targetRef?.uid ?? '',
  ]);
}
