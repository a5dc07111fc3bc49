// Keys that wait for a cache to move on, found by what they wait for: so that an event costs nothing when nobody waits for it.
// Part of the write fence.

import { compareResourceVersions, type ObjectKey } from '@homeostat/client';

/** What a key waits for: a version of a resource's cache, or a change of one object in it. */
export type Obstacle =
  | { readonly resource: string; readonly resourceVersion: string }
  | { readonly resource: string; readonly object: ObjectKey };

interface Waiters {
  /** Ordered by version, oldest first; those whose key waits for something else by now are skipped. */
  readonly versions: { readonly resourceVersion: string; readonly key: ObjectKey; readonly obstacle: Obstacle }[];
  readonly objects: Map<ObjectKey, Set<ObjectKey>>;
}

/** Waiting keys of one controller. */
export class BlockedKeys {
  readonly #obstacles = new Map<ObjectKey, Obstacle>();
  readonly #waiters = new Map<string, Waiters>();

  get size(): number {
    return this.#obstacles.size;
  }

  /** `key` waits for this, and for nothing else. */
  block(key: ObjectKey, obstacle: Obstacle): void {
    const before = this.#obstacles.get(key);
    if (before !== undefined && isSame(before, obstacle)) return;
    this.unblock(key);
    this.#obstacles.set(key, obstacle);
    let waiters = this.#waiters.get(obstacle.resource);
    if (waiters === undefined) {
      waiters = { versions: [], objects: new Map() };
      this.#waiters.set(obstacle.resource, waiters);
    }
    if ('object' in obstacle) {
      const keys = waiters.objects.get(obstacle.object) ?? new Set();
      waiters.objects.set(obstacle.object, keys.add(key));
      return;
    }
    const { resourceVersion } = obstacle;
    // Newer writes come later, so the place is nearly always the end.
    let at = waiters.versions.length;
    while (at > 0 && isBefore(resourceVersion, waiters.versions[at - 1]?.resourceVersion ?? '')) at--;
    waiters.versions.splice(at, 0, { resourceVersion, key, obstacle });
  }

  unblock(key: ObjectKey): void {
    const obstacle = this.#obstacles.get(key);
    if (obstacle === undefined) return;
    this.#obstacles.delete(key);
    if (!('object' in obstacle)) return;
    const objects = this.#waiters.get(obstacle.resource)?.objects;
    const keys = objects?.get(obstacle.object);
    keys?.delete(key);
    if (keys?.size === 0) objects?.delete(obstacle.object);
  }

  /** The cache has reached a version, perhaps by a change of `object`; the keys that need not wait any longer. */
  progressed(resource: string, resourceVersion: string, object: ObjectKey | undefined): readonly ObjectKey[] {
    const waiters = this.#waiters.get(resource);
    if (waiters === undefined || this.#obstacles.size === 0) return none;
    const passed: ObjectKey[] = [];
    while (waiters.versions.length > 0) {
      const [first] = waiters.versions;
      if (first === undefined || isBefore(resourceVersion, first.resourceVersion)) break;
      waiters.versions.shift();
      if (this.#obstacles.get(first.key) === first.obstacle) passed.push(first.key);
    }
    if (object !== undefined) passed.push(...(waiters.objects.get(object) ?? none));
    // A list may have changed anything.
    else for (const keys of waiters.objects.values()) passed.push(...keys);
    for (const key of passed) this.unblock(key);
    return passed;
  }
}

function isSame(a: Obstacle, b: Obstacle): boolean {
  if (a.resource !== b.resource) return false;
  if ('object' in a) return 'object' in b && a.object === b.object;
  return 'resourceVersion' in b && a.resourceVersion === b.resourceVersion;
}

const none: readonly ObjectKey[] = [];

/** Versions that can't be compared don't hold anybody up. */
function isBefore(a: string, b: string): boolean {
  return (compareResourceVersions(a, b) ?? 0) < 0;
}
