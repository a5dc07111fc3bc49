// What a manager runs: the port between it and its parts.

import type { Leadership } from '../leader-election/leadership.ts';

export interface RunContext {
  /** Aborts when the part is to end; what it has begun may be finished. */
  readonly signal: AbortSignal;
  /** Aborts when no time is left. */
  readonly kill: AbortSignal;
  /** In the leader group of a manager that elects: the right to act. Writes should go through `createLeaderClient`; controllers do so. */
  readonly leadership?: Leadership;
}

/** Something that lives as long as the manager. */
export interface Runnable {
  readonly name: string;
  /** Ends when `signal` aborts. An earlier end, or an error, stops the manager; see {@link mayEnd}. */
  run(context: RunContext): Promise<void>;
  /** It has an end of its own, as a migration has: that stops nobody. Default false. */
  readonly mayEnd?: boolean;
  /** Leader group only: gets ready while another process leads, e.g. fills caches. Ends by itself or when `signal` aborts, and writes nothing. */
  warmUp?(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Why it does not do its work now, for the readiness check of its name; undefined when it does. Not asked before it is started. */
  check?(): string | undefined;
  /** A picture for the diagnostics page, as JSON. */
  status?(): unknown;
}

/** In the order of start; the stop goes the other way. */
export const runnableGroups = ['services', 'webhooks', 'always', 'leader'] as const;

/**
 * When a part runs. `services`: before all others and to the very end (HTTP servers, event recorders). `webhooks`: next, since the API server
 * may call them for what the others write. Then caches. `always`: on every replica, once the caches that were asked for before the start are filled (those of resources that the
 * server does not serve are not waited for). `leader`: while this process leads; controllers wait for the caches they need by themselves.
 */
export type RunnableGroupName = (typeof runnableGroups)[number];
