// Says what a controller is in a sentence: for this, owning that, watching those, do so. It builds a definition, nothing more; definitions
// may as well be written as plain objects.

import type { KubeObject } from '@homeostat/machinery';
import type { ObjectKey, ResourceType } from '@homeostat/client';
import type { Caches } from '../store/lister.ts';
import type {
  ControllerBase,
  PlanController,
  ReconcileController,
  Wake,
  WatchDefinition,
} from './controller-definition.ts';
import { fenceId } from './fenced-client.ts';
import { mergeWatches } from './merge-watches.ts';
import type { Plan } from './plan.ts';
import { wakeController, wakeMapped, wakeNothing, wakeOwners, wakeSelf } from './wakes.ts';

/** What a watch may say besides its resource and whom it wakes. */
export type WatchOptions<T extends KubeObject> = Omit<WatchDefinition<T>, 'resource' | 'wakes'>;

/** What a controller may say besides its watches. */
export type ControllerOptions = Omit<ControllerBase, 'name' | 'for' | 'watches'>;

/** A definition under construction; every step gives a new one. Several watches of one resource become one, with one cache. */
export interface ControllerBuilder {
  /** Watches dependents: their changes wake the owner that controls them, before and after; `anyOwner`: all owners of the kind. */
  owns<T extends KubeObject>(
    resource: ResourceType<T>,
    options?: WatchOptions<T> & { readonly anyOwner?: boolean },
  ): ControllerBuilder;
  /**
   * Watches others: `map` names the keys to wake, and is asked of the object before and after an update. The caches are the controller's own,
   * so an index finds who refers to it.
   *
   * @example
   * controllerFor('gadgets', gadgets, { indexes: [{ name: 'secret', valuesOf: ({ spec }) => [spec.secretName] }] })
   *   .watches(secrets, (secret, caches) => caches.lister(gadgets).byIndex('secret', secret.metadata?.name ?? '').map(keyOf))
   */
  watches<T extends KubeObject>(
    resource: ResourceType<T>,
    map: (object: T, caches: Caches) => Iterable<ObjectKey>,
    options?: WatchOptions<T>,
  ): ControllerBuilder;
  /** Keeps a cache of a resource that wakes nobody. */
  reads<T extends KubeObject>(resource: ResourceType<T>, options?: WatchOptions<T>): ControllerBuilder;
  /** Adds a watch as it is defined, e.g. with `wakes` of its own. */
  watch<T extends KubeObject>(definition: WatchDefinition<T>): ControllerBuilder;
  /** Keys that wake once at the start, concurrency, back-off, time limits … */
  with(options: ControllerOptions): ControllerBuilder;
  /** The plain form. */
  reconcile(reconcile: ReconcileController['reconcile']): ReconcileController;
  /** The form in three parts. */
  plan<Observed>(parts: {
    observe(key: ObjectKey, caches: Caches): Observed | undefined;
    diff(observed: Observed, now: number): Plan;
  }): PlanController<Observed>;
}

/**
 * Begins a controller that reconciles the keys of `resource`.
 *
 * @example
 * const reports = controllerFor('gadget-reports', gadgets, { predicate: generationChanged })
 *   .owns(configMaps)
 *   .watches(secrets, (secret, caches) => caches.lister(gadgets).byIndex('secret', keyOf(secret)).map(keyOf))
 *   .with({ concurrency: 4, timeoutMs: 60_000 })
 *   .reconcile(async ({ key, caches, client }) => { … });
 */
export function controllerFor<T extends KubeObject>(
  name: string,
  resource: ResourceType<T>,
  options: WatchOptions<T> & {
    wakes?(...of: Parameters<NonNullable<WatchDefinition<T>['wakes']>>): Iterable<Wake>;
  } = {},
): ControllerBuilder {
  return builder({ name, for: erase({ ...options, resource }) });
}

function builder(base: ControllerBase): ControllerBuilder {
  const add = <T extends KubeObject>(definition: WatchDefinition<T>): ControllerBuilder => {
    const watch = erase(definition);
    const id = fenceId(watch.resource);
    if (fenceId(base.for.resource) === id) {
      return builder({ ...base, for: mergeWatches({ ...base.for, wakes: base.for.wakes ?? wakeSelf }, watch) });
    }
    const { watches = [] } = base;
    const at = watches.findIndex(({ resource }) => fenceId(resource) === id);
    const before = watches[at];
    return builder({
      ...base,
      watches: before === undefined ? [...watches, watch] : watches.with(at, mergeWatches(before, watch)),
    });
  };
  return {
    owns: (resource, { anyOwner = false, ...options } = {}) => {
      const owner = base.for.resource;
      return add({ ...options, resource, wakes: anyOwner ? wakeOwners(owner) : wakeController(owner) });
    },
    watches: (resource, map, options = {}) => add({ ...options, resource, wakes: wakeMapped(map) }),
    reads: (resource, options = {}) => add({ ...options, resource, wakes: wakeNothing }),
    watch: add,
    with: (options) => builder({ ...base, ...options }),
    reconcile: (reconcile) => ({ ...base, reconcile }),
    plan: (parts) => ({ ...base, observe: parts.observe.bind(parts), diff: parts.diff.bind(parts) }),
  };
}

/** A watch among others: its functions are only ever given objects of its own resource. */
function erase<T extends KubeObject>(watch: WatchDefinition<T>): WatchDefinition {
  return watch as unknown as WatchDefinition;
}
