// The subsets of an Endpoints object (spec/infrastructure.md §9.2 steps 4-8 and §9.3): built from pods, merged by ports,
// in canonical order, cut at 1,000 addresses. Pure.

import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '@homeostat/api/types/core-v1';
import { isPodReady } from '@homeostat/api';
import {
  endpointHostname,
  findPort,
  ipFamily,
  isEndpointCandidate,
  isHeadless,
  podIps,
} from '../shared/service-endpoints/service-pods.ts';
import { sortPorts, sortSubsets } from './canonical-order.ts';

export const addressesMax = 1000;

interface Entry {
  readonly address: EndpointAddress;
  readonly ports: readonly EndpointPort[];
  readonly ready: boolean;
}

export function buildSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const publishNotReady = service.spec?.publishNotReadyAddresses === true;
  const entries: Entry[] = [];
  for (const pod of pods) {
    if (!isEndpointCandidate(pod, publishNotReady)) continue;
    const address = addressOf(service, pod);
    const ports = portsOf(service, pod);
    if (address === undefined || ports === undefined) continue;
    entries.push({ address, ports, ready: publishNotReady || isPodReady(pod) });
  }
  return mergeByPorts(entries);
}

function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const ips = podIps(pod);
  const wanted =
    service.spec?.ipFamilies?.[0] ??
    (isHeadless(service) ? ipFamily(ips[0] ?? '') : ipFamily(service.spec?.clusterIP ?? ''));
  const ip = ips.find((candidate) => ipFamily(candidate) === wanted);
  if (ip === undefined) return undefined;
  const hostname = endpointHostname(pod, service);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: {
      kind: 'Pod',
      namespace: pod.metadata?.namespace ?? '',
      name: pod.metadata?.name ?? '',
      uid: pod.metadata?.uid ?? '',
    },
  };
}

// Undefined: the pod does not appear. A headless service without ports still names its pods.
function portsOf(service: Service, pod: Pod): readonly EndpointPort[] | undefined {
  const wanted = service.spec?.ports ?? [];
  if (wanted.length === 0) return service.spec?.clusterIP === 'None' ? [] : undefined;
  const ports = wanted.flatMap((port): EndpointPort[] => {
    const number = findPort(pod, port);
    if (number === undefined) return [];
    return [
      {
        ...(port.name === undefined || port.name === '' ? {} : { name: port.name }),
        port: number,
        protocol: port.protocol ?? 'TCP',
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ];
  });
  return ports.length === 0 ? undefined : ports;
}

function mergeByPorts(entries: readonly Entry[]): readonly EndpointSubset[] {
  const groups = new Map<
    string,
    {
      readonly ports: readonly EndpointPort[];
      readonly ready: Map<string, EndpointAddress>;
      readonly notReady: Map<string, EndpointAddress>;
    }
  >();
  for (const { address, ports, ready } of entries) {
    // A service with several ports whose targets differ by pod gives each pod its own port set.
    const sorted = sortPorts(ports);
    const id = JSON.stringify(sorted);
    const group = groups.get(id) ?? { ports: sorted, ready: new Map(), notReady: new Map() };
    groups.set(id, group);
    const key = `${address.ip}\0${address.targetRef?.uid ?? ''}`;
    if (ready && !group.notReady.has(key)) group.ready.set(key, address);
    if (!ready) {
      group.ready.delete(key);
      group.notReady.set(key, address);
    }
  }
  const subsets = [...groups.values()].map((group) => ({
    ...(group.ready.size === 0 ? {} : { addresses: [...group.ready.values()].toSorted(compareAddresses) }),
    ...(group.notReady.size === 0
      ? {}
      : { notReadyAddresses: [...group.notReady.values()].toSorted(compareAddresses) }),
    ...(group.ports.length === 0 ? {} : { ports: group.ports }),
  }));
  return sortSubsets(subsets);
}

function compareAddresses(a: EndpointAddress, b: EndpointAddress): number {
  const left = `${a.ip}\0${a.targetRef?.uid ?? ''}`;
  const right = `${b.ip}\0${b.targetRef?.uid ?? ''}`;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Cuts subsets to {@link addressesMax} addresses in all; ready ones come first. Undefined when nothing has to go. */
export function truncate(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] | undefined {
  const count = (field: 'addresses' | 'notReadyAddresses'): number =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
  const ready = count('addresses');
  const notReady = count('notReadyAddresses');
  if (ready + notReady <= addressesMax) return undefined;
  const shareReady = spread(
    subsets.map((subset) => subset.addresses?.length ?? 0),
    Math.min(ready, addressesMax),
  );
  const shareNotReady = spread(
    subsets.map((subset) => subset.notReadyAddresses?.length ?? 0),
    Math.max(0, addressesMax - ready),
  );
  return subsets.flatMap((subset, index): EndpointSubset[] => {
    const addresses = (subset.addresses ?? []).slice(0, shareReady[index]);
    const notReadyAddresses = (subset.notReadyAddresses ?? []).slice(0, shareNotReady[index]);
    if (addresses.length + notReadyAddresses.length === 0) return [];
    return [
      {
        ...(addresses.length === 0 ? {} : { addresses }),
        ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
        ...(subset.ports === undefined ? {} : { ports: subset.ports }),
      },
    ];
  });
}

// Each subset keeps its share, rounded up; the last ones get less.
function spread(counts: readonly number[], room: number): readonly number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= room) return counts;
  let left = room;
  return counts.map((count) => {
    const share = Math.min(left, Math.ceil((count / total) * room));
    left -= share;
    return share;
  });
}
