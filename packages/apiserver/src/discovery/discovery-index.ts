// The resource table as discovery sees it: groups in order, their versions in order, the resources of each. Rebuilt when the
// table has changed (CRDs come and go), else remembered.

import type { ResourceInfo } from '@homeostat/api';
import type { ResourceTable } from '../server/server-host.ts';
import { compareGroups, compareVersions } from './group-order.ts';

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
  #generation = -1;
  #groups: readonly DiscoveredGroup[] = [];

  constructor(table: ResourceTable) {
    this.#table = table;
  }

  /** Changes when the answer of {@link groups} may have. */
  get generation(): number {
    return this.#table.generation;
  }

  groups(): readonly DiscoveredGroup[] {
    if (this.#generation !== this.#table.generation) {
      this.#groups = buildGroups(this.#table.list());
      this.#generation = this.#table.generation;
    }
    return this.#groups;
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
