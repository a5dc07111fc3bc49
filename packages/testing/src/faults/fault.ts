// What can go wrong between a client and the API server, as data. Only what real networks and servers do: TCP neither reorders nor
// duplicates, and an answer with an error status means that the server did not act.

/** What a rule looks at. */
export interface FaultTarget {
  /** Who calls, as asserted by the in-process transport. */
  readonly user: string;
  readonly userAgent: string;
  /** `get list watch create update patch delete deletecollection`, or the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export type Fault =
  /** The server refuses; it did not act. 429 and 503 may say when to come back. */
  | {
      readonly kind: 'answer';
      readonly status: 403 | 409 | 410 | 429 | 500 | 503 | 504;
      readonly retryAfterSeconds?: number;
    }
  /** The connection breaks: before the server saw the request, or after it acted, so that the client can't know. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** The request reaches the server late, or the answer reaches the client late. */
  | { readonly kind: 'slow'; readonly delayMs: number; readonly when: 'before' | 'after' }
  /** A watch breaks after so many events; the connection is reset, or the stream just ends. */
  | { readonly kind: 'cut-watch'; readonly afterEvents: number; readonly how: 'reset' | 'end' }
  /** One event of a watch never comes: no real server does that, but caches have been found missing one. */
  | {
      readonly kind: 'swallow-event';
      readonly afterEvents: number;
      /** Counts events of this type alone. */
      readonly type?: 'ADDED' | 'MODIFIED' | 'DELETED';
    }
  /** Every event of the watch comes this much late, in order. */
  | { readonly kind: 'lag-watch'; readonly delayMs: number }
  /** A list or get that takes any cached state (`resourceVersion=0`) gets one that is this many revisions old. */
  | { readonly kind: 'stale-read'; readonly revisions: number };

export interface FaultRule {
  /** Default: every request. */
  readonly match?: (target: FaultTarget) => boolean;
  /** Share of the matching requests that are hit; default 1. Drawn from the seed. */
  readonly probability?: number;
  /** At most so many hits; default no limit. */
  readonly times?: number;
  /** The fault, or how to draw one. */
  readonly fault: Fault | ((random: { int(bound: number): number }) => Fault);
}

/** One fault that was injected. */
export interface InjectedFault {
  readonly atMs: number;
  readonly target: FaultTarget;
  readonly fault: Fault;
}
