// What a controller reads: listers by resource over its watches. Copies of it serve one reconcile each: with live lists in the place
// of caches that lag behind, and with what the run itself has written laid over.

import { parseLabelSelector, type KubeObject } from '@homeostat/machinery';
import {
  type Client,
  compareResourceVersions,
  keyOf,
  metadataOf,
  type ObjectKey,
  resourceId,
  type ResourceType,
} from '@homeostat/client';
import type { Caches, Lister } from '../store/lister.ts';
import { createOverlayLister } from '../store/overlay-lister.ts';
import { createWrittenLister, type Written } from '../store/written-lister.ts';
import type { WatchDefinition } from './controller-definition.ts';
import { fenceId } from './fenced-client.ts';
import type { WatchedResources } from './watched-resources.ts';

/** Listers of the resources a controller watches. */
export class ControllerCaches implements Caches {
  readonly #name: string;
  readonly #watched: WatchedResources;
  /** In the place of caches, by {@link fenceId}. */
  readonly #listers: ReadonlyMap<string, Lister>;

  constructor(name: string, watched: WatchedResources, listers: ReadonlyMap<string, Lister> = new Map()) {
    this.#name = name;
    this.#watched = watched;
    this.#listers = listers;
  }

  lister<T extends KubeObject>(resource: ResourceType<T>): Lister<T> {
    // The watch was declared with the resource that the caller names again.
    return this.#lister(resource) as unknown as Lister<T>;
  }

  /** Lists a resource live and shows it in the place of its cache. `differs`: the cache shows something else. */
  async readLive(
    client: Client,
    id: string,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly caches: ControllerCaches; readonly resourceVersion: string; readonly differs: boolean }> {
    const declared = this.#watched.get(id);
    if (declared === undefined) throw new Error(`controller ${this.#name} does not declare ${id}`);
    const { watch, informer } = declared;
    const selected = watch.select?.namespace ?? namespace;
    const objects: KubeObject[] = [];
    let resourceVersion = '';
    const resource = watch.metadataOnly === true ? metadataOf(watch.resource) : watch.resource;
    // Where a set of namespaces is followed, there may be no right to more.
    const several = selected === undefined ? informer.namespaces : undefined;
    for (const each of several ?? [selected]) {
      let found: readonly KubeObject[] = [];
      for await (const page of client.listPages(resource, { ...watch.select, namespace: each, signal })) {
        found = page.restarted ? page.items : found.concat(page.items);
        resourceVersion = page.resourceVersion;
      }
      for (const object of found) objects.push(object);
    }
    const lister = createOverlayLister({
      base: informer.lister,
      objects,
      namespace: selected,
      namespaced: watch.resource.namespaced,
      indexes: watch.indexes ?? [],
    });
    const listers = new Map(this.#listers).set(id, lister);
    const caches = new ControllerCaches(this.#name, this.#watched, listers);
    const differs =
      selected !== undefined && !informer.knows(selected)
        ? false
        : isDifferent(informer.lister.list(selected), objects);
    return { caches, resourceVersion, differs };
  }

  /** The same caches with own writes laid over; `writtenTo` gives those of a resource and may grow. */
  withWrites(writtenTo: (id: string) => ReadonlyMap<ObjectKey, Written>): Caches {
    const listers = new Map<string, Lister>();
    return {
      lister: <T extends KubeObject>(resource: ResourceType<T>): Lister<T> => {
        const id = fenceId(resource);
        let lister = listers.get(id);
        if (lister === undefined) {
          lister = this.#withWritesTo(id, this.#lister(resource), writtenTo(id));
          listers.set(id, lister);
        }
        return lister as unknown as Lister<T>;
      },
    };
  }

  #lister(resource: ResourceType): Lister {
    const id = fenceId(resource);
    const replaced = this.#listers.get(id);
    if (replaced !== undefined) return replaced;
    const declared = this.#watched.get(id);
    if (declared === undefined)
      throw new Error(`controller ${this.#name} reads ${resourceId(resource)} but does not declare it`);
    return declared.informer.lister;
  }

  #withWritesTo(id: string, base: Lister, written: ReadonlyMap<ObjectKey, Written>): Lister {
    const declared = this.#watched.get(id);
    if (declared === undefined) return base;
    const { watch } = declared;
    return createWrittenLister({
      base,
      written,
      indexes: watch.indexes ?? [],
      selects: selectionOf(watch),
      reached: (version) => (compareResourceVersions(declared.informer.resourceVersion, version) ?? -1) >= 0,
    });
  }
}

function isDifferent(cached: readonly KubeObject[], live: readonly KubeObject[]): boolean {
  if (cached.length !== live.length) return true;
  const versions = new Map(cached.map((object) => [keyOf(object), object.metadata?.resourceVersion]));
  return live.some((object) => versions.get(keyOf(object)) !== object.metadata?.resourceVersion);
}

/** Whether a watch would hold an object; undefined with a field selector, which only the server can judge. */
export function selectionOf({ select = {} }: WatchDefinition): (object: KubeObject) => boolean | undefined {
  const { namespace, labelSelector, fieldSelector } = select;
  if (fieldSelector !== undefined && fieldSelector !== '') return () => undefined;
  const labels = labelSelector === undefined || labelSelector === '' ? undefined : parseLabelSelector(labelSelector);
  return ({ metadata }) =>
    (namespace === undefined || metadata?.namespace === namespace) && labels?.matches(metadata?.labels) !== false;
}
