// What a loop breaker finds, as data and in words.

import type { ObjectKey } from '@homeostat/client';
import { controllersOf, cycleOf, describeCycle } from './cycle.ts';
import type { RunEntry } from './journal-entry.ts';

export type FindingKind =
  /** A key is woken again and again by nothing but writes of this process, its own among them. */
  | 'self-triggering'
  /** The same, and what is written comes back to a state it had. */
  | 'oscillation'
  /** Writes that change nothing. */
  | 'no-op-writes';

export interface Finding {
  readonly kind: FindingKind;
  readonly controller: string;
  /** The key that is damped; for no-op writes the latest. */
  readonly key: ObjectKey;
  /** Wall clock, epoch milliseconds. */
  readonly atMs: number;
  /** Runs in a row, or writes. */
  readonly count: number;
  /** Controllers that take part, this one first. */
  readonly controllers: readonly string[];
  /** Its latest run; `journal.chain` shows how it came about. */
  readonly run: number;
  /** Of no-op writes: the reason of the plan's action; empty for plain reconciles. */
  readonly reason?: string;
  /** One sentence. */
  readonly message: string;
  /** Whether the key's self-caused runs are delayed from now on. */
  readonly damped: boolean;
}

/** A finding about a run that is one too many. */
export function loopFinding(options: {
  readonly kind: 'self-triggering' | 'oscillation';
  readonly run: RunEntry;
  readonly count: number;
  readonly sinceMs: number;
  readonly atMs: number;
  readonly damped: boolean;
}): Finding {
  const { kind, run, count, sinceMs, atMs, damped } = options;
  const cycle = cycleOf(run);
  const seconds = Math.max(0, (atMs - sinceMs) / 1000);
  const what =
    kind === 'oscillation'
      ? 'what is written comes back to a state it had'
      : 'its runs are woken by nothing but writes';
  const message = `${run.controller} ${run.key}: ${what}, ${count} runs in ${seconds} s without an event from outside: ${describeCycle(cycle)}`;
  return {
    kind,
    controller: run.controller,
    key: run.key,
    atMs,
    count,
    controllers: controllersOf(run, cycle),
    run: run.id,
    message,
    damped,
  };
}
