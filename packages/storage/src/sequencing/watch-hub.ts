// Hands each change to the watches that can match, and to no other (design law 13): watches are indexed by prefix,
// and a key is looked up under each of its prefixes that end in a slash.

import type { StorageError, StoreEvent } from '../store.ts';
import type { Change } from './change.ts';
import { WatchStream } from './watch-stream.ts';

export interface OpenWatchOptions {
  readonly prefix: string;
  readonly fromRevision: number;
  readonly backlog: readonly Change[];
  readonly bufferMax: number;
  readonly signal: AbortSignal;
}

export class WatchHub {
  /** Watches whose prefix is empty or ends in a slash, by prefix. */
  readonly #byFolder = new Map<string, Set<WatchStream>>();
  /** The few others: every event is tried on each. */
  readonly #others = new Set<WatchStream>();

  open({ prefix, fromRevision, backlog, bufferMax, signal }: OpenWatchOptions): WatchStream {
    const onAbort = (): void => stream.end();
    const onEnd = (): void => {
      signal.removeEventListener('abort', onAbort);
      this.#remove(stream);
    };
    const stream = new WatchStream({ prefix, fromRevision, backlog, bufferMax, onEnd });
    this.#add(stream);
    if (signal.aborted) stream.end();
    else signal.addEventListener('abort', onAbort, { once: true });
    return stream;
  }

  dispatch(revision: number, events: readonly StoreEvent[]): void {
    if (events.length === 1 && events[0] !== undefined) {
      for (const stream of this.#matching(events[0].key)) stream.push(revision, events);
      return;
    }
    const shares = new Map<WatchStream, StoreEvent[]>();
    for (const event of events) {
      for (const stream of this.#matching(event.key)) {
        const share = shares.get(stream);
        if (share === undefined) shares.set(stream, [event]);
        else share.push(event);
      }
    }
    for (const [stream, share] of shares) stream.push(revision, share);
  }

  progress(revision: number): void {
    for (const stream of this.#all()) stream.pushProgress(revision);
  }

  failAll(error: StorageError): void {
    for (const stream of this.#all()) stream.fail(error);
  }

  #all(): WatchStream[] {
    return [...this.#others, ...[...this.#byFolder.values()].flatMap((streams) => [...streams])];
  }

  // A list, not an iteration over the sets: a watch that is ended by a push leaves them.
  #matching(key: string): WatchStream[] {
    const found: WatchStream[] = [];
    for (let end = 0; ; end++) {
      const streams = this.#byFolder.get(key.slice(0, end));
      if (streams !== undefined) found.push(...streams);
      end = key.indexOf('/', end);
      if (end < 0) break;
    }
    for (const stream of this.#others) if (key.startsWith(stream.prefix)) found.push(stream);
    return found;
  }

  #add(stream: WatchStream): void {
    if (!isFolder(stream.prefix)) {
      this.#others.add(stream);
      return;
    }
    const streams = this.#byFolder.get(stream.prefix);
    if (streams === undefined) this.#byFolder.set(stream.prefix, new Set([stream]));
    else streams.add(stream);
  }

  #remove(stream: WatchStream): void {
    this.#others.delete(stream);
    const streams = this.#byFolder.get(stream.prefix);
    streams?.delete(stream);
    if (streams?.size === 0) this.#byFolder.delete(stream.prefix);
  }
}

function isFolder(prefix: string): boolean {
  return prefix === '' || prefix.endsWith('/');
}
