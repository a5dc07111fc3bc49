// What Endpoints and EndpointSlices have in common (spec/infrastructure.md §9, §10): which services a pod change wakes,
// which pods count, how ports and host names are found. Pure.

import type { Container, Pod, Service, ServicePort } from '@homeostat/api/types/core-v1';
import { getPodCondition, isPodReady, isPodTerminal } from '@homeostat/api';
import { type ObjectKey, toKey } from '@homeostat/client';
import { pods, services } from '@homeostat/client/resources';
import type { Caches, Change, Wake } from '@homeostat/runtime';
import { batchDelayMs } from '../batch-delay.ts';

/** Labels that select pods; undefined when the service selects none (no selector, or ExternalName). An empty selector selects all. */
export function podSelector(service: Service): Readonly<Record<string, string>> | undefined {
  if (service.spec?.type === 'ExternalName') return undefined;
  return service.spec?.selector;
}

export function selects(
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  return true;
}

/** The services whose endpoints a change of a pod may concern; in a cluster of many pods their changes are gathered. */
export function wakeServicesOfPod(change: Change<Pod>, caches: Caches): readonly Wake[] {
  const afterMs = batchDelayMs(caches.lister(pods).size);
  return servicesOfPod(change, caches).map((key) => ({ key, afterMs }));
}

function servicesOfPod(change: Change<Pod>, caches: Caches): readonly ObjectKey[] {
  if (change.type === 'resync') return [];
  const { object } = change;
  if (change.type !== 'updated') return matching(caches, object);
  const { old } = change;
  const podChanged = endpointChanged(old, object);
  const membershipChanged =
    !sameLabels(old, object) ||
    old.spec?.hostname !== object.spec?.hostname ||
    old.spec?.subdomain !== object.spec?.subdomain;
  if (!podChanged && !membershipChanged) return [];
  if (!membershipChanged) return matching(caches, object);
  const before = new Set(matching(caches, old));
  const after = new Set(matching(caches, object));
  return podChanged ? [...before.union(after)] : [...before.symmetricDifference(after)];
}

function matching(caches: Caches, pod: Pod): readonly ObjectKey[] {
  const namespace = pod.metadata?.namespace;
  const found: ObjectKey[] = [];
  for (const service of caches.lister(services).list(namespace)) {
    const selector = service.spec?.selector;
    if (selector !== undefined && selects(selector, pod.metadata?.labels))
      found.push(toKey(namespace, service.metadata?.name ?? ''));
  }
  return found;
}

function endpointChanged(old: Pod, pod: Pod): boolean {
  return (
    old.metadata?.deletionTimestamp !== pod.metadata?.deletionTimestamp ||
    isPodReady(old) !== isPodReady(pod) ||
    isPodTerminal(old) !== isPodTerminal(pod) ||
    (old.spec?.nodeName ?? '') !== (pod.spec?.nodeName ?? '') ||
    podIps(old).join() !== podIps(pod).join()
  );
}

function sameLabels(a: Pod, b: Pod): boolean {
  const left = a.metadata?.labels ?? {};
  const right = b.metadata?.labels ?? {};
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}

/** Whether the pod may appear among endpoints at all. */
export function isEndpointCandidate(pod: Pod, includeTerminating: boolean): boolean {
  if (isPodTerminal(pod) || podIps(pod).length === 0) return false;
  return includeTerminating || pod.metadata?.deletionTimestamp === undefined;
}

export function podIps(pod: Pod): readonly string[] {
  const several = (pod.status?.podIPs ?? []).map((entry) => entry.ip ?? '').filter((ip) => ip !== '');
  if (several.length > 0) return several;
  const one = pod.status?.podIP ?? '';
  return one === '' ? [] : [one];
}

export function ipFamily(ip: string): 'IPv4' | 'IPv6' {
  return ip.includes(':') ? 'IPv6' : 'IPv4';
}

export function isHeadless(service: Service): boolean {
  const ip = service.spec?.clusterIP ?? '';
  return ip === '' || ip === 'None';
}

/** The number a service port leads to on this pod; undefined when the pod has no port of that name. */
export function findPort(pod: Pod, port: ServicePort): number | undefined {
  const target = port.targetPort ?? port.port;
  if (typeof target === 'number') return target === 0 ? port.port : target;
  const sidecars = (pod.spec?.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  for (const container of [...(pod.spec?.containers ?? []), ...sidecars]) {
    const found = namedPort(container, target, port.protocol ?? 'TCP');
    if (found !== undefined) return found;
  }
  return undefined;
}

function namedPort(container: Container, name: string, protocol: string): number | undefined {
  return container.ports?.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** The host name of a pod behind a headless service that names it, else undefined. */
export function endpointHostname(pod: Pod, service: Service): string | undefined {
  const hostname = pod.spec?.hostname ?? '';
  return hostname !== '' && pod.spec?.subdomain === service.metadata?.name ? hostname : undefined;
}

/** Time of the last change of readiness, for the trigger-time annotation. */
export function readyTransition(pod: Pod): string | undefined {
  return getPodCondition(pod, 'Ready')?.lastTransitionTime ?? undefined;
}
