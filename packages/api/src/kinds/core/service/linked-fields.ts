// Fields of Services that belong together: the single and the listed cluster addresses, and what an update by a client that
// leaves allocated values out keeps. The allocator calls these before it allocates; values of another type are dropped
// after it. Follows spec/apiserver.md §13.3.

import type { Mutable } from '@homeostat/machinery';
import type { Service, ServiceSpec } from '@homeostat/api/types/core-v1';
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
} from '../../../meaning/services.ts';
import { semanticEqual } from '../../semantic-equal.ts';

/** Fills `clusterIPs` from `clusterIP` for clients that know only one, and clears it when they clear the other. */
export function normalizeClusterIps(draft: Mutable<Service>, old: Service | undefined): void {
  const spec = (draft.spec ??= {});
  const ip = spec.clusterIP ?? '';
  const ips = spec.clusterIPs ?? [];
  if (old === undefined) {
    if (ip !== '' && ips.length === 0) spec.clusterIPs = [ip];
    return;
  }
  const oldIp = old.spec?.clusterIP ?? '';
  const oldIps = old.spec?.clusterIPs ?? [];
  if (oldIps.length > 0 && ips.length === 0 && oldIp === ip) spec.clusterIPs = [...oldIps];
  if (oldIp === ip || !semanticEqual(spec.clusterIPs ?? [], oldIps)) return;
  if (oldIp !== '' && ip === '') delete spec.clusterIPs;
  else spec.clusterIPs = [ip];
}

/** Puts back allocated values that the request leaves out, where the type still needs them. */
export function patchAllocatedValues(draft: Mutable<Service>, old: Service): void {
  const spec = (draft.spec ??= {});
  const service = draft as Service;
  if (needsClusterIp(old) && needsClusterIp(service)) {
    if ((spec.clusterIP ?? '') === '' && old.spec?.clusterIP !== undefined) spec.clusterIP = old.spec.clusterIP;
    const oldIps = old.spec?.clusterIPs ?? [];
    if ((spec.clusterIPs ?? []).length === 0 && oldIps.length > 0) spec.clusterIPs = [...oldIps];
  }
  if (needsNodePorts(old) && needsNodePorts(service)) patchNodePorts(spec, old.spec);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(service) && (spec.healthCheckNodePort ?? 0) === 0) {
    if (old.spec?.healthCheckNodePort !== undefined) spec.healthCheckNodePort = old.spec.healthCheckNodePort;
  }
}

/** Drops values of the old type that the request merely carried along when it changed the type. */
export function dropTypeDependentFields(draft: Mutable<Service>, old: Service): void {
  const spec = draft.spec;
  if (spec === undefined) return;
  const service = draft as Service;
  const oldSpec = old.spec ?? {};
  const unchanged = (field: keyof ServiceSpec): boolean => semanticEqual(spec[field], oldSpec[field]);
  if (needsClusterIp(old) && !needsClusterIp(service)) {
    if (unchanged('clusterIP') && unchanged('clusterIPs')) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (unchanged('ipFamilies')) delete spec.ipFamilies;
    if (unchanged('ipFamilyPolicy')) delete spec.ipFamilyPolicy;
  }
  if (needsNodePorts(old) && !needsNodePorts(service) && keepsNodePorts(spec, oldSpec)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(service) && unchanged('healthCheckNodePort')) {
    delete spec.healthCheckNodePort;
  }
  if (oldSpec.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (oldSpec.allocateLoadBalancerNodePorts !== undefined && unchanged('allocateLoadBalancerNodePorts')) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (unchanged('loadBalancerClass')) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(service) && unchanged('externalTrafficPolicy')) {
    delete spec.externalTrafficPolicy;
  }
  if (spec.type !== 'LoadBalancer') draft.status = { ...draft.status, loadBalancer: {} };
}

function patchNodePorts(spec: Mutable<ServiceSpec>, old: ServiceSpec | undefined): void {
  const oldPorts = new Set((old?.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  const used = new Set(
    (spec.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0 && oldPorts.has(port)),
  );
  const byName = new Map((old?.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    if ((port.nodePort ?? 0) !== 0) continue;
    const former = byName.get(port.name ?? '') ?? 0;
    if (former !== 0 && !used.has(former)) port.nodePort = former;
  }
}

function keepsNodePorts(spec: Mutable<ServiceSpec>, old: ServiceSpec): boolean {
  const former = new Set((old.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  return (spec.ports ?? []).every(({ nodePort = 0 }) => nodePort === 0 || former.has(nodePort));
}
