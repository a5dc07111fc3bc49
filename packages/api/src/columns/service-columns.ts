// Table rows of what brings traffic to Pods: Services, Endpoints, EndpointSlices, Ingresses, policies and addresses.

import type { Endpoints, Service } from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '@homeostat/api/types/networking-v1';
import { compareBytewise } from '@homeostat/machinery';

import { AGE_COLUMN, ageOf, column, joinSome, nameColumn, nameOf, orElse, table, wideColumn } from './column.ts';
import { formatLabels, formatSelector } from './label-text.ts';

const HOSTS_MAX = 3;

export const serviceTable = table<Service>(
  [
    nameColumn(),
    column('Type', 'How the Service is exposed.'),
    column('Cluster-IP', 'Its address inside the cluster.'),
    column('External-IP', 'Its addresses, or its name, outside the cluster.'),
    column('Port(s)', 'Ports, with node ports where there are any.'),
    AGE_COLUMN,
    wideColumn('Selector', 'Labels of the Pods behind it.'),
  ],
  (service, nowMs) => [
    nameOf(service),
    service.spec?.type ?? '',
    orElse(service.spec?.clusterIPs?.[0], '<none>'),
    externalAddresses(service),
    orElse((service.spec?.ports ?? []).map(portText).join(','), '<none>'),
    ageOf(service, nowMs),
    formatLabels(service.spec?.selector),
  ],
);

export const endpointsTable = table<Endpoints>(
  [nameColumn(), column('Endpoints', 'Addresses and ports behind the Service.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), endpointsText(object), ageOf(object, nowMs)],
);

export const endpointSliceTable = table<EndpointSlice>(
  [
    nameColumn(),
    column('AddressType', 'Family of its addresses.'),
    column('Ports', 'Ports that all its endpoints share.'),
    column('Endpoints', 'Addresses of its endpoints.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => [
    nameOf(object),
    object.addressType ?? '',
    orElse(
      joinSome(
        (object.ports ?? []).map((port) => String(port.port ?? orElse(port.name, '*'))),
        3,
      ),
      '<unset>',
    ),
    orElse(
      joinSome(
        (object.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []),
        3,
      ),
      '<unset>',
    ),
    ageOf(object, nowMs),
  ],
);

export const ingressTable = table<Ingress>(
  [
    nameColumn(),
    column('Class', 'IngressClass that serves it.'),
    column('Hosts', 'Hosts its rules name.'),
    column('Address', 'Where its load balancer listens.'),
    column('Ports', 'Ports it listens on.'),
    AGE_COLUMN,
  ],
  (ingress, nowMs) => [
    nameOf(ingress),
    orElse(ingress.spec?.ingressClassName, '<none>'),
    hostsText((ingress.spec?.rules ?? []).map((rule) => rule.host ?? '')),
    balancerAddresses(ingress.status?.loadBalancer?.ingress).join(','),
    (ingress.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
    ageOf(ingress, nowMs),
  ],
);

export const ingressClassTable = table<IngressClass>(
  [
    nameColumn(),
    column('Controller', 'Controller that serves the class.'),
    column('Parameters', 'Object that configures it.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => {
    const parameters = object.spec?.parameters;
    const group = parameters?.apiGroup === undefined ? '' : `.${parameters.apiGroup}`;
    const text = parameters === undefined ? '<none>' : `${parameters.kind}${group}/${parameters.name}`;
    return [nameOf(object), object.spec?.controller ?? '', text, ageOf(object, nowMs)];
  },
);

export const networkPolicyTable = table<NetworkPolicy>(
  [nameColumn(), column('Pod-Selector', 'Labels of the Pods it holds for.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), formatSelector(object.spec?.podSelector), ageOf(object, nowMs)],
);

export const serviceCidrTable = table<ServiceCIDR>(
  [nameColumn(), column('CIDRs', 'Ranges that Service addresses are taken from.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), (object.spec?.cidrs ?? []).join(','), ageOf(object, nowMs)],
);

/** Rows carry an age that no column announces: so does upstream. */
export const ipAddressTable = table<IPAddress>(
  [nameColumn(), column('ParentRef', 'What the address belongs to.')],
  (object, nowMs) => {
    const parent = object.spec?.parentRef;
    let text = '<none>';
    if (parent !== undefined) {
      const group = orElse(parent.group, '');
      const resource = group === '' ? (parent.resource ?? '') : `${parent.resource ?? ''}.${group}`;
      const namespace = orElse(parent.namespace, '');
      text = [resource.toLowerCase(), ...(namespace === '' ? [] : [namespace]), parent.name ?? ''].join('/');
    }
    return [nameOf(object), text, ageOf(object, nowMs)];
  },
);

/** Rules without a host are not shown, but count among those left out. */
function hostsText(hosts: readonly string[]): string {
  const shown: string[] = [];
  for (const host of hosts) {
    if (shown.length === HOSTS_MAX) return `${shown.join(',')} + ${hosts.length - HOSTS_MAX} more...`;
    if (host !== '') shown.push(host);
  }
  return orElse(shown.join(','), '*');
}

function externalAddresses(service: Service): string {
  const external = service.spec?.externalIPs ?? [];
  switch (service.spec?.type) {
    case 'ExternalName':
      return service.spec.externalName ?? '';
    case 'LoadBalancer':
      return orElse([...balancerAddresses(service.status?.loadBalancer?.ingress), ...external].join(','), '<pending>');
    case 'ClusterIP':
    case 'NodePort':
      return orElse(external.join(','), '<none>');
    default:
      return '<unknown>';
  }
}

function balancerAddresses(
  ingress: readonly { readonly ip?: string; readonly hostname?: string }[] | undefined,
): readonly string[] {
  const addresses = (ingress ?? [])
    .map((entry) => orElse(entry.ip, entry.hostname ?? ''))
    .filter((text) => text !== '');
  return [...new Set(addresses)].sort(compareBytewise);
}

function portText(port: { readonly port: number; readonly nodePort?: number; readonly protocol?: string }): string {
  const nodePort = (port.nodePort ?? 0) > 0 ? `:${port.nodePort}` : '';
  return `${port.port}${nodePort}/${port.protocol ?? ''}`;
}

function endpointsText(object: Endpoints): string {
  const subsets = object.subsets ?? [];
  if (subsets.length === 0) return '<none>';
  const texts = subsets.flatMap((subset) => {
    const ips = (subset.addresses ?? []).map((address) => address.ip);
    const ports = subset.ports ?? [];
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => (ip.includes(':') ? `[${ip}]:${port.port}` : `${ip}:${port.port}`)));
  });
  return joinSome(texts, 3);
}
