// What a controller is given to run with, and what it tells those who watch it: types only.

import type { Env } from '@homeostat/base';
import type { Client, ObjectKey } from '@homeostat/client';
import type { InformerFactory } from '../informer/informer-factory.ts';
import type { QueueContents } from '../workqueue/queue-contents.ts';
import type { ActionRecord } from './act.ts';
import type { EventAction } from './plan.ts';
import type { ReconcileOutcome } from './reconcile-metrics.ts';
import type { Observe } from './run-observer.ts';
import type { RunReasons, WakeCause } from './run-reasons.ts';

export interface ControllerDependencies {
  readonly client: Client;
  /**
   * Reads what caches do not show yet; default {@link client}. It needs the rights of the informers (list), which a controller's own
   * account may lack.
   */
  readonly reader?: Client;
  readonly env: Env;
  readonly informers: InformerFactory;
  /** Takes the events of plans, e.g. an event recorder's `recordAction`. */
  readonly recordEvent?: (action: EventAction, source: string) => void;
  /** Hears of every action carried out: what `why` shows. */
  readonly onAction?: (
    record: ActionRecord & {
      readonly controller: string;
      readonly key: ObjectKey;
      readonly wokenBy?: WakeCause;
      readonly reasons: RunReasons;
    },
  ) => void;
  /** Hears of every run when it has ended. */
  readonly onRun?: (record: RunRecord) => void;
  /** What follows its runs from outside: a journal's `observe`, a shadow's. */
  readonly observers?: readonly Observe[];
  /** How long a key waits for its own writes to show before it reads live, milliseconds; default 10 s. */
  readonly fenceLimitMs?: number;
  /** Actions of one step under way at once; default 64. */
  readonly parallelMax?: number;
  /** All writes become dry runs. */
  readonly dryRun?: boolean;
}

/** One run of one key. Times are wall clock, epoch milliseconds. */
export interface RunRecord {
  readonly controller: string;
  readonly key: ObjectKey;
  /** What led to it; bounded. */
  readonly reasons: RunReasons;
  /** 1, or one more for every failure in a row before it. */
  readonly attempt: number;
  readonly outcome: ReconcileOutcome;
  readonly error?: Error;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Writes sent, dry runs not counted. */
  readonly writes: number;
  /** It read live what its caches did not show yet. */
  readonly live: boolean;
}

/** A moment's picture of a controller, for diagnostics. */
export interface ControllerStatus {
  readonly name: string;
  readonly synced: boolean;
  /** What can't be read yet, in words: caches that are not filled, optional resources that are not served. */
  readonly missing: readonly string[];
  readonly queue: QueueContents;
  /** Keys whose writes have not been seen yet. */
  readonly fencedKeys: number;
  readonly running: readonly {
    readonly key: ObjectKey;
    /** How long already, milliseconds. */
    readonly forMs: number;
    readonly reasons: RunReasons;
    readonly writes: number;
  }[];
}
