// What the journal keeps of a run and of a write. Entries grow until their run has ended, then they stay as they are until they are
// pushed out; readers get copies (`journal-view.ts`).

import type { ObjectKey } from '@homeostat/client';
import type { Json } from '@homeostat/machinery';
import type { ReconcileOutcome } from '../controller/reconcile-metrics.ts';
import type { RunReasons } from '../controller/run-reasons.ts';
import type { Chain } from './loop-chain.ts';

export interface RunEntry {
  readonly id: number;
  readonly controller: string;
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  readonly reasons: RunReasons;
  readonly attempt: number;
  /** Wall clock, epoch milliseconds. */
  readonly startedMs: number;
  /** Undefined while it runs. */
  endedMs: number | undefined;
  outcome: ReconcileOutcome | undefined;
  error: string | undefined;
  writes: WriteEntry[];
  /** Further ones that are not kept. */
  writesDropped: number;
  /**
   * What led to it: `outside` an event that no run of this process wrote, time, or a call; `self` only writes of runs; `again` a retry, or
   * another look for the sake of the runtime.
   */
  origin: 'outside' | 'self' | 'again';
  chain: Chain;
  /**
   * How often its key has run on the way that led to it, this run included; of several ways the one with the fewest. A loop leads through
   * its own last run; many answers to one run do not.
   */
  visits: number;
  /** Of a run whose origin is `self`: the run whose write woke it last; `again`: the run of the key before. */
  cause: RunEntry | undefined;
  /** Runs of the same key before and after it that are still kept. */
  previous: RunEntry | undefined;
  next: RunEntry | undefined;
}

export interface WriteEntry {
  readonly run: RunEntry;
  readonly verb: 'create' | 'update' | 'patch' | 'delete' | 'other';
  readonly subresource: string | undefined;
  /** `<resource>.<group>` */
  readonly resource: string;
  object: ObjectKey;
  /** Of the plan's action that it was made for. */
  readonly reason: string | undefined;
  readonly facts: Readonly<Record<string, Json>> | undefined;
  uid: string | undefined;
  /** Answered; undefined when the object is gone, or nothing is known. */
  version: string | undefined;
  /** Whether the object is another than before; undefined when that is not known. */
  changed: boolean | undefined;
  error: string | undefined;
  /** False for one of too many of its run. */
  readonly kept: boolean;
  /** Ids of runs that its event woke, the first {@link wokeMax}. */
  woke: number[] | undefined;
}

/** Runs that one write is known to have woken, at most. */
export const wokeMax = 16;

/** Writes kept of one run; of more, the first. */
export const writesMax = 32;
