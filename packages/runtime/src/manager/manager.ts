// Runs the parts of a process in order (spec/client.md §7.4): services, webhooks, caches, what every replica does, warm-ups, and, once
// elected, what leaders do; stops them in the opposite order. Sockets and signals of the operating system are in `@homeostat/runtime/node`.

import { aborted, type Env, Scope } from '@homeostat/base';
import type { Controller } from '../controller/controller.ts';
import type { InformerFactory } from '../informer/informer-factory.ts';
import type { Informer } from '../informer/informer.ts';
import type { LeaderElector } from '../leader-election/leader-election-options.ts';
import { LeadershipLostError } from '../leader-election/leadership.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';
import { type HealthCheck, type HealthReport, reportHealth } from './health.ts';
import type { Runnable, RunnableGroupName } from './runnable.ts';
import { RunnableEndedError, RunnableGroup } from './runnable-group.ts';

export interface ManagerOptions {
  readonly env: Env;
  readonly informers?: InformerFactory;
  /** Absent: this process leads at once. */
  readonly election?: LeaderElector;
  /** How long parts may take to end after a stop, milliseconds; default 30 s; 0 waits for none; Infinity for all. */
  readonly graceMs?: number;
}

export interface AddRunnableOptions {
  /** Default `leader`. */
  readonly group?: RunnableGroupName;
}

/** Runs parts in order; `run` once. */
export interface Manager {
  /** Adds a part; while the manager runs, it is started when its group is. @throws Error after the stop has begun. */
  add(runnable: Runnable, options?: AddRunnableOptions): void;
  /** Adds a controller to the leader group. @throws Error when there is one of that name. */
  addController(controller: Controller): void;
  addHealthCheck(name: string, check: HealthCheck): void;
  addReadyCheck(name: string, check: HealthCheck): void;
  /** Adds a picture of something to the diagnostics. */
  addDiagnosis(name: string, picture: () => unknown): void;
  health(): HealthReport;
  ready(): HealthReport;
  /** What is going on, as JSON: parts, queues, informers, leadership. O(keys). */
  diagnose(): Diagnosis;
  /** Whether this process leads, or needs no election. */
  readonly elected: boolean;
  /**
   * Runs until `signal` aborts and all parts have ended.
   * @throws what a part threw, RunnableEndedError, LeadershipLostError, or an error when parts did not end in the grace time.
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Creates a manager; it starts nothing. */
export function createManager(options: ManagerOptions): Manager {
  return new ManagerRunner(options);
}

class ManagerRunner implements Manager {
  readonly #options: ManagerOptions;
  readonly #groups: Readonly<Record<RunnableGroupName, RunnableGroup>>;
  readonly #healthChecks = new Map<string, HealthCheck>();
  readonly #readyChecks = new Map<string, HealthCheck>();
  readonly #controllerNames = new Set<string>();
  readonly #pictures = new Map<string, () => unknown>();
  readonly #kill = new AbortController();
  readonly #failed = new AbortController();
  readonly #warmUps = new Scope();
  #state: 'new' | 'running' | 'stopping' = 'new';

  constructor(options: ManagerOptions) {
    this.#options = options;
    const { election, informers } = options;
    const shared = { kill: this.#kill.signal, onFailure: (error: unknown) => this.#fail(error) };
    this.#groups = {
      services: new RunnableGroup(shared),
      webhooks: new RunnableGroup(shared),
      always: new RunnableGroup(shared),
      leader: new RunnableGroup({ ...shared, leadership: election }),
    };
    if (election !== undefined) this.#healthChecks.set('leaderElection', () => election.check(20_000));
    if (informers !== undefined) {
      this.#readyChecks.set('informer-sync', () => {
        const unsynced = this.#state === 'new' ? [] : informers.unsynced();
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
    const members = this.#groups[group];
    members.add(runnable);
    if (runnable.check !== undefined)
      this.addReadyCheck(runnable.name, () => (members.isRunning(runnable) ? runnable.check?.() : undefined));
    if (group === 'leader' && this.#state === 'running' && !members.started) this.#warmUp(runnable);
  }

  addController(controller: Controller): void {
    if (this.#controllerNames.has(controller.name))
      throw new Error(
        `there is a controller ${JSON.stringify(controller.name)} already: names tell metrics, checks and logs apart`,
      );
    this.add(controller);
    this.#controllerNames.add(controller.name);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#healthChecks.set(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#readyChecks.set(name, check);
  }

  addDiagnosis(name: string, picture: () => unknown): void {
    this.#pictures.set(name, picture);
  }

  health(): HealthReport {
    return reportHealth(this.#healthChecks);
  }

  ready(): HealthReport {
    return reportHealth(this.#readyChecks);
  }

  diagnose(): Diagnosis {
    const { informers, election } = this.#options;
    return diagnose({
      state: this.#state,
      elected: this.elected,
      groups: this.#groups,
      informers: informers?.informers() ?? [],
      election: election?.diagnose(),
      pictures: this.#pictures,
    });
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#state !== 'new') throw new Error('a manager was run twice');
    this.#state = 'running';
    const failed = this.#failed.signal;
    const stop = AbortSignal.any([signal, failed]);
    const { services, webhooks, always, leader } = this.#groups;

    services.start();
    webhooks.start();
    const caches = new Scope();
    const { informers } = this.#options;
    if (informers === undefined) always.start();
    else {
      caches.spawn('informers', (inner) => this.#runCaches(informers, inner));
      caches.spawn('what needs full caches', async () => {
        await untilFilled(informers.informers(), stop);
        if (!stop.aborted) always.start();
      });
    }
    for (const runnable of leader.parts) this.#warmUp(runnable);
    const leading = this.#runLeaders(stop).catch((error: unknown) => this.#fail(error));
    await aborted(stop);
    this.#state = 'stopping';
    const lost = failed.reason instanceof LeadershipLostError;
    await this.#stopAll(caches, leading, lost ? 0 : (this.#options.graceMs ?? 30_000));
    if (failed.aborted) throw failed.reason;
  }

  /** The first failure stops the manager and is what `run` throws. */
  #fail(error: unknown): void {
    if (this.#failed.signal.aborted) this.#options.env.log.error('a part failed during the stop', { error });
    this.#failed.abort(error);
  }

  async #runCaches(informers: InformerFactory, signal: AbortSignal): Promise<void> {
    try {
      await informers.run({ signal });
      if (!signal.aborted) this.#fail(new RunnableEndedError('the informers ended though the manager runs'));
    } catch (error) {
      this.#fail(error);
    }
  }

  #warmUp(runnable: Runnable): void {
    if (runnable.warmUp === undefined || this.#state !== 'running') return;
    this.#warmUps.spawn(`warm-up of ${runnable.name}`, async (signal) => {
      try {
        await runnable.warmUp?.({ signal });
      } catch (error) {
        if (!signal.aborted) this.#fail(error);
      }
    });
  }

  async #runLeaders(stop: AbortSignal): Promise<void> {
    const { leader } = this.#groups;
    const lead = async (signal: AbortSignal, lost?: AbortSignal): Promise<void> => {
      // A stop that came first keeps leader-only parts from ever starting.
      if (signal.aborted) return;
      // A lease may be lost while a stop is under way: then there is no time to finish anything.
      lost?.addEventListener('abort', () => this.#kill.abort(lost.reason), { once: true });
      leader.start();
      await aborted(signal);
      await leader.stop();
    };
    const { election } = this.#options;
    await (election === undefined ? lead(stop) : election.run({ signal: stop, lead }));
  }

  /** Warm-ups and leaders first, then what every replica does, caches, webhooks, services; all within the grace time. */
  async #stopAll(caches: Scope, leading: Promise<void>, graceMs: number): Promise<void> {
    const { env } = this.#options;
    const ended = new AbortController();
    let late = false;
    const onLate = (): void => {
      late = true;
      this.#kill.abort(new Error('the grace time of the stop is over'));
      ended.abort();
    };
    const timer = Number.isFinite(graceMs) ? env.clock.setTimer(graceMs, onLate) : undefined;
    const stopping = (async () => {
      await Promise.all([this.#warmUps.close(), leading]);
      await this.#groups.always.stop();
      await caches.close();
      await this.#groups.webhooks.stop();
      await this.#groups.services.stop();
      ended.abort();
    })();
    // After the grace time parts get one more moment to heed `kill`; then the process ends without them. Their lease, if they have one,
    // goes on being renewed for as long as they run, and is never given up before they have ended.
    await aborted(ended.signal);
    timer?.cancel();
    if (!late) return stopping;
    await Promise.race([stopping, env.clock.sleep(killGraceMs)]);
    if (graceMs > 0)
      throw new Error(`failed waiting for all runnables to end within grace period of ${graceMs / 1000}s`);
  }
}

const killGraceMs = 100;

/** Resolves when each has its first list, or is of a resource that the server does not serve; or when `signal` aborts. */
export async function untilFilled(informers: readonly Informer[], signal: AbortSignal): Promise<void> {
  const isFilled = ({ hasSynced, state }: Informer): boolean => hasSynced || state === 'waiting-for-resource';
  for (const informer of informers) {
    if (isFilled(informer)) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = informer.onState(() => {
      if (isFilled(informer)) resolve();
    });
    await Promise.race([promise, aborted(signal)]);
    end();
    if (signal.aborted) return;
  }
}
