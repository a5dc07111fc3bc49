// The slices that mirror an Endpoints object: one for each address family and set of ports (spec/infrastructure.md §11.3). Pure.

import type { EndpointAddress, EndpointSubset, Endpoints } from '@homeostat/api/types/core-v1';
import type { Endpoint, EndpointPort } from '@homeostat/api/types/discovery-v1';
import { formatIp, isIpv4, parseIpSloppy } from '@homeostat/api';
import { portsKey } from '../shared/service-endpoints/slice-names.ts';

export interface MirroredSlice {
  readonly addressType: 'IPv4' | 'IPv6';
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface Mirror {
  /** By {@link mirrorKey}. */
  readonly slices: ReadonlyMap<string, MirroredSlice>;
  readonly invalid: number;
  /** Addresses beyond the limit of their subset. */
  readonly skipped: number;
}

export function mirrorKey(addressType: string, ports: readonly EndpointPort[]): string {
  return `${addressType} ${portsKey(ports)}`;
}

/** What to mirror, `subsetMax` addresses of each subset at most. */
export function mirror({ subsets = [] }: Endpoints, subsetMax: number): Mirror {
  const slices = new Map<string, MirroredSlice & { readonly endpoints: Endpoint[] }>();
  let invalid = 0;
  let skipped = 0;
  for (const subset of subsets) {
    const ports = portsOf(subset);
    let left = subsetMax;
    for (const { address, ready } of addressesOf(subset)) {
      if (left === 0) {
        skipped++;
        continue;
      }
      const ip = parseIpSloppy(address.ip);
      if (ip === undefined) {
        invalid++;
        continue;
      }
      left--;
      const addressType = isIpv4(ip) ? 'IPv4' : 'IPv6';
      const key = mirrorKey(addressType, ports);
      const slice = slices.get(key) ?? { addressType, ports, endpoints: [] };
      slices.set(key, slice);
      slice.endpoints.push(toEndpoint(address, formatIp(ip), ready));
    }
  }
  return { slices, invalid, skipped };
}

function* addressesOf(
  subset: EndpointSubset,
): Iterable<{ readonly address: EndpointAddress; readonly ready: boolean }> {
  for (const address of subset.addresses ?? []) yield { address, ready: true };
  for (const address of subset.notReadyAddresses ?? []) yield { address, ready: false };
}

function toEndpoint(address: EndpointAddress, ip: string, ready: boolean): Endpoint {
  const { hostname = '', nodeName, targetRef } = address;
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === '' ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

function portsOf(subset: EndpointSubset): readonly EndpointPort[] {
  return (subset.ports ?? []).map((port) => ({
    name: port.name ?? '',
    protocol: port.protocol ?? 'TCP',
    port: port.port,
    ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
  }));
}
