// Finds keys whose runs cause themselves, and makes them rest. It counts, per key, the runs in a row that follow from one chain of writes and
// write again; and it watches objects of such chains come back to former states. Work is never dropped: a key that rests runs later.

import { type Env, LruMap } from '@homeostat/base';
import { type Finding, loopFinding } from './finding.ts';
import type { RunEntry, WriteEntry } from './journal-entry.ts';
import type { Chain } from './loop-chain.ts';
import { keyId, objectId } from './run-log.ts';

export interface LoopOptions {
  /** Self-caused runs of a key in a row that are still thought well of; default 10. */
  readonly runsMax?: number;
  /** Within this time, milliseconds; default 60 s. */
  readonly windowMs?: number;
  /** How often an object may come back to a state it had within one chain; default 2. */
  readonly returnsMax?: number;
  /** The first rest, milliseconds; default 1 s. It doubles with every further self-caused run that writes. */
  readonly restMs?: number;
  /** The longest rest, milliseconds; default 5 min. */
  readonly restMaxMs?: number;
  /** Hears of every finding, after it was logged. What it throws is logged. */
  readonly onFinding?: (finding: Finding) => void;
}

/** What is done about a controller's loops: default `damp`. */
export type LoopTreatment = 'damp' | 'report' | 'ignore';

interface Streak {
  readonly chain: Chain;
  epoch: number;
  count: number;
  sinceMs: number;
  /** Runs that wrote an object, by its id. */
  objects: Map<string, number>;
  reported: boolean;
}

interface Rest {
  readonly chain: Chain;
  readonly controller: string;
  readonly key: string;
  delayMs: number;
  notBeforeMs: number;
}

/** Keys followed at once; of more, the one that has been quiet longest is forgotten: it counts from the start, or runs undelayed. */
const keysMax = 4096;
const objectsMax = 16;
/** A chain that writes something new in every run is given this many times as many runs. */
const progressFactor = 10;

export class LoopBreaker {
  readonly #env: Env;
  readonly #limits: Required<Omit<LoopOptions, 'onFinding'>>;
  readonly #report: (finding: Finding) => void;
  readonly #streaks = new LruMap<string, Streak>(keysMax);
  readonly #resting = new LruMap<string, Rest>(keysMax);

  constructor(env: Env, options: LoopOptions, report: (finding: Finding) => void) {
    this.#env = env;
    this.#report = report;
    const { runsMax = 10, windowMs = 60_000, returnsMax = 2, restMs = 1_000, restMaxMs = 300_000 } = options;
    this.#limits = { runsMax, windowMs, returnsMax, restMs, restMaxMs };
  }

  /** Whether it follows no key: then nothing needs to be asked or told. */
  get isIdle(): boolean {
    return this.#streaks.size === 0 && this.#resting.size === 0;
  }

  /** How long a key must rest, milliseconds. */
  restMs(id: string): number {
    if (this.#resting.size === 0) return 0;
    const rest = this.#resting.get(id);
    return rest === undefined ? 0 : Math.max(0, rest.notBeforeMs - this.#env.clock.monotonicMs());
  }

  /** Something from outside has touched a key. */
  release(id: string): void {
    if (this.#streaks.size > 0) this.#streaks.delete(id);
    if (this.#resting.size === 0) return;
    const rest = this.#resting.get(id);
    if (rest === undefined) return;
    rest.chain.damped--;
    this.#resting.delete(id);
  }

  /** Keys that rest. */
  resting(): readonly {
    readonly controller: string;
    readonly key: string;
    readonly delayMs: number;
    readonly forMs: number;
  }[] {
    const nowMs = this.#env.clock.monotonicMs();
    for (const [id, { notBeforeMs, delayMs }] of this.#resting.entries()) {
      // It could have run for a while and was not woken: the loop has ended.
      if (nowMs > notBeforeMs + delayMs) this.release(id);
    }
    return Array.from(this.#resting.entries(), ([, { controller, key, delayMs, notBeforeMs }]) => ({
      controller,
      key,
      delayMs,
      forMs: Math.max(0, notBeforeMs - nowMs),
    }));
  }

  /** A run has ended. */
  ended(run: RunEntry, treatment: LoopTreatment): void {
    if (run.origin === 'outside' && this.isIdle) return;
    const id = keyId(run.controller, run.key);
    if (run.origin === 'outside') {
      this.release(id);
      return;
    }
    // A run that wrote nothing does not keep a loop going.
    if (run.origin !== 'self' || treatment === 'ignore' || !run.writes.some(mayHaveChanged)) return;
    const nowMs = this.#env.clock.monotonicMs();
    const rest = this.#resting.get(id);
    if (rest?.chain === run.chain) {
      rest.delayMs = Math.min(rest.delayMs * 2, this.#limits.restMaxMs);
      rest.notBeforeMs = nowMs + rest.delayMs;
      return;
    }
    // It came back in another chain: something from outside is behind that one.
    if (rest !== undefined) this.release(id);
    const streak = this.#count(id, run, nowMs);
    const kind = this.#judge(streak, run);
    if (kind === undefined || streak.reported) return;
    streak.reported = true;
    const { count, sinceMs } = streak;
    const damped = treatment === 'damp';
    if (damped) this.#rest(id, run, nowMs);
    run.chain.epoch++;
    run.chain.forgetContents();
    const atMs = this.#env.clock.nowMs();
    this.#report(loopFinding({ kind, run, count, sinceMs: atMs - (nowMs - sinceMs), atMs, damped }));
  }

  #count(id: string, run: RunEntry, nowMs: number): Streak {
    const { chain } = run;
    let streak = this.#streaks.get(id);
    const isOver = streak !== undefined && (streak.chain !== chain || nowMs - streak.sinceMs > this.#limits.windowMs);
    // A finding about another key of the chain may have ended this one's part in it.
    const startsAfresh = streak !== undefined && !streak.reported && streak.epoch !== chain.epoch;
    if (streak === undefined || isOver || startsAfresh) {
      const reported = streak?.chain === chain && streak.reported;
      streak = { chain, epoch: chain.epoch, count: 0, sinceMs: nowMs, objects: new Map(), reported };
      this.#streaks.set(id, streak);
    }
    streak.count++;
    for (const object of new Set(run.writes.filter(mayHaveChanged).map(objectOf))) {
      const times = streak.objects.get(object) ?? 0;
      if (times > 0 || streak.objects.size < objectsMax) streak.objects.set(object, times + 1);
    }
    return streak;
  }

  #judge({ count, objects, chain }: Streak, run: RunEntry): 'self-triggering' | 'oscillation' | undefined {
    const { runsMax, returnsMax } = this.#limits;
    const returned = run.writes.some((write) => chain.returnsOf(objectOf(write)) > returnsMax);
    if (chain.damped === 0 && returned) return 'oscillation';
    // Many answers to one run are no loop: the way to each leads past the others.
    if (run.visits <= runsMax) return undefined;
    if (count > runsMax * progressFactor) return 'self-triggering';
    return Math.max(0, ...objects.values()) > runsMax ? 'self-triggering' : undefined;
  }

  #rest(id: string, { chain, controller, key }: RunEntry, nowMs: number): void {
    const { restMs } = this.#limits;
    chain.damped++;
    this.#resting.set(id, { chain, controller, key, delayMs: restMs, notBeforeMs: nowMs + restMs });
  }
}

function mayHaveChanged({ changed, error }: WriteEntry): boolean {
  return changed !== false && error === undefined;
}

function objectOf({ resource, object }: WriteEntry): string {
  return objectId(resource, object);
}
