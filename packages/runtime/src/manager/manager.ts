// Runs the parts of a process in order (spec/client.md §7.4): caches, what every replica does, and, once elected, the controllers; stops them
// in the opposite order. It listens to no signal of the operating system and serves nothing: `cli` does.

import { type Env, Scope } from '@homeostat/base';
import type { Controller } from '../controller/controller.ts';
import type { InformerFactory } from '../informer/informer-factory.ts';
import type { LeaderElector } from '../leader-election/leader-election-options.ts';
import { LeadershipLostError } from '../leader-election/leadership.ts';
import { type HealthCheck, type HealthReport, reportHealth } from './health.ts';

/** Something that lives as long as the manager. */
export interface Runnable {
  readonly name: string;
  /** Ends when `signal` aborts. `kill` aborts when no time is left. */
  run(options: { readonly signal: AbortSignal; readonly kill: AbortSignal }): Promise<void>;
}

export interface ManagerOptions {
  readonly env: Env;
  readonly informers?: InformerFactory;
  /** Absent: this process leads at once. */
  readonly election?: LeaderElector;
  /** How long parts may take to end after a stop, milliseconds; default 30 s. */
  readonly graceMs?: number;
}

export interface AddRunnableOptions {
  /** `leader` (default): runs while this process leads. `always`: on every replica. `services`: before all others, to the end. */
  readonly group?: 'services' | 'always' | 'leader';
}

/** Runs parts in order; `run` once. */
export interface Manager {
  /** Adds a part; while the manager runs, it is started when its group is. @throws Error after the stop has begun. */
  add(runnable: Runnable, options?: AddRunnableOptions): void;
  addController(controller: Controller): void;
  addHealthCheck(name: string, check: HealthCheck): void;
  addReadyCheck(name: string, check: HealthCheck): void;
  health(): HealthReport;
  ready(): HealthReport;
  /** Whether this process leads, or needs no election. */
  readonly elected: boolean;
  /**
   * Runs until `signal` aborts and all parts have ended.
   * @throws what a part threw, LeadershipLostError, or an error when parts did not end in the grace time.
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

type GroupName = 'services' | 'always' | 'leader';

/** Creates a manager; it starts nothing. */
export function createManager(options: ManagerOptions): Manager {
  return new ManagerRunner(options);
}

class ManagerRunner implements Manager {
  readonly #options: ManagerOptions;
  readonly #groups: Readonly<Record<GroupName, Group>>;
  readonly #healthChecks = new Map<string, HealthCheck>();
  readonly #readyChecks = new Map<string, HealthCheck>();
  readonly #kill = new AbortController();
  #state: 'new' | 'running' | 'stopping' = 'new';

  constructor(options: ManagerOptions) {
    this.#options = options;
    const group = (): Group => new Group(this.#kill.signal);
    this.#groups = { services: group(), always: group(), leader: group() };
    const { election, informers } = options;
    if (election !== undefined) this.#healthChecks.set('leaderElection', () => election.check(20_000));
    if (informers !== undefined) {
      this.#readyChecks.set('informer-sync', () => {
        const unsynced = this.#groups.leader.started || this.#groups.always.started ? informers.unsynced() : [];
        return unsynced.length === 0
          ? undefined
          : `${unsynced.length} informers not started yet: ${unsynced.join(', ')}`;
      });
    }
  }

  get elected(): boolean {
    return this.#groups.leader.started;
  }

  add(runnable: Runnable, { group = 'leader' }: AddRunnableOptions = {}): void {
    if (this.#state === 'stopping') throw new Error("can't accept new runnable as stop procedure is already engaged");
    this.#groups[group].add(runnable);
  }

  addController(controller: Controller): void {
    this.add(controller);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#healthChecks.set(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#readyChecks.set(name, check);
  }

  health(): HealthReport {
    return reportHealth(this.#healthChecks);
  }

  ready(): HealthReport {
    return reportHealth(this.#readyChecks);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#state !== 'new') throw new Error('a manager was run twice');
    this.#state = 'running';
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const fail = (error: unknown): void => failed.abort(error);
    const { services, always, leader } = this.#groups;
    for (const group of [services, always, leader]) group.onFailure = fail;

    services.start();
    const caches = new Scope();
    const { informers } = this.#options;
    if (informers !== undefined) {
      caches.spawn('informers', (inner) => informers.run({ signal: inner }).catch(fail));
    }
    if (!stop.aborted) always.start();
    const leading = this.#runLeaders(stop).catch(fail);
    await untilAborted(stop);
    this.#state = 'stopping';
    const lost = failed.signal.reason instanceof LeadershipLostError;
    await this.#stopAll(caches, leading, lost ? 0 : (this.#options.graceMs ?? 30_000));
    if (failed.signal.aborted) throw failed.signal.reason;
  }

  async #runLeaders(stop: AbortSignal): Promise<void> {
    const { leader } = this.#groups;
    const lead = async (signal: AbortSignal): Promise<void> => {
      // A stop that came first keeps leader-only parts from ever starting.
      if (signal.aborted) return;
      leader.start();
      await untilAborted(signal);
      if (signal.reason instanceof LeadershipLostError) this.#kill.abort(signal.reason);
      await leader.stop();
    };
    const { election } = this.#options;
    await (election === undefined ? lead(stop) : election.run({ signal: stop, lead }));
  }

  /** Leaders first, then what every replica does, then caches, then services; all within the grace time. */
  async #stopAll(caches: Scope, leading: Promise<void>, graceMs: number): Promise<void> {
    const { env } = this.#options;
    const ended = new AbortController();
    let late = false;
    const timer = env.clock.setTimer(graceMs, () => {
      late = true;
      this.#kill.abort(new Error('the grace time of the stop is over'));
      ended.abort();
    });
    const stopping = (async () => {
      await leading;
      await this.#groups.always.stop();
      await caches.close();
      await this.#groups.services.stop();
      ended.abort();
    })();
    // After the grace time parts get one more moment to heed `kill`; then the process ends without them.
    await untilAborted(ended.signal);
    timer.cancel();
    if (!late) return stopping;
    await Promise.race([stopping, env.clock.sleep(killGraceMs)]);
    if (graceMs > 0)
      throw new Error(`failed waiting for all runnables to end within grace period of ${graceMs / 1000}s`);
  }
}

const killGraceMs = 100;

/** Parts that start and stop together. */
class Group {
  readonly #kill: AbortSignal;
  readonly #waiting: Runnable[] = [];
  readonly #scope = new Scope();
  started = false;
  onFailure: (error: unknown) => void = () => {};

  constructor(kill: AbortSignal) {
    this.#kill = kill;
  }

  add(runnable: Runnable): void {
    if (this.started) this.#spawn(runnable);
    else this.#waiting.push(runnable);
  }

  start(): void {
    this.started = true;
    for (const runnable of this.#waiting.splice(0)) this.#spawn(runnable);
  }

  async stop(): Promise<void> {
    await this.#scope.close();
  }

  #spawn(runnable: Runnable): void {
    this.#scope.spawn(runnable.name, async (signal) => {
      try {
        await runnable.run({ signal, kill: this.#kill });
      } catch (error) {
        // One part's failure stops the manager, in order; it does not tear down its neighbours.
        if (!signal.aborted) this.onFailure(error);
      }
    });
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
