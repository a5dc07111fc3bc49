// The resources one controller watches: declared with it, or added and dropped while it runs; some may not be served yet (their
// informers wait for them). It joins definitions to shared informers and tells the controller of changes and progress. What a
// change means is the controller's.

import { type ObjectKey, resourceId } from '@homeostat/client';
import type { Change } from '../informer/change.ts';
import type { Informer, Registration } from '../informer/informer.ts';
import type { InformerFactory } from '../informer/informer-factory.ts';
import type { WatchDefinition } from './controller-definition.ts';
import { fenceId } from './fenced-client.ts';

/** A watch and its cache. */
export interface WatchedResource {
  readonly id: string;
  readonly watch: WatchDefinition;
  readonly informer: Informer;
}

export interface WatchedResourcesOptions {
  /** The controller's, for messages. */
  readonly name: string;
  readonly informers: InformerFactory;
  readonly onChange: (watch: WatchDefinition, change: Change) => void;
  readonly onProgress: (id: string, resourceVersion: string, object: ObjectKey | undefined) => void;
}

interface Entry extends WatchedResource {
  /** Aborts when the watch is dropped. */
  readonly dropped: AbortController;
  registration: Registration | undefined;
  endProgress: (() => void) | undefined;
}

/** A controller's watches. */
export class WatchedResources {
  readonly #options: WatchedResourcesOptions;
  /** By {@link fenceId}. */
  readonly #entries = new Map<string, Entry>();
  #state: 'new' | 'started' | 'ended' = 'new';

  constructor(options: WatchedResourcesOptions) {
    this.#options = options;
  }

  get(id: string): WatchedResource | undefined {
    return this.#entries.get(id);
  }

  informer(id: string): Informer | undefined {
    return this.#entries.get(id)?.informer;
  }

  /** Adds a watch; after the start it begins at once. @throws Error when the resource is watched already, or after the end. */
  add(watch: WatchDefinition): () => Promise<void> {
    const { name, informers } = this.#options;
    const id = fenceId(watch.resource);
    if (this.#state === 'ended')
      throw new Error(`controller ${name} has stopped; it can't watch ${resourceId(watch.resource)}`);
    if (this.#entries.has(id)) throw new Error(`controller ${name} declares ${resourceId(watch.resource)} twice`);
    const informer = informers.informer(watch.resource, {
      ...(watch.select === undefined ? {} : { select: watch.select }),
      ...(watch.metadataOnly === undefined ? {} : { metadataOnly: watch.metadataOnly }),
    });
    informer.addIndexes(watch.indexes ?? []);
    const dropped = new AbortController();
    const entry: Entry = { id, watch, informer, dropped, registration: undefined, endProgress: undefined };
    this.#entries.set(id, entry);
    if (this.#state === 'started') this.#listen(entry);
    return () => this.#drop(entry);
  }

  /** Starts telling of changes. */
  start(): void {
    this.#state = 'started';
    for (const entry of this.#entries.values()) this.#listen(entry);
  }

  /** Waits for the caches of all that are not optional. @throws the signal's reason. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    for (const { informer, dropped } of this.#needed()) {
      try {
        await informer.waitForSync(AbortSignal.any([signal, dropped.signal]));
      } catch (error) {
        if (signal.aborted || !dropped.signal.aborted) throw error;
      }
    }
  }

  /** Whether all that are not optional are filled and have told what they hold. */
  hasSynced(): boolean {
    return this.#needed().every(({ registration }) => registration?.hasSynced() === true);
  }

  /** Resources without which the controller can't work, and whose caches are not filled; and why, where that is known. */
  unsynced(): readonly string[] {
    return this.#needed()
      .filter(({ informer }) => !informer.hasSynced)
      .map(describe);
  }

  /** As {@link unsynced}, and those that went away since: their caches are empty because nothing is served, not because nothing is there. */
  unavailable(): readonly string[] {
    return this.#needed().filter(isUnavailable).map(describe);
  }

  /** Whatever is not there to be read, optional ones included. */
  missing(): readonly string[] {
    return [...this.#entries.values()].filter(isUnavailable).map(describe);
  }

  async end(): Promise<void> {
    this.#state = 'ended';
    await Promise.all(Array.from(this.#entries.values(), (entry) => this.#stop(entry)));
  }

  #needed(): readonly Entry[] {
    return [...this.#entries.values()].filter(({ watch }) => watch.optional !== true);
  }

  #listen(entry: Entry): void {
    // A change that is told on the way may add a watch.
    if (entry.registration !== undefined) return;
    const { watch, id, informer } = entry;
    const { onChange, onProgress } = this.#options;
    entry.registration = informer.addHandler(
      (change) => onChange(watch, change),
      watch.resyncPeriodMs === undefined ? {} : { resyncPeriodMs: watch.resyncPeriodMs },
    );
    entry.endProgress = informer.onProgress((version, object) => onProgress(id, version, object));
  }

  async #drop(entry: Entry): Promise<void> {
    if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
    entry.dropped.abort(new Error('the watch was dropped'));
    await this.#stop(entry);
  }

  async #stop(entry: Entry): Promise<void> {
    entry.endProgress?.();
    await entry.registration?.remove();
  }
}

function isUnavailable({ informer }: Entry): boolean {
  return !informer.hasSynced || informer.state === 'waiting-for-resource';
}

function describe({ watch, informer }: Entry): string {
  const { state, lastError } = informer;
  const id = resourceId(watch.resource);
  if (state === 'waiting-for-resource') return `${id} (not served by the API server)`;
  if (lastError === undefined) return id;
  return `${id} (${lastError.error instanceof Error ? lastError.error.message : String(lastError.error)})`;
}
