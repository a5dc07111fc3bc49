// Objects as the scheduler has decided they will be, until the informer shows a newer state (spec/scheduler.md §11.9): other pods must see a
// volume as taken before its write has come back.

import type { KubeObject } from '@homeostat/machinery';
import { isNewerResourceVersion } from '@homeostat/client';
import type { Lister } from '@homeostat/runtime';

interface Assumed<T> {
  readonly object: T;
  /** It has been written, and has the version of the write; else the version it was made from. */
  readonly written: boolean;
}

export class AssumedObjects<T extends KubeObject> {
  readonly #lister: Lister<T>;
  readonly #assumed = new Map<string, Assumed<T>>();

  constructor(lister: Lister<T>) {
    this.#lister = lister;
  }

  /** As decided, or as the informer has it. */
  get(namespace: string | undefined, name: string): T | undefined {
    return this.#effective(this.#lister.get(namespace, name));
  }

  /** As the informer has it. */
  getLive(namespace: string | undefined, name: string): T | undefined {
    return this.#lister.get(namespace, name);
  }

  list(): readonly T[] {
    const live = this.#lister.list();
    if (this.#assumed.size === 0) return live;
    for (const { object } of this.#assumed.values()) {
      const { namespace, name = '' } = object.metadata ?? {};
      if (this.#lister.get(namespace, name) === undefined) this.restore(object);
    }
    return live.map((object) => this.#effective(object) ?? object);
  }

  /** Decides what an object will be. */
  assume(object: T): void {
    this.#assumed.set(keyOf(object), { object, written: false });
  }

  /** The decision has been written; the informer will show it. */
  confirm(object: T): void {
    this.#assumed.set(keyOf(object), { object, written: true });
  }

  /** Takes the decision back. */
  restore(object: T): void {
    this.#assumed.delete(keyOf(object));
  }

  #effective(live: T | undefined): T | undefined {
    if (live === undefined) return undefined;
    const key = keyOf(live);
    const assumed = this.#assumed.get(key);
    if (assumed === undefined) return live;
    const liveVersion = live.metadata?.resourceVersion ?? '';
    const version = assumed.object.metadata?.resourceVersion ?? '';
    const isPast = isNewerResourceVersion(liveVersion, version) || (assumed.written && liveVersion === version);
    if (!isPast) return assumed.object;
    this.#assumed.delete(key);
    return live;
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
