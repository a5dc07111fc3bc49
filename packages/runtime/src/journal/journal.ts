// The journal of a process: event → key → run → writes → the events that come back, over all controllers that it observes, in bounded memory.
// It answers why an object is as it is, and finds and slows down loops (`loop-breaker.ts`). It never changes what a run does.

import type { Env } from '@homeostat/base';
import { keyOf, type ObjectKey } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import { fenceId, type SentWrite, type WriteResult } from '../controller/fenced-client.ts';
import type { Action } from '../controller/plan.ts';
import type { ControllerObserver, Observe, RunObserver, StartedRun } from '../controller/run-observer.ts';
import type { RunReason } from '../controller/run-reasons.ts';
import { toRunError } from '../controller/run-failure.ts';
import type { Finding } from './finding.ts';
import { visitsBefore } from './cycle.ts';
import { type RunEntry, type WriteEntry, writesMax } from './journal-entry.ts';
import { type JournalRun, viewRun } from './journal-view.ts';
import { LoopBreaker, type LoopOptions, type LoopTreatment } from './loop-breaker.ts';
import { Chain } from './loop-chain.ts';
import { NoOpWrites } from './no-op-writes.ts';
import { keyId, objectId, RunLog } from './run-log.ts';
import { chainOf, type RunChain, type Why, whyOf } from './why.ts';

export interface JournalOptions {
  readonly env: Env;
  /** Runs kept; of more, the oldest are pushed out. Default 2,000, which take about 2 MB. */
  readonly runsMax?: number;
  readonly loops?: LoopOptions;
}

/** What controllers did, and why. */
export interface Journal {
  /** For {@link ControllerDependencies.observers}. A controller belongs to one journal. */
  readonly observe: Observe;
  /** The last write that changed an object, and what led to it; undefined when no kept run made one. */
  why(resource: { readonly group: string; readonly resource: string }, object: ObjectKey): Why | undefined;
  /** A run with all that led to it and all that came of it. */
  chain(run: number): RunChain | undefined;
  /** Recent runs, newest first; `controller` and `key` narrow them, `limit` is 20 by default. */
  runs(options?: {
    readonly controller?: string;
    readonly key?: ObjectKey;
    readonly limit?: number;
  }): readonly JournalRun[];
  /** The latest 64, oldest first. */
  readonly findings: readonly Finding[];
  /** Keys whose self-caused runs are delayed now. */
  resting(): ReturnType<LoopBreaker['resting']>;
  /** For diagnostics: findings, keys that rest, writes that changed nothing, the latest runs. */
  picture(): JournalPicture;
}

export interface JournalPicture {
  readonly findings: readonly Finding[];
  readonly resting: ReturnType<LoopBreaker['resting']>;
  /** Writes that changed nothing, by controller and reason. */
  readonly noOpWrites: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The latest 100, newest first. */
  readonly runs: readonly JournalRun[];
}

const headlines = {
  'self-triggering': 'a key causes its own runs',
  oscillation: 'what is written goes back and forth',
  'no-op-writes': 'a controller makes writes that change nothing',
} as const;
const runsMaxDefault = 2_000;
const findingsMax = 64;
const pictureRuns = 100;

/**
 * Creates a journal; give its `observe` to controllers, or use `createOperator`, which does.
 *
 * @example
 * const journal = createJournal({ env });
 * createController(definition, { client, env, informers, observers: [journal.observe] });
 * manager.addDiagnosis('journal', () => journal.picture());
 * console.log(renderWhy(journal.why(deployments, toKey('default', 'web'))!));
 */
export function createJournal(options: JournalOptions): Journal {
  return new JournalKeeper(options);
}

class JournalKeeper implements Journal {
  readonly #env: Env;
  readonly #log: RunLog;
  readonly #breaker: LoopBreaker;
  readonly #noOps: NoOpWrites;
  readonly #findings: Finding[] = [];
  readonly #onFinding: LoopOptions['onFinding'];

  constructor({ env, runsMax = runsMaxDefault, loops = {} }: JournalOptions) {
    this.#env = env;
    this.#log = new RunLog(Math.max(1, runsMax));
    this.#onFinding = loops.onFinding;
    const report = this.#reporter();
    this.#breaker = new LoopBreaker(env, loops, report);
    const { runsMax: noOpsMax = 10, windowMs = 60_000 } = loops;
    this.#noOps = new NoOpWrites(env, { writesMax: noOpsMax, windowMs }, report);
    const resting = env.metrics.gauge({
      name: 'homeostat_runtime_damped_keys',
      help: 'Keys whose self-caused runs are delayed',
      labelNames: [],
    });
    env.metrics.onCollect(() => resting.set(this.#breaker.resting().length));
  }

  readonly observe: Observe = (definition) => new JournalObserver(definition, this.#log, this.#breaker, this.#noOps);

  why(resource: { readonly group: string; readonly resource: string }, object: ObjectKey): Why | undefined {
    return whyOf(this.#log, fenceId(resource), object);
  }

  chain(run: number): RunChain | undefined {
    return chainOf(this.#log, run);
  }

  runs({ controller, key, limit = 20 }: Parameters<Journal['runs']>[0] = {}): readonly JournalRun[] {
    const found: JournalRun[] = [];
    const take = (run: RunEntry): void => void found.push(viewRun(run, this.#log));
    if (controller !== undefined && key !== undefined) {
      let run = this.#log.latestOf(controller, key);
      for (; run !== undefined && found.length < limit; run = run.previous) take(run);
      return found;
    }
    for (const run of this.#log.newest()) {
      if (found.length >= limit) break;
      if ((controller ?? run.controller) === run.controller && (key ?? run.key) === run.key) take(run);
    }
    return found;
  }

  get findings(): readonly Finding[] {
    return [...this.#findings];
  }

  resting(): ReturnType<LoopBreaker['resting']> {
    return this.#breaker.resting();
  }

  picture(): JournalPicture {
    return {
      findings: this.findings,
      resting: this.resting(),
      noOpWrites: this.#noOps.totals(),
      runs: this.runs({ limit: pictureRuns }),
    };
  }

  #reporter(): (finding: Finding) => void {
    const { metrics, log } = this.#env;
    const counter = metrics.counter({
      name: 'homeostat_runtime_loop_findings_total',
      help: 'Loops and no-op writes found, by controller and kind',
      labelNames: ['controller', 'kind'],
    });
    return (finding) => {
      const { controller, kind, key, run, damped, message } = finding;
      this.#findings.push(finding);
      if (this.#findings.length > findingsMax) this.#findings.shift();
      counter.inc({ controller, kind });
      log.warn(`${headlines[kind]}${damped ? ': it is damped' : ''}`, { kind, controller, key, run, chain: message });
      try {
        this.#onFinding?.(finding);
      } catch (error) {
        log.error('onFinding failed', { error });
      }
    };
  }
}

/** Keys that never run any more (cancelled, out of scope) must not pile up. */
const touchedMax = 100_000;

/** One controller's. */
class JournalObserver implements ControllerObserver {
  readonly #controller: string;
  readonly #treatment: LoopTreatment;
  readonly #log: RunLog;
  readonly #breaker: LoopBreaker;
  readonly #noOps: NoOpWrites;
  /** Keys that something from outside has woken since their last run started; of too many, the first are forgotten. */
  readonly #touched = new Set<ObjectKey>();

  constructor({ name, loops = 'damp' }: ControllerDefinition, log: RunLog, breaker: LoopBreaker, noOps: NoOpWrites) {
    this.#controller = name;
    this.#treatment = loops;
    this.#log = log;
    this.#breaker = breaker;
    this.#noOps = noOps;
  }

  woken(key: ObjectKey, reason: RunReason): void {
    const isOurs = this.#log.writeBehind(reason) !== undefined || this.#log.writeUnderWay(reason) !== undefined;
    if (isOurs) return;
    this.#touched.add(key);
    if (this.#touched.size > touchedMax) for (const first of this.#touched.keys().take(1)) this.#touched.delete(first);
    if (!this.#breaker.isIdle) this.#breaker.release(keyId(this.#controller, key));
  }

  restMs(key: ObjectKey): number {
    return this.#breaker.isIdle ? 0 : this.#breaker.restMs(keyId(this.#controller, key));
  }

  started({ key, uid, reasons, attempt, startedMs }: StartedRun): RunObserver {
    const log = this.#log;
    const run: RunEntry = {
      id: log.nextId(),
      controller: this.#controller,
      key,
      uid,
      reasons,
      attempt,
      startedMs,
      endedMs: undefined,
      outcome: undefined,
      error: undefined,
      writes: [],
      writesDropped: 0,
      origin: 'outside',
      chain: noChain,
      visits: 1,
      cause: undefined,
      previous: undefined,
      next: undefined,
    };
    this.#place(run, this.#touched.delete(key));
    log.add(run);
    for (const reason of reasons.reasons) log.woke(run, reason);
    return new JournalRunObserver(run, log, this.#noOps, (ended) => this.#breaker.ended(ended, this.#treatment));
  }

  /** Decides what led to a run, and which chain it belongs to. */
  #place(run: RunEntry, touched: boolean): void {
    let cause: RunEntry | undefined;
    let again = false;
    let visits = Infinity;
    for (const reason of run.reasons.reasons) {
      const write = this.#log.writeBehind(reason) ?? this.#log.writeUnderWay(reason);
      if (write !== undefined) {
        if (cause === undefined || write.run.id > cause.id) cause = write.run;
        visits = Math.min(visits, visitsBefore(run, write.run) + 1);
      }
      if (reason.type === 'retry' || reason.type === 'unseen-write' || reason.type === 'superseded') again = true;
    }
    run.cause = cause;
    if (touched || (cause === undefined && !again)) {
      run.chain = new Chain();
      return;
    }
    if (cause !== undefined) {
      Object.assign(run, { origin: 'self', visits, chain: cause.chain });
      return;
    }
    // The run before is being finished.
    const before = this.#log.latestOf(run.controller, run.key);
    const { chain = new Chain(), visits: same = 1 } = before ?? {};
    Object.assign(run, { origin: 'again', visits: same, chain, cause: before });
  }
}

const noChain = new Chain();

class JournalRunObserver implements RunObserver {
  readonly #run: RunEntry;
  readonly #log: RunLog;
  readonly #noOps: NoOpWrites;
  readonly #onEnd: (run: RunEntry) => void;
  #action: Action | undefined;

  constructor(run: RunEntry, log: RunLog, noOps: NoOpWrites, onEnd: (run: RunEntry) => void) {
    this.#run = run;
    this.#log = log;
    this.#noOps = noOps;
    this.#onEnd = onEnd;
  }

  acting(action: Action | undefined): void {
    this.#action = action;
  }

  sending(sent: SentWrite, before: KubeObject | undefined): (result: WriteResult, error: unknown) => void {
    const run = this.#run;
    const action = this.#action;
    this.#action = undefined;
    const write: WriteEntry = {
      run,
      verb: sent.verb,
      subresource: sent.subresource,
      resource: sent.resource,
      object: sent.object,
      reason: action?.reason,
      facts: action?.facts,
      uid: before?.metadata?.uid,
      version: undefined,
      changed: undefined,
      error: undefined,
      kept: run.writes.length < writesMax,
      woke: undefined,
    };
    if (write.kept) run.writes.push(write);
    else run.writesDropped++;
    this.#log.sent(write);
    return (result, error) => this.#settled(write, before, result, error);
  }

  ended(record: Parameters<RunObserver['ended']>[0]): void {
    const run = this.#run;
    run.endedMs = record.endedMs;
    run.outcome = record.outcome;
    run.error = record.error?.message;
    this.#onEnd(run);
  }

  #settled(write: WriteEntry, before: KubeObject | undefined, result: WriteResult, error: unknown): void {
    const sentTo = write.object;
    let gone = false;
    if (result !== undefined && 'object' in result) {
      const { metadata } = result.object;
      write.uid = metadata?.uid;
      write.version = metadata?.resourceVersion;
      write.changed = before === undefined ? undefined : before.metadata?.resourceVersion !== write.version;
      // A name may have been generated.
      if (write.verb === 'create') Object.assign(write, { changed: true, object: keyOf(result.object) });
      // Who takes the last finalizer off, deletes.
      gone = metadata?.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
      if (write.changed === false) this.#noOps.add(write);
      else if (this.#run.origin === 'self')
        this.#run.chain.wrote(objectId(write.resource, write.object), result.object);
    } else if (result !== undefined) {
      write.uid = result.goneUid;
      write.changed = error === undefined;
      gone = true;
    } else if (error !== undefined) {
      write.error = toRunError(error).message;
    }
    this.#log.settled(write, sentTo, gone);
  }
}
