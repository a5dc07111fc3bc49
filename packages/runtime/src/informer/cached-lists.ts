// Lists answered from a cache as an API server answers them: selectors as text, limits, continue tokens. The pages of one list show one
// moment: the first page keeps what is left of it. Bound: `snapshotsMax` lists half read; the one that was read longest ago gives way,
// and its token answers 410.

import { type Clock, ApiError, type Random } from '@homeostat/base';
import {
  type FieldSelector,
  type KubeList,
  type KubeObject,
  newBadRequest,
  newExpired,
  parseFieldSelector,
  parseLabelSelector,
  toApiVersion,
} from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';
import { fieldIndexName } from '../store/indexes.ts';
import type { Lister } from '../store/lister.ts';

export interface CachedListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  /** Terms `field=value` only. `metadata.name` and `metadata.namespace` need no index; any other field one made by `byField`. */
  readonly fieldSelector?: string;
  /** Objects of a page at most; 0 or absent: all. */
  readonly limit?: number;
  /** Of the page before, with the same selectors. */
  readonly continue?: string;
}

/** What lists are made of. */
export interface CachedListSource<T extends KubeObject> {
  readonly resource: ResourceType<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly lister: Lister<T>;
  resourceVersion(): string;
  synced(): boolean;
}

interface Snapshot<T> {
  readonly query: string;
  readonly resourceVersion: string;
  readonly objects: readonly T[];
  readonly countsRest: boolean;
  usedAtMs: number;
}

const snapshotsMax = 16;
const snapshotMaxAgeMs = 300_000;
const expiredText =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';

/** Answers lists of one cache. */
export class CachedLists<T extends KubeObject> {
  readonly #source: CachedListSource<T>;
  /** By token prefix, the one that was used longest ago first. */
  readonly #snapshots = new Map<string, Snapshot<T>>();
  readonly #instance: string;
  #count = 0;

  constructor(source: CachedListSource<T>) {
    this.#source = source;
    this.#instance = source.random.uuid();
  }

  /**
   * One page, in the order of the cache. Objects are shared: never change them.
   * @throws ApiError 400 for selectors or tokens of no sense, 410 for a token whose list has been given up (after 5 minutes without a
   * page, or for others), 503 before the cache is filled; Error for a field without an index.
   */
  list(options: CachedListOptions = {}): KubeList<T> {
    const { limit = 0, namespace = '', labelSelector = '', fieldSelector = '' } = options;
    const query = JSON.stringify([namespace, labelSelector, fieldSelector]);
    if (options.continue !== undefined && options.continue !== '') return this.#next(options.continue, query, limit);
    if (!this.#source.synced()) {
      const message = `the cache of ${this.#source.resource.resource} is not filled yet`;
      throw new ApiError({ code: 503, reason: 'ServiceUnavailable', message });
    }
    const snapshot = {
      query,
      resourceVersion: this.#source.resourceVersion(),
      objects: this.#select(options),
      // As an API server: what a selector would leave of the rest is not told.
      countsRest: labelSelector === '' && fieldSelector === '',
      usedAtMs: this.#source.clock.monotonicMs(),
    };
    return this.#page(`${this.#instance}-${this.#count++}`, snapshot, { from: 0, limit });
  }

  #next(token: string, query: string, limit: number): KubeList<T> {
    const match = /^(.+)\.(\d+)$/.exec(token);
    if (match === null) throw newBadRequest('continue key is not valid: it was not given out by a cache');
    const [, id = '', from = ''] = match;
    this.#dropOld();
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) throw newExpired(expiredText);
    if (snapshot.query !== query) {
      throw newBadRequest('continue key is not valid: it was given out for another namespace or other selectors');
    }
    return this.#page(id, snapshot, { from: Number(from), limit });
  }

  #page(
    id: string,
    snapshot: Snapshot<T>,
    { from, limit }: { readonly from: number; readonly limit: number },
  ): KubeList<T> {
    const { objects, resourceVersion, countsRest } = snapshot;
    const end = limit > 0 ? Math.min(from + limit, objects.length) : objects.length;
    const rest = objects.length - end;
    // The last page can be asked for again, as long as nothing else needs the place.
    if (rest > 0 || from > 0) this.#keep(id, snapshot);
    const { resource } = this.#source;
    return {
      apiVersion: toApiVersion(resource),
      kind: `${resource.kind}List`,
      metadata: {
        resourceVersion,
        ...(rest === 0 ? {} : { continue: `${id}.${end}`, ...(countsRest ? { remainingItemCount: rest } : {}) }),
      },
      items: objects.slice(from, end),
    };
  }

  #keep(id: string, snapshot: Snapshot<T>): void {
    snapshot.usedAtMs = this.#source.clock.monotonicMs();
    this.#snapshots.delete(id);
    this.#dropOld();
    const [oldest] = this.#snapshots.keys();
    if (oldest !== undefined && this.#snapshots.size >= snapshotsMax) this.#snapshots.delete(oldest);
    this.#snapshots.set(id, snapshot);
  }

  #dropOld(): void {
    const oldestMs = this.#source.clock.monotonicMs() - snapshotMaxAgeMs;
    for (const [id, { usedAtMs }] of this.#snapshots) {
      if (usedAtMs >= oldestMs) return;
      this.#snapshots.delete(id);
    }
  }

  #select(options: CachedListOptions): readonly T[] {
    const selector = parse(() => parseFieldSelector(options.fieldSelector ?? ''));
    const labels = parse(() => parseLabelSelector(options.labelSelector ?? ''));
    const matches = labels.isEmpty ? undefined : (found: Readonly<Record<string, string>>) => labels.matches(found);
    const { lister } = this.#source;
    const wanted = selector.exactMatch('metadata.namespace');
    const namespace = options.namespace === undefined || options.namespace === '' ? wanted : options.namespace;
    if (selector.isEmpty) return lister.list(namespace, matches);
    if (wanted !== undefined && wanted !== namespace) return [];
    return this.#byFields(selector, namespace).filter(
      (object) => matches === undefined || matches(object.metadata?.labels ?? {}),
    );
  }

  #byFields(selector: FieldSelector, namespace: string | undefined): readonly T[] {
    const { lister, resource } = this.#source;
    const name = selector.exactMatch('metadata.name');
    let found: readonly T[] | undefined;
    for (const { field, operator, value } of selector.terms) {
      if (operator !== '=') {
        throw new Error(
          `a cached list of ${resource.resource} can't be selected by ${field}!=${value}: only = is known to indexes`,
        );
      }
      if (field === 'metadata.name' || field === 'metadata.namespace') continue;
      const indexed = new Set(lister.byIndex(fieldIndexName(field), value));
      found = found === undefined ? [...indexed] : found.filter((object) => indexed.has(object));
    }
    if (found === undefined && name !== undefined && (namespace !== undefined || !resource.namespaced)) {
      const object = lister.get(namespace, name);
      return object === undefined ? [] : [object];
    }
    return (found ?? lister.list(namespace)).filter(
      ({ metadata }) =>
        (name === undefined || metadata?.name === name) &&
        (namespace === undefined || metadata?.namespace === namespace),
    );
  }
}

/** What a parser says of a selector, as an API server answers it. */
function parse<S>(parseSelector: () => S): S {
  try {
    return parseSelector();
  } catch (error) {
    throw newBadRequest(error instanceof Error ? error.message : String(error));
  }
}
