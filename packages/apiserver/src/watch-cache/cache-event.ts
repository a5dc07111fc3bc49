// One change as the cache took it in, shared by all watchers that see it: both states, and the frames made from it.

import type { ObjectVersion } from './object-version.ts';

export type WatchType = 'ADDED' | 'MODIFIED' | 'DELETED';

export class CacheEvent {
  readonly revision: number;
  /** Undefined when the object was deleted. */
  readonly current: ObjectVersion | undefined;
  /** Undefined when the object was created. */
  readonly previous: ObjectVersion | undefined;
  /** Arrival, monotonic milliseconds: the window keeps events by age. */
  readonly arrivedMs: number;
  /** Encoded frames by form, shared by watchers; given up when the event is no longer among the latest. */
  frames: Map<string, Uint8Array> | undefined = new Map();
  #last: ObjectVersion | undefined;

  constructor(
    revision: number,
    current: ObjectVersion | undefined,
    previous: ObjectVersion | undefined,
    arrivedMs: number,
  ) {
    this.revision = revision;
    this.current = current;
    this.previous = previous;
    this.arrivedMs = arrivedMs;
  }

  get path(): string {
    return (this.current ?? this.previous)?.path ?? '';
  }

  /** What a DELETED event shows: the state before, at this event's revision. Shared, so that its encodings are too. */
  get last(): ObjectVersion {
    const before = this.previous ?? this.current;
    if (before === undefined) throw new Error('event without states');
    this.#last ??= before.at(this.revision);
    return this.#last;
  }

  /**
   * Gives up what few will ask for: called when the event is no longer among the latest. The state before has been
   * replaced since; the current one may still be the object's present state.
   */
  settle(): void {
    this.frames = undefined;
    this.#last = undefined;
    this.previous?.release();
  }
}

/** One event as one watcher sees it. */
export interface WatchItem {
  readonly type: WatchType;
  readonly version: ObjectVersion;
  /** Revision of the change; for initial events the object's own. */
  readonly revision: number;
  /** The change itself; absent for initial events. */
  readonly event?: CacheEvent;
}
