// The caches one controller declared: its informers, and listers by resource. A copy with live listers in the place of some
// serves the one reconcile that must not rely on a lagging cache.

import type { KubeObject } from '@homeostat/machinery';
import { type Client, metadataOf, resourceId, type ResourceType } from '@homeostat/client';
import type { InformerFactory } from '../informer/informer-factory.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import type { Caches, Lister } from '../store/lister.ts';
import { createOverlayLister } from '../store/overlay-lister.ts';
import type { ControllerDefinition, WatchDefinition } from './controller-definition.ts';
import { fenceId } from './fenced-client.ts';

interface Declared {
  readonly watch: WatchDefinition;
  readonly informer: SharedInformer;
}

/** Listers of the resources a controller declared. */
export class ControllerCaches implements Caches {
  readonly #name: string;
  /** By {@link fenceId}. */
  readonly #declared: ReadonlyMap<string, Declared>;
  readonly #listers: ReadonlyMap<string, Lister>;

  private constructor(name: string, declared: ReadonlyMap<string, Declared>, listers: ReadonlyMap<string, Lister>) {
    this.#name = name;
    this.#declared = declared;
    this.#listers = listers;
  }

  /** Asks the factory for the informers of a definition. @throws Error when it declares a resource twice. */
  static declare(definition: ControllerDefinition, informers: InformerFactory): ControllerCaches {
    const declared = new Map<string, Declared>();
    for (const watch of [definition.for, ...(definition.watches ?? [])]) {
      const id = fenceId(watch.resource);
      if (declared.has(id))
        throw new Error(`controller ${definition.name} declares ${resourceId(watch.resource)} twice`);
      const informer = informers.informer(watch.resource, {
        ...(watch.select === undefined ? {} : { select: watch.select }),
        ...(watch.metadataOnly === undefined ? {} : { metadataOnly: watch.metadataOnly }),
      });
      informer.addIndexes(watch.indexes ?? []);
      declared.set(id, { watch, informer });
    }
    return new ControllerCaches(
      definition.name,
      declared,
      new Map(Array.from(declared, ([id, { informer }]) => [id, informer.lister])),
    );
  }

  lister<T extends KubeObject>(resource: ResourceType<T>): Lister<T> {
    const lister = this.#listers.get(fenceId(resource));
    if (lister === undefined)
      throw new Error(`controller ${this.#name} reads ${resourceId(resource)} but does not declare it`);
    // The watch was declared with the resource that the caller names again.
    return lister as unknown as Lister<T>;
  }

  watches(): readonly Declared[] {
    return [...this.#declared.values()];
  }

  informer(id: string): SharedInformer | undefined {
    return this.#declared.get(id)?.informer;
  }

  /** Lists a resource live and shows it in the place of its cache. */
  async readLive(
    client: Client,
    id: string,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly caches: ControllerCaches; readonly resourceVersion: string }> {
    const declared = this.#declared.get(id);
    if (declared === undefined) throw new Error(`controller ${this.#name} does not declare ${id}`);
    const { watch, informer } = declared;
    const selected = watch.select?.namespace ?? namespace;
    let objects: KubeObject[] = [];
    let resourceVersion = '';
    const resource = watch.metadataOnly === true ? metadataOf(watch.resource) : watch.resource;
    for await (const page of client.listPages(resource, { ...watch.select, namespace: selected, signal })) {
      objects = page.restarted ? [...page.items] : objects.concat(page.items);
      resourceVersion = page.resourceVersion;
    }
    const lister = createOverlayLister({
      base: informer.lister,
      objects,
      namespace: selected,
      namespaced: watch.resource.namespaced,
      indexes: watch.indexes ?? [],
    });
    const listers = new Map(this.#listers).set(id, lister);
    return { caches: new ControllerCaches(this.#name, this.#declared, listers), resourceVersion };
  }
}
