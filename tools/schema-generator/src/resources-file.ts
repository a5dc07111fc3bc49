// Builds generated/resources.json: the served resources in discovery's order, with their storage facts.

import { createHash } from 'node:crypto';
import type { GoFacts } from './go-facts.ts';

interface DiscoveredKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface DiscoveredResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly responseKind: DiscoveredKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: DiscoveredKind;
    readonly verbs: readonly string[];
  }[];
}

/** inputs/storage.json: what storage does differently from the rule "plural as prefix, own version, protobuf". */
export interface StorageFacts {
  readonly prefixes: Readonly<Record<string, string>>;
  /** `group/version/Kind` → the same of the version objects are stored in. */
  readonly storedIn: Readonly<Record<string, string>>;
  /** Versions that only the storage version hash of discovery names. */
  readonly hashedAs: Readonly<Record<string, string>>;
  readonly jsonGroups: readonly string[];
}

export function buildResourcesFile(discovery: unknown, storage: StorageFacts, go: GoFacts): string {
  const rows = (discovery as readonly DiscoveredResource[]).map((resource) =>
    JSON.stringify(resourceRow(resource, storage, go)),
  );
  return `[\n${rows.join(',\n')}\n]\n`;
}

function resourceRow(found: DiscoveredResource, storage: StorageFacts, go: GoFacts): Record<string, unknown> {
  const { group, version } = found;
  const kind = found.responseKind.kind;
  const groupResource = group === '' ? found.resource : `${found.resource}.${group}`;
  const own = `${group}/${version}/${kind}`;
  const stored = storage.storedIn[own] ?? own;
  const [storageGroup = '', storageVersion = '', storageKind = ''] = stored.split('/');
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const isStored = found.verbs.includes('create') && found.verbs.includes('watch');
  return {
    group,
    version,
    kind,
    resource: found.resource,
    singular: found.singularResource,
    listKind: go.kinds[apiVersion]?.[`${kind}List`] === undefined ? '' : `${kind}List`,
    namespaced: found.scope === 'Namespaced',
    verbs: found.verbs,
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    subresources: (found.subresources ?? []).map((sub) => ({
      name: sub.subresource,
      kind: {
        group: sub.responseKind.version === '' ? group : sub.responseKind.group,
        version: sub.responseKind.version === '' ? version : sub.responseKind.version,
        kind: sub.responseKind.kind,
      },
      verbs: sub.verbs,
    })),
    storage: {
      group: storageGroup,
      version: storageVersion,
      kind: storageKind,
      prefix: storage.prefixes[groupResource] ?? found.resource,
      format: storage.jsonGroups.includes(group) ? 'json' : 'protobuf',
    },
    ...(isStored ? { storageVersionHash: storageVersionHash(storage.hashedAs[own] ?? stored) } : {}),
  };
}

function storageVersionHash(groupVersionKind: string): string {
  return createHash('sha256').update(groupVersionKind).digest().subarray(0, 8).toString('base64');
}
