// What a rehearsed controller reads: the shared caches, through watches of its own that wake nobody, with what was pretended laid over.

import type { KubeObject } from '@homeostat/machinery';
import { type ObjectKey, resourceId, type ResourceType } from '@homeostat/client';
import type { WatchDefinition, ControllerDefinition } from '../controller/controller-definition.ts';
import { selectionOf } from '../controller/controller-caches.ts';
import { fenceId } from '../controller/fenced-client.ts';
import type { Informer } from '../informer/informer.ts';
import type { InformerFactory } from '../informer/informer-factory.ts';
import type { Caches, IndexDefinition, Lister } from '../store/lister.ts';
import { createWrittenLister } from '../store/written-lister.ts';
import type { PretendedWorld } from './pretended-world.ts';

/** A watch of a rehearsed controller. */
export interface RehearsedWatch {
  readonly id: string;
  readonly watch: WatchDefinition;
  readonly informer: Informer;
  /** The cache, with the controller's own index names. */
  readonly lister: Lister;
}

/** Shows a cache otherwise than it is, e.g. as it was. */
export type Shown = (watch: RehearsedWatch) => Lister;

export class RehearsalCaches {
  readonly watches: readonly RehearsedWatch[];
  readonly #name: string;
  readonly #byId: ReadonlyMap<string, RehearsedWatch>;

  /** Asks the factory for informers; those that are new start when the factory runs. */
  constructor(definition: ControllerDefinition, informers: InformerFactory) {
    this.#name = definition.name;
    this.watches = [definition.for, ...(definition.watches ?? [])].map((watch) => watched(watch, informers));
    this.#byId = new Map(this.watches.map((each) => [each.id, each]));
  }

  /** The caches with what `world` holds laid over; `shown` replaces single ones. */
  over(world: PretendedWorld, shown: Shown = ({ lister }) => lister): Caches {
    const listers = new Map<string, Lister>();
    return {
      lister: <T extends KubeObject>(resource: ResourceType<T>): Lister<T> => {
        const id = fenceId(resource);
        let lister = listers.get(id);
        if (lister === undefined) {
          const found = this.#byId.get(id);
          if (found === undefined)
            throw new Error(`controller ${this.#name} reads ${resourceId(resource)} but does not declare it`);
          lister = createWrittenLister({
            base: shown(found),
            written: world.writtenTo(id),
            indexes: found.watch.indexes ?? [],
            selects: selectionOf(found.watch),
            // No cache ever shows what is only pretended.
            reached: () => false,
          });
          listers.set(id, lister);
        }
        return lister as unknown as Lister<T>;
      },
    };
  }

  /** The whole object from a cache that must have it; undefined: the cache can't tell. */
  find(
    resource: ResourceType,
    key: ObjectKey,
    shown: Shown = ({ lister }) => lister,
  ): { readonly object: KubeObject | undefined } | undefined {
    const found = this.#byId.get(fenceId(resource));
    if (found === undefined || found.watch.metadataOnly === true) return undefined;
    const object = shown(found).getByKey(key);
    return object === undefined && found.watch.select !== undefined ? undefined : { object };
  }
}

function watched(watch: WatchDefinition, informers: InformerFactory): RehearsedWatch {
  const informer = informers.informer(watch.resource, {
    ...(watch.select === undefined ? {} : { select: watch.select }),
    ...(watch.metadataOnly === undefined ? {} : { metadataOnly: watch.metadataOnly }),
  });
  // Another version of a controller may mean another function by the same name.
  const indexes = (watch.indexes ?? []).map((index) => ({ ...index, own: index.name, name: sharedName(index) }));
  informer.addIndexes(indexes.map(({ name, valuesOf }) => ({ name, valuesOf })));
  const names = new Map(indexes.map(({ own, name }) => [own, name]));
  const { lister } = informer;
  return {
    id: fenceId(watch.resource),
    watch,
    informer,
    lister: {
      get: (namespace, name) => lister.get(namespace, name),
      getByKey: (key) => lister.getByKey(key),
      list: (namespace, selector) => lister.list(namespace, selector),
      byIndex: (name, value) => lister.byIndex(names.get(name) ?? name, value),
      get size() {
        return lister.size;
      },
    },
  };
}

const sharedNames = new WeakMap<IndexDefinition['valuesOf'], string>();
let indexesNamed = 0;

function sharedName({ name, valuesOf }: IndexDefinition): string {
  let shared = sharedNames.get(valuesOf);
  if (shared === undefined) {
    shared = `rehearsal/${++indexesNamed}/${name}`;
    sharedNames.set(valuesOf, shared);
  }
  return shared;
}
