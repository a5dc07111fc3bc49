// Finds lost watch events (law 3 of the loop: what is left is closed by comparing). Every period the versions of a consistent
// list are compared with the cache, in order with the watch's events; what differs and was not touched since is mended.
// Bound: a lost event is repaired within one period plus one list.

import { type Env, Pacer } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { isNewerResourceVersion, keyOf, type ObjectKey } from '@homeostat/client';
import type { Lister } from '../store/lister.ts';
import type { InformerSource } from './informer-source.ts';

/** What a repair needs of the informer. `upsert` and `delete` may be called inside `inOrder` only. */
export interface RepairableCache<T extends KubeObject> {
  readonly lister: Lister<T>;
  keys(): Iterable<ObjectKey>;
  synced(): boolean;
  /** The newest version that anything in the cache rests on. */
  resourceVersion(): string;
  /** The cache will hold what was true at this version, though the watch has not told of it: nothing older may be taken in. */
  aheadAt(resourceVersion: string): void;
  /** From now on, keys that events or lists change are added to the returned set. */
  startTouching(): ReadonlySet<ObjectKey>;
  stopTouching(): void;
  /** Runs work at its place in the order of events; no event is processed meanwhile. */
  inOrder(run: () => Promise<void>): Promise<void>;
  upsert(object: T): void;
  /** @param resourceVersion of the list that did not have the object */
  delete(object: T, resourceVersion: string): void;
}

export interface RepairOptions<T extends KubeObject> {
  readonly name: string;
  readonly env: Env;
  readonly periodMs: number;
  readonly source: InformerSource<T>;
  readonly cache: RepairableCache<T>;
  readonly signal: AbortSignal;
}

/** Repairs every period until aborted. A repair that fails is logged; the next one is a period away. */
export async function runRepairs<T extends KubeObject>(options: RepairOptions<T>): Promise<void> {
  const { env, periodMs, cache, signal, name } = options;
  const repaired = env.metrics.counter({
    name: 'informer_repaired_objects_total',
    help: 'Objects of a cache that differed from a consistent list and were mended',
    labelNames: ['resource'],
  });
  for (;;) {
    // Apart in time, so that the informers of a process do not list all at once.
    await env.clock.sleep(periodMs * (0.9 + 0.1 * env.random.float()), signal);
    if (!cache.synced()) continue;
    try {
      const mended = await repairOnce(options);
      if (mended === 0) continue;
      repaired.inc({ resource: name }, mended);
      env.log.error('a cache differed from the API server and was repaired', { informer: name, objects: mended });
    } catch (error) {
      signal.throwIfAborted();
      env.log.warn('a repair of a cache failed', { informer: name, error });
    }
  }
}

/** One comparison. Returns how many objects were mended. */
export async function repairOnce<T extends KubeObject>(options: Omit<RepairOptions<T>, 'periodMs'>): Promise<number> {
  const { env, source, cache, signal } = options;
  const pacer = new Pacer(env.clock);
  // An object may differ because its event is newer than the list; such an event arrives after this point.
  const touched = cache.startTouching();
  const reached = cache.resourceVersion();
  try {
    const listed = await listVersions(source, pacer, signal);
    if (isNewerResourceVersion(reached, listed.resourceVersion)) {
      throw new Error(
        `the list to compare with is of version ${listed.resourceVersion}, older than ${reached} seen before`,
      );
    }
    let mended = 0;
    const outdated: ObjectKey[] = [];
    await cache.inOrder(async () => {
      for (const [key, { uid, version }] of listed.versions) {
        if (pacer.due()) await pacer.yield();
        if (touched.has(key)) continue;
        const cached = cache.lister.getByKey(key)?.metadata;
        if (
          cached === undefined ||
          cached.uid !== uid ||
          isNewerResourceVersion(version, cached.resourceVersion ?? '')
        ) {
          outdated.push(key);
        }
      }
      for (const key of cache.keys()) {
        if (pacer.due()) await pacer.yield();
        const object = cache.lister.getByKey(key);
        if (object === undefined || touched.has(key) || listed.versions.has(key)) continue;
        if (isNewerResourceVersion(object.metadata?.resourceVersion ?? '', listed.resourceVersion)) continue;
        cache.aheadAt(listed.resourceVersion);
        cache.delete(object, listed.resourceVersion);
        mended++;
      }
    });
    // Touched meanwhile: the watch is telling of this object, and knows better.
    const mend = (object: T): Promise<void> =>
      cache.inOrder(async () => {
        if (touched.has(keyOf(object))) return;
        const version = object.metadata?.resourceVersion ?? '';
        cache.aheadAt(isNewerResourceVersion(version, listed.resourceVersion) ? version : listed.resourceVersion);
        cache.upsert(object);
        mended++;
      });
    for await (const object of readLive(outdated, listed.resourceVersion, options)) await mend(object);
    return mended;
  } finally {
    cache.stopTouching();
  }
}

/** Above this many, one list costs less than a request each. */
const singleReadsMax = 100;

/** The objects of these keys as they are now; those that are gone are left out. */
async function* readLive<T extends KubeObject>(
  keys: readonly ObjectKey[],
  resourceVersion: string,
  { source, signal }: Pick<RepairOptions<T>, 'source' | 'signal'>,
): AsyncGenerator<T, void, void> {
  if (keys.length > singleReadsMax) {
    const wanted = new Set(keys);
    for await (const page of source.listPages({ resourceVersion, limit: 0, signal })) {
      yield* page.items.filter((object) => wanted.has(keyOf(object)));
    }
    return;
  }
  for (const key of keys) {
    const object = await source.get(key, { resourceVersion, signal });
    if (object !== undefined) yield object;
  }
}

interface ListedVersions {
  readonly versions: ReadonlyMap<ObjectKey, { readonly uid: string | undefined; readonly version: string }>;
  readonly resourceVersion: string;
}

async function listVersions(source: InformerSource, pacer: Pacer, signal: AbortSignal): Promise<ListedVersions> {
  let versions = new Map<ObjectKey, { readonly uid: string | undefined; readonly version: string }>();
  let resourceVersion = '';
  for await (const page of source.listVersions({ signal })) {
    if (page.restarted) versions = new Map();
    resourceVersion = page.resourceVersion;
    for (const object of page.items) {
      versions.set(keyOf(object), { uid: object.metadata?.uid, version: object.metadata?.resourceVersion ?? '' });
      if (pacer.due()) await pacer.yield();
    }
  }
  return { versions, resourceVersion };
}
