// What a Service's type asks for: addresses, node ports, health checks.

import type { Service } from '@homeostat/api/types/core-v1';

/** `clusterIP: None`: clients find the Pods themselves. */
export function isHeadless(service: Service): boolean {
  const ips = service.spec?.clusterIPs ?? [];
  return ips.length === 1 && ips[0] === 'None';
}

export function needsClusterIp(service: Service): boolean {
  return service.spec?.type !== 'ExternalName';
}

export function needsNodePorts(service: Service): boolean {
  return service.spec?.type === 'NodePort' || service.spec?.type === 'LoadBalancer';
}

/** A load balancer that sends traffic only to nodes with a Pod has to ask them. */
export function needsHealthCheckPort(service: Service): boolean {
  return service.spec?.type === 'LoadBalancer' && service.spec.externalTrafficPolicy === 'Local';
}

export function isExternallyAccessible(service: Service): boolean {
  if (needsNodePorts(service)) return true;
  return service.spec?.type === 'ClusterIP' && (service.spec.externalIPs ?? []).length > 0;
}
