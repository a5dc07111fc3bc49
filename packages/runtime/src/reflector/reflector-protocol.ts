// What the reflector's state machine speaks of: its state, what happens to it, and what it wants done. Data only.

/** Where the reflector is. */
export type ReflectorPhase =
  /** Nothing is open; the next effect starts a list. */
  | 'starting'
  /** A watch is open that first sends the content; left when its end bookmark comes, or the stream ends. */
  | 'streaming-list'
  /** List requests are under way. */
  | 'listing'
  /** A watch is being opened at `resourceVersion`. */
  | 'opening'
  /** The watch is open; events move `resourceVersion`. */
  | 'watching'
  /** Back-off; `afterWait` says what follows. */
  | 'waiting';

export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** Newest version seen; empty before the first list. Never goes back, except to a restored server (see `staleSinceMs`). */
  readonly resourceVersion: string;
  /** Nothing older may be taken in, though the watch is not there yet: what a repair of the cache has read. */
  readonly floor: string;
  /** The server said that it can't serve `resourceVersion`: the next list asks for the most recent state. */
  readonly unavailable: boolean;
  /** Lists by streaming, until the server shows that it can't. */
  readonly streaming: boolean;
  /** Streamed lists that failed in a row: a plain list is tried then, whatever the reason. */
  readonly streamFailures: number;
  /** Failures in a row; two minutes without one end the run. */
  readonly failures: number;
  readonly failedAtMs: number;
  /** What follows a wait. */
  readonly afterWait: 'start' | 'open';
  readonly openedAtMs: number;
  readonly events: number;
  /** How long a watch that fails with 500 InternalError is opened again before a new list; milliseconds. */
  readonly internalErrorRetryMs: number;
  /** Since when the watch fails with 500 InternalError and nothing else; undefined when it does not. */
  readonly internalErrorSinceMs: number | undefined;
  /** The server does not serve the resource: it is looked for more often than a failing server is asked. */
  readonly missing: boolean;
  /** Since when consistent lists answer older states than seen; undefined when they don't. */
  readonly staleSinceMs: number | undefined;
}

export type ReflectorInput =
  | { readonly type: 'start' }
  | { readonly type: 'waited' }
  | { readonly type: 'listed'; readonly resourceVersion: string }
  | { readonly type: 'list-failed'; readonly error: unknown }
  | { readonly type: 'watch-opened' }
  /** The server did not accept the watch, or could not be reached. */
  | { readonly type: 'watch-refused'; readonly error: unknown }
  | { readonly type: 'changed'; readonly resourceVersion: string; readonly deleted?: boolean }
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  /** The server ended the stream, or the connection broke. */
  | { readonly type: 'watch-ended'; readonly error?: unknown }
  /** A streamed list has been silent for too long: the server may not know of streaming. */
  | { readonly type: 'stalled' };

export type ReflectorEffect =
  /** Lists; an empty version asks for the most recent state. */
  | { readonly do: 'list'; readonly resourceVersion: string }
  /** Opens a watch that starts with the content. */
  | { readonly do: 'stream-list'; readonly resourceVersion: string }
  | { readonly do: 'open-watch'; readonly resourceVersion: string }
  /** Takes the next event of the open watch. */
  | { readonly do: 'next' }
  | { readonly do: 'close-watch' }
  /** The content listed or streamed becomes the cache's. */
  | { readonly do: 'replace'; readonly resourceVersion: string }
  /** The streamed object belongs to the content being listed. */
  | { readonly do: 'collect' }
  /** The change goes to the FIFO. */
  | { readonly do: 'apply' }
  | { readonly do: 'progress'; readonly resourceVersion: string }
  /** The change is older than what was seen and is dropped. */
  | { readonly do: 'drop' }
  | { readonly do: 'report'; readonly error: unknown }
  /** Waits for `delayMs`, lengthened by up to the same again at random, and at least for `leastMs`, lengthened by up to a fifth. */
  | { readonly do: 'wait'; readonly delayMs: number; readonly leastMs: number };

export interface ReflectorStep {
  readonly state: ReflectorState;
  readonly effects: readonly ReflectorEffect[];
}
