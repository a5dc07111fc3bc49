// What readers of the journal get: plain data that is theirs to keep, and JSON as it stands.

import type { ObjectKey } from '@homeostat/client';
import type { Json } from '@homeostat/machinery';
import type { ReconcileOutcome } from '../controller/reconcile-metrics.ts';
import type { RunReason } from '../controller/run-reasons.ts';
import type { RunEntry, WriteEntry } from './journal-entry.ts';
import type { RunLog } from './run-log.ts';

export interface JournalRun {
  /** Rises with every run of the process. */
  readonly id: number;
  readonly controller: string;
  readonly key: ObjectKey;
  /** Of the key's object as the cache had it when the run started. */
  readonly uid?: string;
  /** What woke it; `causedBy`: the run whose write a change shows, and the place of it among that run's writes. */
  readonly reasons: readonly (RunReason & { readonly causedBy?: { readonly run: number; readonly write: number } })[];
  readonly reasonsDropped: number;
  /** `outside` an event that no kept run wrote, time, or a call; `self` only writes of runs; `again` a retry or another look. */
  readonly origin: RunEntry['origin'];
  readonly attempt: number;
  /** Wall clock, epoch milliseconds. */
  readonly startedMs: number;
  /** Absent while it runs. */
  readonly durationMs?: number;
  readonly outcome?: ReconcileOutcome;
  readonly error?: string;
  /** The first 32. */
  readonly writes: readonly JournalWrite[];
  readonly writesDropped: number;
}

export interface JournalWrite {
  readonly verb: WriteEntry['verb'];
  readonly subresource?: string;
  /** `<resource>.<group>` */
  readonly resource: string;
  readonly object: ObjectKey;
  readonly uid?: string;
  /** The version answered. */
  readonly version?: string;
  /** Of the plan's action. */
  readonly reason?: string;
  readonly facts?: Readonly<Record<string, Json>>;
  /** Absent: not known. */
  readonly changed?: boolean;
  readonly error?: string;
  /** Ids of runs that its event woke, the first 16. */
  readonly woke: readonly number[];
}

export function viewRun(run: RunEntry, log: RunLog): JournalRun {
  return {
    id: run.id,
    controller: run.controller,
    key: run.key,
    ...given({ uid: run.uid }),
    reasons: run.reasons.reasons.map((reason) => {
      const write = log.writeBehind(reason);
      return write === undefined
        ? reason
        : { ...reason, causedBy: { run: write.run.id, write: write.run.writes.indexOf(write) } };
    }),
    reasonsDropped: run.reasons.dropped,
    origin: run.origin,
    attempt: run.attempt,
    startedMs: run.startedMs,
    ...given({
      durationMs: run.endedMs === undefined ? undefined : run.endedMs - run.startedMs,
      outcome: run.outcome,
      error: run.error,
    }),
    writes: run.writes.map(viewWrite),
    writesDropped: run.writesDropped,
  };
}

export function viewWrite(write: WriteEntry): JournalWrite {
  const { verb, subresource, resource, object, uid, version, reason, facts, changed, error, woke = [] } = write;
  return {
    verb,
    resource,
    object,
    ...given({ subresource, uid, version, reason, facts, changed, error }),
    woke: [...woke],
  };
}

/** The fields that are there. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
