// The order of ports and of subsets in Endpoints (spec/infrastructure.md §9.2 step 8): upstream sorts them by the MD5 of a dump of
// the Go value, so that equal sets print alike. Nothing depends on the order but that equality, and who compares with upstream.

import type { EndpointAddress, EndpointPort, EndpointSubset, ObjectReference } from '@homeostat/api/types/core-v1';
import { md5Hex } from './md5.ts';

export function sortPorts(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  return byHash(ports, (port) => `(v1.EndpointPort)${dumpPort(port)}`);
}

/** Sorts whole subsets; their addresses and ports are sorted before. */
export function sortSubsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  return byHash(subsets, (subset) => {
    const addresses = dumpList('v1.EndpointAddress', subset.addresses, dumpAddress);
    const notReady = dumpList('v1.EndpointAddress', subset.notReadyAddresses, dumpAddress);
    const ports = dumpList('v1.EndpointPort', subset.ports, dumpPort);
    return `(v1.EndpointSubset){Addresses:${addresses} NotReadyAddresses:${notReady} Ports:${ports}}`;
  });
}

function byHash<T>(items: readonly T[], dump: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  const encoder = new TextEncoder();
  const hashed = items.map((item) => ({ item, hash: md5Hex(encoder.encode(dump(item))) }));
  return hashed.toSorted((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0)).map(({ item }) => item);
}

function dumpPort({ name = '', port, protocol, appProtocol }: EndpointPort): string {
  const application = dumpPointer('string', appProtocol);
  return `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol ?? ''} AppProtocol:${application}}`;
}

function dumpAddress({ ip, hostname = '', nodeName, targetRef }: EndpointAddress): string {
  const target = targetRef === undefined ? '<nil>' : dumpReference(targetRef);
  const node = dumpPointer('string', nodeName);
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:${node} TargetRef:(*v1.ObjectReference)${target}}`;
}

function dumpReference(reference: ObjectReference): string {
  const {
    kind = '',
    namespace = '',
    name = '',
    uid = '',
    apiVersion = '',
    resourceVersion = '',
    fieldPath = '',
  } = reference;
  return (
    `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} ` +
    `APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`
  );
}

function dumpPointer(type: string, value: string | undefined): string {
  return `(*${type})${value ?? '<nil>'}`;
}

function dumpList<T>(type: string, items: readonly T[] | undefined, dump: (item: T) => string): string {
  return `([]${type})${items === undefined ? '<nil>' : `[${items.map(dump).join(' ')}]`}`;
}
