// The resource table as discovery sees it: groups in order, their versions in order, the resources of each. Rebuilt when the
// table has changed (CRDs come and go), else remembered.

import type { ResourceInfo } from '@homeostat/api';
import type { Digests } from '../authentication/crypto-port.ts';
import type { ResourceTable } from '../server/server-host.ts';
import { compareGroups, compareVersions, isBuiltinGroup } from './group-order.ts';

const hashBytes = 8;

export interface DiscoveredVersion {
  readonly version: string;
  /** Sorted by name. */
  readonly resources: readonly ResourceInfo[];
}

export interface DiscoveredGroup {
  /** Empty for the core group. */
  readonly group: string;
  /** The first is the preferred one. */
  readonly versions: readonly DiscoveredVersion[];
}

export class DiscoveryIndex {
  readonly #table: ResourceTable;
  readonly #digests: Digests | undefined;
  /** One for each, so that documents see when nothing changed. */
  readonly #withHash = new WeakMap<ResourceInfo, ResourceInfo>();
  #generation = -1;
  #groups: readonly DiscoveredGroup[] = [];

  /** `digests`: discovery says of custom resources which version they are stored in, by a hash. */
  constructor(table: ResourceTable, digests?: Digests) {
    this.#table = table;
    this.#digests = digests;
  }

  /** Changes when the answer of {@link groups} may have. */
  get generation(): number {
    return this.#table.generation;
  }

  groups(): readonly DiscoveredGroup[] {
    if (this.#generation !== this.#table.generation) {
      this.#groups = buildGroups(this.#table.list().map((info) => this.#hashed(info)));
      this.#generation = this.#table.generation;
    }
    return this.#groups;
  }

  #hashed(info: ResourceInfo): ResourceInfo {
    if (info.storageVersionHash !== undefined || this.#digests === undefined || isBuiltinGroup(info.group)) return info;
    let known = this.#withHash.get(info);
    if (known === undefined) {
      const { group, version, kind } = info.storage;
      const hash = this.#digests.sha256(Buffer.from(`${group}/${version}/${kind}`)).subarray(0, hashBytes);
      known = { ...info, storageVersionHash: Buffer.from(hash).toString('base64') };
      this.#withHash.set(info, known);
    }
    return known;
  }

  find(group: string): DiscoveredGroup | undefined {
    return this.groups().find((each) => each.group === group);
  }
}

function buildGroups(infos: readonly ResourceInfo[]): readonly DiscoveredGroup[] {
  const byGroup = Map.groupBy(infos, (info) => info.group);
  return [...byGroup]
    .toSorted(([a], [b]) => compareGroups(a, b))
    .map(([group, members]) => ({ group, versions: buildVersions(group, members) }));
}

function buildVersions(group: string, infos: readonly ResourceInfo[]): readonly DiscoveredVersion[] {
  const byVersion = Map.groupBy(infos, (info) => info.version);
  return [...byVersion]
    .toSorted(([a], [b]) => compareVersions(group, a, b))
    .map(([version, members]) => ({
      version,
      resources: members.toSorted((a, b) => (a.resource < b.resource ? -1 : 1)),
    }));
}
