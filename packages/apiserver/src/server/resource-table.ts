// The served resources, open at run time. Several versions of one resource share what is stored of it.

import type { KindStrategy, ResourceInfo } from '@homeostat/api';
import type { GroupResource, GroupVersionKind } from '@homeostat/machinery';
import type { ServedResourceEntry } from '../endpoints/endpoint-request.ts';
import { ServedVersion } from '../endpoints/served-version.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { ResourceTable } from './server-host.ts';

/** Makes what is stored of a resource; undefined for resources that store nothing. */
export type CreateStored = (info: ResourceInfo, strategy: KindStrategy) => StoredResource | undefined;

export class ServedResources implements ResourceTable {
  readonly #create: CreateStored;
  readonly #byResource = new Map<string, ServedResourceEntry>();
  readonly #byKind = new Map<string, ServedResourceEntry>();
  readonly #stored = new Map<string, StoredResource>();
  readonly #listeners = new Set<() => void>();
  #infos: readonly ResourceInfo[] = [];
  #generation = 0;

  constructor(create: CreateStored) {
    this.#create = create;
  }

  get generation(): number {
    return this.#generation;
  }

  list(): readonly ResourceInfo[] {
    return this.#infos;
  }

  entries(): IterableIterator<ServedResourceEntry> {
    return this.#byResource.values();
  }

  find(group: string, version: string, resource: string): ResourceInfo | undefined {
    return this.entry(group, version, resource)?.info;
  }

  entry(group: string, version: string, resource: string): ServedResourceEntry | undefined {
    return this.#byResource.get(`${group}/${version}/${resource}`);
  }

  findKind(gvk: GroupVersionKind): ResourceInfo | undefined {
    return this.#byKind.get(`${gvk.group}/${gvk.version}/${gvk.kind}`)?.info;
  }

  strategy(info: ResourceInfo): KindStrategy {
    return this.entry(info.group, info.version, info.resource)?.strategy ?? {};
  }

  form(info: ResourceInfo): ServedVersion {
    const entry = this.entry(info.group, info.version, info.resource);
    if (entry === undefined) throw new Error(`${info.resource} is not served in ${info.group}/${info.version}`);
    return entry.version;
  }

  customSchema(info: ResourceInfo): Readonly<Record<string, unknown>> | undefined {
    const entry = this.entry(info.group, info.version, info.resource);
    const version = entry?.custom?.definition.spec.versions.find(({ name }) => name === info.version);
    return version?.schema?.openAPIV3Schema as Readonly<Record<string, unknown>> | undefined;
  }

  /** What is stored of a resource, whichever group serves it. */
  stored(resource: GroupResource): StoredResource | undefined {
    for (const entry of this.#byResource.values()) {
      if (entry.info.resource === resource.resource && entry.info.group === resource.group) return entry.stored;
    }
    return undefined;
  }

  /** Whether a group has resources that are not custom ones. */
  hasTypedGroup(group: string): boolean {
    for (const { info, custom } of this.#byResource.values())
      if (info.group === group && custom === undefined) return true;
    return false;
  }

  hasGroup(group: string): boolean {
    return this.#infos.some((info) => info.group === group);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  add(info: ResourceInfo, strategy: KindStrategy): void {
    // Groups that serve one store name it differently in errors; the cache beneath is one.
    const key = `${info.group}/${info.storage.prefix}`;
    let stored = this.#stored.get(key);
    if (stored === undefined) {
      stored = this.#create(info, strategy);
      if (stored !== undefined) this.#stored.set(key, stored);
    }
    const entry: ServedResourceEntry = { info, strategy, version: new ServedVersion(info, strategy), stored };
    this.#byResource.set(`${info.group}/${info.version}/${info.resource}`, entry);
    this.#byKind.set(`${info.group}/${info.version}/${info.kind}`, entry);
    this.#changed();
  }

  /** Replaces what serves a resource of a group, in all versions; none: it is served no longer. Its cache is the caller's. */
  replace(resource: GroupResource, entries: readonly ServedResourceEntry[]): void {
    for (const [key, { info }] of this.#byResource) {
      if (info.resource !== resource.resource || info.group !== resource.group) continue;
      this.#byResource.delete(key);
      this.#byKind.delete(`${info.group}/${info.version}/${info.kind}`);
    }
    for (const entry of entries) {
      const { group, version, kind } = entry.info;
      this.#byResource.set(`${group}/${version}/${entry.info.resource}`, entry);
      this.#byKind.set(`${group}/${version}/${kind}`, entry);
    }
    this.#changed();
  }

  remove(group: string, version: string, resource: string): void {
    const key = `${group}/${version}/${resource}`;
    const entry = this.#byResource.get(key);
    if (entry === undefined) return;
    this.#byResource.delete(key);
    this.#byKind.delete(`${group}/${version}/${entry.info.kind}`);
    const { prefix } = entry.info.storage;
    const shared = [...this.#byResource.values()].some((other) => other.info.storage.prefix === prefix);
    if (!shared) {
      entry.stored?.hub.remove(entry.stored.prefix);
      this.#stored.delete(`${group}/${prefix}`);
    }
    this.#changed();
  }

  #changed(): void {
    this.#generation++;
    this.#infos = [...this.#byResource.values()].map((entry) => entry.info);
    for (const listener of this.#listeners) listener();
  }
}
