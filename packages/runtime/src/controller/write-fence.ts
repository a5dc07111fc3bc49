// Read your own writes (law 4): a key is not reconciled against a cache older than the last write made for it. Writes that
// answered with a resourceVersion wait until the cache has reached it; others until their effect shows on the uid. A key that wants
// several caches to be consistent waits in the same way until all of them have reached one floor. Bounded: after the time limit the
// key is let through on the condition that it reads live.

import type { Clock } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { compareResourceVersions, isNewerResourceVersion, type ObjectKey, splitKey } from '@homeostat/client';
import { findKnown } from '../informer/namespace-set.ts';
import type { Lister } from '../store/lister.ts';
import { BlockedKeys, type Obstacle } from './blocked-keys.ts';

/** What the fence sees of an informer. */
export interface FencedCache {
  readonly lister: Lister;
  readonly resourceVersion: string;
  /** The version reached for one namespace, where those of several differ; default {@link resourceVersion}. */
  versionFor?(namespace: string | undefined): string;
  /** Whether objects of a namespace ever show; default always. */
  knows?(namespace: string | undefined): boolean;
}

/** One write, as far as the caches are concerned. `resource` is `resource.group`: versions of one resource share a history. */
export type Write =
  | {
      readonly kind: 'version';
      readonly resource: string;
      readonly object: ObjectKey;
      readonly resourceVersion: string;
    }
  /** The object of this uid is to be gone or terminating. */
  | { readonly kind: 'removed'; readonly resource: string; readonly object: ObjectKey; readonly uid: string }
  /** The Pod of this uid is to have a node. */
  | { readonly kind: 'bound'; readonly resource: string; readonly object: ObjectKey; readonly uid: string }
  /** No answer came: it may or may not have happened. */
  | { readonly kind: 'uncertain'; readonly resource: string; readonly object: ObjectKey };

/** Whether a key may be reconciled now. */
export type Passage =
  | { readonly status: 'open' }
  /** Ask again after a wake-up, or after `waitMs`. */
  | { readonly status: 'blocked'; readonly waitMs: number }
  /** Only against live state of these resources, in these namespaces (undefined: all). */
  | { readonly status: 'live'; readonly resources: readonly LiveRead[] };

export interface LiveRead {
  readonly resource: string;
  readonly namespace: string | undefined;
}

export interface WriteFenceOptions {
  readonly clock: Clock;
  /** How long a key waits for its writes to show, milliseconds. */
  readonly limitMs: number;
  /** The cache of a resource, when the controller has one. */
  readonly cacheOf: (resource: string) => FencedCache | undefined;
  /** Resources whose caches must have reached the version of the newest of them before a key passes; default none. */
  readonly consistent?: readonly string[];
  /** How long a key waits for that alone, milliseconds; default {@link limitMs}. */
  readonly consistentLimitMs?: number;
  /** A key that was blocked may pass now. */
  readonly wake: (key: ObjectKey) => void;
}

interface KeyFence {
  /** Of the object the key names, when the writes were made. */
  uid: string | undefined;
  /** Where a live read showed that object: a cache that has not got there may still show a former one. */
  seenLive: { readonly resource: string; readonly resourceVersion: string } | undefined;
  /** Version to reach, per resource. */
  readonly versions: Map<string, string>;
  readonly effects: Effect[];
  readonly uncertain: Set<string>;
  /** Namespaces written to, per resource, for the live read. */
  readonly namespaces: Map<string, Set<string>>;
  /** Monotonic time at which waiting ends; undefined while nothing waits. */
  deadlineMs: number | undefined;
  /** There was a write since the last live read. */
  written: boolean;
  /** A consistent floor is among the versions. */
  floored: boolean;
}

/** So many fences are kept before any is looked at again by itself. */
const sweepMin = 1024;

/** Effects one key waits for, one by one; when it has more, their resource is read live instead. */
const effectsMax = 4096;

type Effect = Extract<Write, { readonly kind: 'removed' | 'bound' }>;

/** The fences of one controller's keys. */
export class WriteFence {
  readonly #options: WriteFenceOptions;
  readonly #fences = new Map<ObjectKey, KeyFence>();
  readonly #blocked = new BlockedKeys();
  /** Fences at which those that are open are looked for. */
  #sweepAt = sweepMin;

  constructor(options: WriteFenceOptions) {
    this.#options = options;
  }

  /** Keys with writes that have not been seen yet. O(keys). */
  get size(): number {
    this.#sweep();
    return this.#fences.size;
  }

  /** Notes a write made for `key`, whose object has `uid`. Writes to resources without a cache, or to namespaces that a cache does not follow, are not noted. */
  written(key: ObjectKey, uid: string | undefined, write: Write): void {
    const cache = this.#options.cacheOf(write.resource);
    if (cache === undefined || cache.knows?.(splitKey(write.object).namespace) === false) return;
    let fence = this.#fences.get(key);
    if (fence === undefined || fence.uid !== uid) {
      if (this.#fences.size >= this.#sweepAt) {
        this.#sweep();
        this.#sweepAt = Math.max(sweepMin, this.#fences.size * 2);
      }
      fence = newFence(uid);
      this.#fences.set(key, fence);
    }
    fence.written = true;
    addNamespace(fence, write.resource, splitKey(write.object).namespace ?? '');
    switch (write.kind) {
      case 'version': {
        const before = fence.versions.get(write.resource);
        if (before === undefined || isNewerResourceVersion(write.resourceVersion, before)) {
          fence.versions.set(write.resource, write.resourceVersion);
        }
        return;
      }
      case 'removed':
      case 'bound':
        if (fence.effects.length < effectsMax) fence.effects.push(write);
        else fence.uncertain.add(write.resource);
        return;
      case 'uncertain':
        fence.uncertain.add(write.resource);
        return;
    }
  }

  /** Whether `key`, whose object has `uid` now, may pass. */
  check(key: ObjectKey, uid: string | undefined): Passage {
    let fence = this.#fences.get(key);
    // Another object of that name, or none: what was written for the earlier one does not concern it.
    if (fence !== undefined && fence.uid !== uid && !this.#isBehind(fence)) {
      this.forget(key);
      fence = undefined;
    }
    fence = this.#withFloor(key, uid, fence);
    if (fence === undefined) return open;
    if (fence.uncertain.size > 0) return this.#live(key, fence);
    const obstacle = this.#obstacle(fence);
    if (obstacle === undefined) {
      this.forget(key);
      return open;
    }
    const nowMs = this.#options.clock.monotonicMs();
    const { limitMs, consistentLimitMs = limitMs } = this.#options;
    fence.deadlineMs ??= nowMs + (fence.written ? limitMs : consistentLimitMs);
    if (nowMs >= fence.deadlineMs) return this.#live(key, fence);
    this.#blocked.block(key, obstacle);
    return { status: 'blocked', waitMs: fence.deadlineMs - nowMs };
  }

  /** A resource was read live at `resourceVersion`: the cache must reach it before the key may rely on it again. */
  readLive(key: ObjectKey, resource: string, resourceVersion: string): void {
    const fence = this.#fences.get(key);
    if (fence === undefined) return;
    const before = fence.versions.get(resource);
    if (before === undefined || isNewerResourceVersion(resourceVersion, before))
      fence.versions.set(resource, resourceVersion);
    fence.uncertain.delete(resource);
    const kept = fence.effects.filter((effect) => effect.resource !== resource);
    fence.effects.splice(0, fence.effects.length, ...kept);
    fence.deadlineMs = undefined;
    fence.written = false;
    fence.floored = false;
  }

  /**
   * What live reads of `resource`, the key's own, showed for the key: the object of `uid`, or none. Writes of the run that follows are made for
   * that one, whatever the cache says.
   */
  seenLive(key: ObjectKey, uid: string | undefined, resource: string): void {
    const fence = this.#fences.get(key);
    const resourceVersion = fence?.versions.get(resource);
    if (fence === undefined || resourceVersion === undefined) return;
    fence.uid = uid;
    fence.seenLive = { resource, resourceVersion };
  }

  /** The cache of `resource` has moved on, perhaps by a change of `object`. */
  progressed(resource: string, resourceVersion: string, object: ObjectKey | undefined): void {
    for (const key of this.#blocked.progressed(resource, resourceVersion, object)) this.#options.wake(key);
  }

  /** A key is not woken any more when it may pass; what it must wait for stays. */
  stopWaking(key: ObjectKey): void {
    this.#blocked.unblock(key);
  }

  /** Drops what is known of a key. */
  forget(key: ObjectKey): void {
    this.#fences.delete(key);
    this.#blocked.unblock(key);
  }

  /** Forgets what is seen by now: a key that never runs again, since its object is gone, does not ask. */
  #sweep(): void {
    for (const [key, fence] of this.#fences) {
      if (fence.uncertain.size === 0 && this.#obstacle(fence) === undefined) this.#fences.delete(key);
    }
  }

  #isBehind(fence: KeyFence): boolean {
    const { seenLive } = fence;
    return seenLive !== undefined && !this.#reached(fence, seenLive.resource, seenLive.resourceVersion);
  }

  /** Adds the version of the newest of the caches that must be consistent, once a passage. */
  #withFloor(key: ObjectKey, uid: string | undefined, known: KeyFence | undefined): KeyFence | undefined {
    const { consistent = [], cacheOf } = this.#options;
    if (consistent.length < 2 || known?.floored === true) return known;
    const versions = consistent.map((resource) => cacheOf(resource)?.resourceVersion ?? '');
    const floor = newestOf([...versions, ...(known?.versions.values() ?? [])]);
    const behind = consistent.filter((_, at) => isNewerResourceVersion(floor, versions[at] ?? ''));
    if (behind.length === 0) return known;
    const fence = known ?? newFence(uid);
    fence.floored = true;
    for (const resource of behind) {
      if (isNewerResourceVersion(floor, fence.versions.get(resource) ?? '0')) fence.versions.set(resource, floor);
      addNamespace(fence, resource, '');
    }
    this.#fences.set(key, fence);
    return fence;
  }

  #live(key: ObjectKey, fence: KeyFence): Passage {
    this.#blocked.unblock(key);
    const resources = new Set<string>(fence.uncertain);
    for (const [resource, version] of fence.versions)
      if (!this.#reached(fence, resource, version)) resources.add(resource);
    for (const effect of fence.effects) if (!this.#shows(effect)) resources.add(effect.resource);
    return {
      status: 'live',
      resources: Array.from(resources, (resource) => {
        const namespaces = fence.namespaces.get(resource);
        const only = namespaces?.size === 1 ? [...namespaces][0] : undefined;
        return { resource, namespace: only === '' ? undefined : only };
      }),
    };
  }

  /** The first thing that is not to be seen yet. What is seen is dropped on the way, so that each write is looked at once. */
  #obstacle(fence: KeyFence): Obstacle | undefined {
    for (const [resource, resourceVersion] of fence.versions) {
      if (!this.#reached(fence, resource, resourceVersion)) return { resource, resourceVersion };
      fence.versions.delete(resource);
    }
    for (let last = fence.effects.at(-1); last !== undefined; last = fence.effects.at(-1)) {
      if (!this.#shows(last)) return { resource: last.resource, object: last.object };
      fence.effects.pop();
    }
    return undefined;
  }

  #reached(fence: KeyFence, resource: string, resourceVersion: string): boolean {
    const cache = this.#options.cacheOf(resource);
    if (cache === undefined) return true;
    // A namespace that nobody writes to tells how far it is once a minute: it is not waited for.
    const written = fence.namespaces.get(resource);
    const whole = written === undefined || written.has('');
    for (const namespace of whole ? [undefined] : written) {
      const version = cache.versionFor?.(namespace) ?? cache.resourceVersion;
      // Versions that can't be compared can't be waited for.
      if ((compareResourceVersions(version, resourceVersion) ?? 0) < 0) return false;
    }
    return true;
  }

  #shows(effect: Effect): boolean {
    const cache = this.#options.cacheOf(effect.resource);
    const object: (KubeObject & { readonly spec?: { readonly nodeName?: string } }) | undefined = findKnown(
      cache?.lister,
      effect.object,
    );
    if (object === undefined || object.metadata?.uid !== effect.uid) return true;
    if (object.metadata.deletionTimestamp !== undefined) return true;
    return effect.kind === 'bound' && object.spec?.nodeName !== undefined && object.spec.nodeName !== '';
  }
}

const open: Passage = { status: 'open' };

function newFence(uid: string | undefined): KeyFence {
  return {
    uid,
    seenLive: undefined,
    versions: new Map(),
    effects: [],
    uncertain: new Set(),
    namespaces: new Map(),
    deadlineMs: undefined,
    written: false,
    floored: false,
  };
}

function addNamespace(fence: KeyFence, resource: string, namespace: string): void {
  const namespaces = fence.namespaces.get(resource) ?? new Set<string>();
  fence.namespaces.set(resource, namespaces.add(namespace));
}

/** Those that can't be compared are passed over. */
function newestOf(versions: readonly string[]): string {
  return versions.reduce((newest, version) => (isNewerResourceVersion(version, newest) ? version : newest), '0');
}
