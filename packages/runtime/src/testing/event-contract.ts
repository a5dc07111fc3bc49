// The event contract of informers, checked while it is in force: wrap a handler, and what it is told is compared with what it was told
// before. For tests: it remembers every uid that was deleted.
//
// The contract, per key and uid: (1) an addition comes first, of an object that is not known; (2) an update's `old` is what the handler
// knows, and its `object` is the same uid at a newer version; (3) a deletion names what is known and comes once; (4) nothing comes
// after it, but another uid; (5) versions of one key never go back; (6) a resync names what is known; (7) one call at a time.

import type { KubeObject } from '@homeostat/machinery';
import { compareResourceVersions, keyOf, type ObjectKey } from '@homeostat/client';
import type { Change, ChangeHandler } from '../informer/change.ts';

export interface EventContractOptions {
  /** Starts every problem's text; default `handler`. */
  readonly name?: string;
  /**
   * Objects may leave the view and come back with their uid: a selection by label or field, namespaces that come and go, a server
   * restored from a backup. Default false.
   */
  readonly uidsReturn?: boolean;
  /** Hears of every problem at once, e.g. to throw; default they are collected only. */
  readonly onProblem?: (problem: string) => void;
}

/** What an informer told one handler, and what was wrong with it. */
export class EventContract<T extends KubeObject = KubeObject> {
  readonly #options: EventContractOptions;
  readonly #known = new Map<ObjectKey, T>();
  /** Objects the handler failed on: it may know of them. */
  readonly #partial = new Map<ObjectKey, T>();
  readonly #deleted = new Set<string>();
  readonly #versions = new Map<ObjectKey, string>();
  readonly #problems: string[] = [];
  #busy: ObjectKey | undefined;
  #changes = 0;

  constructor(options: EventContractOptions = {}) {
    this.#options = options;
  }

  /** Breaches of the contract so far, oldest first, in words. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** What the handler knows: the cache as its changes tell it. */
  get known(): ReadonlyMap<ObjectKey, T> {
    return this.#known;
  }

  /** How many changes were told. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * The handler to add to the informer. A change on which `handler` throws or rejects counts as not told, and may be told again.
   *
   * @example
   * const contract = new EventContract<Pod>();
   * informer.addHandler(contract.wrap(handle));
   * …
   * assert.deepEqual(contract.problems, []);
   */
  wrap(handler: ChangeHandler<T> = () => {}): ChangeHandler<T> {
    return (change) => {
      const key = keyOf(change.object);
      if (this.#busy !== undefined) this.#report(change, `told while it was busy with ${this.#busy}`);
      this.#changes++;
      this.#check(change, key);
      let result: void | Promise<void>;
      try {
        result = handler(change);
      } catch (error) {
        this.#partial.set(key, change.object);
        throw error;
      }
      if (result === undefined) {
        this.#take(change, key);
        return undefined;
      }
      this.#busy = key;
      return result.then(
        () => {
          this.#busy = undefined;
          this.#take(change, key);
        },
        (error: unknown) => {
          this.#busy = undefined;
          this.#partial.set(key, change.object);
          throw error;
        },
      );
    };
  }

  /** How what the handler knows differs from `objects`, e.g. what the server has when all is quiet: by key, uid and version. */
  differences(objects: Iterable<KubeObject>): readonly string[] {
    const differences: string[] = [];
    const rest = new Map<ObjectKey, KubeObject>(this.#known);
    for (const object of objects) {
      const key = keyOf(object);
      const known = rest.get(key);
      rest.delete(key);
      if (known === undefined) differences.push(`${key} was never told of`);
      else if (describe(known) !== describe(object)) {
        differences.push(`${key} is ${describe(object)}, but known as ${describe(known)}`);
      }
    }
    for (const [key, known] of rest) differences.push(`${key} (${describe(known)}) is gone, but that was never told`);
    return differences;
  }

  #check(change: Change<T>, key: ObjectKey): void {
    const known = this.#known.get(key);
    const { uid, resourceVersion = '' } = change.object.metadata ?? {};
    switch (change.type) {
      case 'added':
        if (known !== undefined) this.#report(change, `added, but known as ${describe(known)}`);
        if (uid !== undefined && this.#deleted.has(uid) && this.#options.uidsReturn !== true) {
          this.#report(change, 'added after its deletion');
        }
        this.#checkOrder(change, key, resourceVersion);
        return;
      case 'updated':
        if (known === undefined) this.#report(change, 'updated, but never added');
        else if (describe(known) !== describe(change.old)) {
          this.#report(change, `updated from ${describe(change.old)}, but known as ${describe(known)}`);
        }
        if (change.old.metadata?.uid !== uid) this.#report(change, 'updated from another uid');
        if (change.old.metadata?.resourceVersion === resourceVersion)
          this.#report(change, 'updated to the same version');
        this.#checkOrder(change, key, resourceVersion);
        return;
      case 'deleted':
        if (known === undefined && !this.#partial.has(key)) this.#report(change, 'deleted, but not known');
        if (known !== undefined && known.metadata?.uid !== uid)
          this.#report(change, `deleted, but known as ${describe(known)}`);
        this.#checkOrder(change, key, resourceVersion);
        return;
      case 'resync':
        if (known === undefined && !this.#partial.has(key)) this.#report(change, 'resynced, but not known');
        else if (known !== undefined && describe(known) !== describe(change.object)) {
          this.#report(change, `resynced, but known as ${describe(known)}`);
        }
    }
  }

  #checkOrder(change: Change<T>, key: ObjectKey, version: string): void {
    const before = this.#versions.get(key);
    if (before === undefined || (compareResourceVersions(version, before) ?? 0) >= 0) return;
    this.#report(change, `told after version ${before}`);
  }

  /** The handler has heard it. */
  #take(change: Change<T>, key: ObjectKey): void {
    this.#partial.delete(key);
    const { uid, resourceVersion } = change.object.metadata ?? {};
    if (resourceVersion !== undefined) this.#versions.set(key, resourceVersion);
    if (change.type === 'deleted') {
      this.#known.delete(key);
      if (uid !== undefined && change.outOfScope !== true) this.#deleted.add(uid);
    } else {
      this.#known.set(key, change.object);
    }
  }

  #report(change: Change<T>, problem: string): void {
    const text = `${this.#options.name ?? 'handler'}: ${keyOf(change.object)} (${describe(change.object)}) ${problem}`;
    this.#problems.push(text);
    this.#options.onProblem?.(text);
  }
}

function describe(object: KubeObject): string {
  return `uid ${object.metadata?.uid ?? '-'} at ${object.metadata?.resourceVersion ?? '-'}`;
}
