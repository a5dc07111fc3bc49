// The informers of a process: one per resource and selection, shared by all who ask. Informers asked for while it runs are
// started at once. Lazily made, and kept until removed.

import { aborted, createDeferred, type Env, Scope } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { type Client, metadataOf, resourceId, type ResourceType } from '@homeostat/client';
import type { Caches, Lister } from '../store/lister.ts';
import { createInformerMetrics } from './informer-metrics.ts';
import { createInformerSource, type Selection } from './informer-source.ts';
import type { Informer } from './informer.ts';
import { MultiNamespaceInformer } from './multi-namespace-informer.ts';
import type { NamespaceSet } from './namespace-set.ts';
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
  /** Label `name` of the informers' metrics; default `default`. */
  readonly name?: string;
  /** Informers of namespaced resources, unless asked for one namespace, follow these only; default all. */
  readonly namespaces?: NamespaceSet;
}

export interface InformerRequest {
  readonly select?: Selection;
  /** Caches `PartialObjectMetadata`. */
  readonly metadataOnly?: boolean;
}

interface Entry {
  readonly informer: Informer;
  /** Whether it caches its whole resource. */
  readonly whole: boolean;
  readonly stop: AbortController;
  ended: Promise<void>;
}

/** Makes and runs shared informers. */
export class InformerFactory implements Caches {
  readonly #options: InformerFactoryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #resyncPeriodMs: number;
  #scope: Scope | undefined;
  #state: 'new' | 'running' | 'stopped' = 'new';

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
    const shortest = options.resyncPeriodMs ?? 12 * 3_600_000;
    this.#resyncPeriodMs = shortest * (1 + options.env.random.float());
    createInformerMetrics(options.name ?? 'default', options.env.metrics, () => this.informers());
  }

  /** The shared informer of a resource; made on the first call. @throws Error after the stop. */
  informer<T extends KubeObject>(resource: ResourceType<T>, request: InformerRequest = {}): Informer<T> {
    const { select = {} } = request;
    const wanted = wantedResource(resource, request);
    const id = informerId(wanted, select);
    const known = this.#entries.get(id);
    // One id, one resource: the type of its objects is the one that was asked for first.
    if (known !== undefined) return known.informer as unknown as Informer<T>;
    if (this.#state === 'stopped')
      throw new Error(`informers have stopped; none can be made for ${resourceId(resource)}`);
    const { namespaces, env } = this.#options;
    const several = namespaces !== undefined && wanted.namespaced && select.namespace === undefined;
    const informer = several
      ? new MultiNamespaceInformer<T>({
          resource: wanted,
          env,
          namespaces,
          createInformer: (namespace) => this.#create(wanted, { ...select, namespace }),
        })
      : this.#create(wanted, select);
    const entry: Entry = {
      informer: informer as unknown as Informer,
      whole: !several && id.endsWith(noSelection),
      stop: new AbortController(),
      ended: Promise.resolve(),
    };
    this.#entries.set(id, entry);
    this.#start(id, entry);
    return informer;
  }

  /** Ends an informer and forgets its cache; resolves when it has ended, or all are to end. Those who still hold it hear nothing more. */
  async remove(resource: ResourceType, request: InformerRequest = {}): Promise<void> {
    const id = informerId(wantedResource(resource, request), request.select ?? {});
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    entry.stop.abort();
    await (this.#scope === undefined ? entry.ended : Promise.race([entry.ended, aborted(this.#scope.signal)]));
  }

  lister<T extends KubeObject>(resource: ResourceType<T>): Lister<T> {
    return this.informer(resource).lister;
  }

  /** All informers made so far. */
  informers(): readonly Informer[] {
    return Array.from(this.#entries.values(), ({ informer }) => informer);
  }

  /** Those that cache their whole resource, in full or its metadata, and no selection of it. */
  wholeInformers(): readonly Informer[] {
    return [...this.#entries.values()].filter(({ whole }) => whole).map(({ informer }) => informer);
  }

  /** Resources whose first list is not in the cache yet. */
  unsynced(): readonly string[] {
    return [...this.#entries].filter(([, { informer }]) => !informer.hasSynced).map(([id]) => id);
  }

  /** Resources that the API server does not serve, of all informers made so far. */
  missing(): readonly string[] {
    return [...this.#entries].filter(([, { informer }]) => informer.state === 'waiting-for-resource').map(([id]) => id);
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
      for (const [id, entry] of this.#entries) this.#start(id, entry);
      await scope.join();
    } finally {
      this.#state = 'stopped';
    }
  }

  #create<T extends KubeObject>(resource: ResourceType<T>, select: Selection): SharedInformer<T> {
    const { client, env, repairPeriodMs, transform, freeze, streaming } = this.#options;
    return new SharedInformer<T>({
      resource,
      env,
      source: createInformerSource({ client, resource, select }),
      resyncPeriodMs: this.#resyncPeriodMs,
      ...(repairPeriodMs === undefined ? {} : { repairPeriodMs }),
      ...(transform === undefined ? {} : { transform: transform as unknown as (object: T) => T }),
      ...(freeze === undefined ? {} : { freeze }),
      ...(streaming === undefined ? {} : { streaming }),
    });
  }

  #start(id: string, entry: Entry): void {
    if (this.#scope === undefined) return;
    const ended = createDeferred<void>();
    entry.ended = ended.promise;
    this.#scope.spawn(`informer ${id}`, async (signal) => {
      try {
        await entry.informer.run({ signal: AbortSignal.any([signal, entry.stop.signal]) });
      } finally {
        ended.resolve();
      }
    });
  }
}

function wantedResource<T extends KubeObject>(
  resource: ResourceType<T>,
  { metadataOnly = false }: InformerRequest,
): ResourceType<T> {
  return metadataOnly ? (metadataOf(resource) as ResourceType<T>) : resource;
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
