// The discovery documents of one group or version (spec/apiserver.md §10.1): APIVersions, APIGroupList, APIGroup,
// APIResourceList. Pure; fields in the order of the wire.

import type { ResourceInfo, SubresourceInfo } from '@homeostat/api';
import { type GroupVersionKind, type KubeObject, toApiVersion } from '@homeostat/machinery';
import type { DiscoveredGroup, DiscoveredVersion } from './discovery-index.ts';

/** A discovery document: it has no metadata. */
export type DiscoveryDocument = KubeObject & Readonly<Record<string, unknown>>;

export function apiVersionsDocument(core: DiscoveredGroup | undefined, serverAddress: string): DiscoveryDocument {
  return {
    kind: 'APIVersions',
    versions: (core?.versions ?? []).map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

export function apiGroupListDocument(groups: readonly DiscoveredGroup[]): DiscoveryDocument {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ group }) => group !== '').map(groupFacts) };
}

export function apiGroupDocument(group: DiscoveredGroup): DiscoveryDocument {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFacts(group) };
}

export function apiResourceListDocument(group: string, version: DiscoveredVersion): DiscoveryDocument {
  return {
    kind: 'APIResourceList',
    // The core group's document has none: old clients choke on it.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: toApiVersion({ group, version: version.version }),
    resources: version.resources.flatMap((info) => [
      resourceFacts(info),
      ...info.subresources.map((subresource) => subresourceFacts(info, subresource)),
    ]),
  };
}

function groupFacts({ group, versions }: DiscoveredGroup): Record<string, unknown> {
  const list = versions.map(({ version }) => ({ groupVersion: toApiVersion({ group, version }), version }));
  return { name: group, versions: list, preferredVersion: list[0] };
}

function resourceFacts(info: ResourceInfo): Record<string, unknown> {
  return {
    name: info.resource,
    singularName: info.singular,
    namespaced: info.namespaced,
    kind: info.kind,
    verbs: info.verbs,
    ...(info.shortNames.length === 0 ? {} : { shortNames: info.shortNames }),
    ...(info.categories.length === 0 ? {} : { categories: info.categories }),
    ...(info.storageVersionHash === undefined ? {} : { storageVersionHash: info.storageVersionHash }),
  };
}

function subresourceFacts(info: ResourceInfo, subresource: SubresourceInfo): Record<string, unknown> {
  const { kind } = subresource;
  return {
    name: `${info.resource}/${subresource.name}`,
    singularName: '',
    namespaced: info.namespaced,
    ...(isForeign(info, kind) ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs: subresource.verbs,
  };
}

/** Whether a subresource speaks a kind of another group version than its resource's. */
export function isForeign(info: ResourceInfo, kind: GroupVersionKind): boolean {
  return kind.group !== info.group || kind.version !== info.version;
}
