// Aggregated discovery (spec/apiserver.md §10.2): everything in one document, APIGroupDiscoveryList of
// apidiscovery.k8s.io/v2. Pure.

import type { ResourceInfo } from '@homeostat/api';
import type { GroupVersionKind } from '@homeostat/machinery';
import type { DiscoveredGroup } from './discovery-index.ts';
import { type DiscoveryDocument, isForeign } from './legacy-documents.ts';

export function aggregatedDocument(groups: readonly DiscoveredGroup[]): DiscoveryDocument {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(resourceDiscovery),
        freshness: 'Current',
      })),
    })),
  };
}

function resourceDiscovery(info: ResourceInfo): Record<string, unknown> {
  return {
    resource: info.resource,
    responseKind: responseKind(info, info),
    scope: info.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: info.singular,
    verbs: info.verbs,
    ...(info.shortNames.length === 0 ? {} : { shortNames: info.shortNames }),
    ...(info.categories.length === 0 ? {} : { categories: info.categories }),
    ...(info.subresources.length === 0
      ? {}
      : {
          subresources: info.subresources.map(({ name, kind, verbs }) => ({
            subresource: name,
            responseKind: responseKind(info, kind),
            verbs,
          })),
        }),
  };
}

/** Group and version are empty where they are the list's own. */
function responseKind(info: ResourceInfo, kind: GroupVersionKind): GroupVersionKind {
  const own = !isForeign(info, kind);
  return { group: own ? '' : kind.group, version: own ? '' : kind.version, kind: kind.kind };
}
