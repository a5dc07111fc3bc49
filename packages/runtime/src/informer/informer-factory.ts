// The informers of a process: one per resource and selection, shared by all who ask. Informers asked for while it runs are
// started at once. Lazily made, never thrown away before the end.

import { type Env, Scope } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { type Client, metadataOf, resourceId, type ResourceType } from '@homeostat/client';
import type { Caches, Lister } from '../store/lister.ts';
import { createInformerSource, type Selection } from './informer-source.ts';
import { SharedInformer } from './shared-informer.ts';

export interface InformerFactoryOptions {
  readonly client: Client;
  readonly env: Env;
  /** Shortest resync period of handlers, milliseconds; the process draws one between it and twice it. Default 12 h; 0 never. */
  readonly resyncPeriodMs?: number;
  /** See `SharedInformerOptions.repairPeriodMs`. */
  readonly repairPeriodMs?: number;
  /** Applied to every object before it is cached, e.g. {@link withoutManagedFields}. */
  readonly transform?: (object: KubeObject) => KubeObject;
  readonly freeze?: boolean;
  readonly streaming?: boolean;
}

export interface InformerRequest {
  readonly select?: Selection;
  /** Caches `PartialObjectMetadata`. */
  readonly metadataOnly?: boolean;
}

/** Makes and runs shared informers. */
export class InformerFactory implements Caches {
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, SharedInformer>();
  readonly #resyncPeriodMs: number;
  #scope: Scope | undefined;
  #state: 'new' | 'running' | 'stopped' = 'new';

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
    const shortest = options.resyncPeriodMs ?? 12 * 3_600_000;
    this.#resyncPeriodMs = shortest * (1 + options.env.random.float());
  }

  /** The shared informer of a resource; made on the first call. @throws Error after the stop. */
  informer<T extends KubeObject>(resource: ResourceType<T>, request: InformerRequest = {}): SharedInformer<T> {
    const { select = {}, metadataOnly = false } = request;
    const wanted = metadataOnly ? (metadataOf(resource) as ResourceType<T>) : resource;
    const id = informerId(wanted, select);
    const known = this.#informers.get(id);
    // One id, one resource: the type of its objects is the one that was asked for first.
    if (known !== undefined) return known as unknown as SharedInformer<T>;
    if (this.#state === 'stopped')
      throw new Error(`informers have stopped; none can be made for ${resourceId(resource)}`);
    const { client, env, repairPeriodMs, transform, freeze, streaming } = this.#options;
    const informer = new SharedInformer<T>({
      resource: wanted,
      env,
      source: createInformerSource({ client, resource: wanted, select }),
      resyncPeriodMs: this.#resyncPeriodMs,
      ...(repairPeriodMs === undefined ? {} : { repairPeriodMs }),
      ...(transform === undefined ? {} : { transform: transform as unknown as (object: T) => T }),
      ...(freeze === undefined ? {} : { freeze }),
      ...(streaming === undefined ? {} : { streaming }),
    });
    this.#informers.set(id, informer as unknown as SharedInformer);
    this.#start(id, informer);
    return informer;
  }

  lister<T extends KubeObject>(resource: ResourceType<T>): Lister<T> {
    return this.informer(resource).lister;
  }

  /** All informers made so far. */
  informers(): readonly SharedInformer[] {
    return [...this.#informers.values()];
  }

  /** Those that cache their whole resource, in full or its metadata, and no selection of it. */
  wholeInformers(): readonly SharedInformer[] {
    return [...this.#informers].filter(([id]) => id.endsWith(noSelection)).map(([, informer]) => informer);
  }

  /** Resources whose first list is not in the cache yet. */
  unsynced(): readonly string[] {
    return [...this.#informers].filter(([, informer]) => !informer.hasSynced).map(([id]) => id);
  }

  /** Resources that the API server does not serve, of all informers made so far. */
  missing(): readonly string[] {
    return [...this.#informers].filter(([, informer]) => informer.state === 'waiting-for-resource').map(([id]) => id);
  }

  /** Resolves when all informers made so far have synced. @throws the signal's reason. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.informers().map((informer) => informer.waitForSync(signal)));
  }

  /** Runs all informers, and those made later, until `signal` aborts. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#state !== 'new') throw new Error('an informer factory was run twice');
    this.#state = 'running';
    const scope = new Scope({ signal });
    this.#scope = scope;
    try {
      // Holds the scope open while there are no informers.
      scope.spawn(
        'until stopped',
        (inner) => new Promise((resolve) => inner.addEventListener('abort', () => resolve(), { once: true })),
      );
      for (const [id, informer] of this.#informers) this.#start(id, informer);
      await scope.join();
    } finally {
      this.#state = 'stopped';
    }
  }

  #start(id: string, informer: { run(options: { readonly signal: AbortSignal }): Promise<void> }): void {
    this.#scope?.spawn(`informer ${id}`, (signal) => informer.run({ signal }));
  }
}

/** A transform that drops `metadata.managedFields`, which controllers don't read. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const noSelection = '|||';

function informerId(resource: ResourceType, select: Selection): string {
  const { namespace = '', labelSelector = '', fieldSelector = '' } = select;
  return [resourceId(resource), resource.as ?? '', namespace, labelSelector, fieldSelector].join('|');
}
