// Leader election by Lease (spec/infrastructure.md §2): the driver of `election-state.ts`. At most one candidate acts: the holder stops
// acting `renewDeadlineMs` after the last write that surely succeeded was begun, which is before anybody may take over. A stop keeps
// the lease renewed until the work has ended.

import { aborted, createDeferred, type Deferred, type Env, Scope } from '@homeostat/base';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import { formatMicroTime } from '@homeostat/machinery';
import type { LeaderTerm } from '@homeostat/client';
import { createElectionMetrics, type ElectionMetrics } from './election-metrics.ts';
import {
  actingEndsMs,
  type ElectionConfig,
  type ElectionEffect,
  type ElectionInput,
  type ElectionNow,
  type ElectionState,
  firstElectionState,
  stepElection,
  termOf,
} from './election-state.ts';
import type {
  ElectionDiagnosis,
  LeaderElectionOptions,
  LeaderElector,
  LeadOptions,
} from './leader-election-options.ts';
import { type LeaseAccess, performOnLease, releaseLease } from './lease-access.ts';
import { type CandidateVersions, discoverLeaseCandidates, runLeaseCandidate } from './lease-candidate.ts';
import { LeadershipLostError, LeadershipUnsureError } from './leadership.ts';

const jitterFactor = 1.2;

/** Creates a candidate; nothing is sent before `run`. @throws RangeError when the durations leave no safety margin. */
export function createLeaderElector(options: LeaderElectionOptions): LeaderElector {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000, identity } = options;
  if (identity === '') throw new RangeError('leader election needs an identity');
  if (!(retryPeriodMs > 0)) throw new RangeError(`retryPeriodMs must be above 0, got ${retryPeriodMs}`);
  if (!(leaseDurationMs > renewDeadlineMs)) {
    throw new RangeError(
      `leaseDurationMs must be greater than renewDeadlineMs: ${leaseDurationMs} and ${renewDeadlineMs}`,
    );
  }
  if (!(renewDeadlineMs > jitterFactor * retryPeriodMs)) {
    throw new RangeError(
      `renewDeadlineMs must be greater than ${jitterFactor} x retryPeriodMs: ${renewDeadlineMs} and ${retryPeriodMs}`,
    );
  }
  const config: ElectionConfig = {
    identity,
    namespace: options.namespace,
    name: options.name,
    labels: options.labels ?? {},
    leaseDurationMs,
    renewDeadlineMs,
    coordinated: false,
  };
  return new Elector(options, config, retryPeriodMs);
}

class Elector implements LeaderElector {
  readonly #options: LeaderElectionOptions;
  readonly #retryPeriodMs: number;
  readonly #env: Env;
  readonly #metrics: ElectionMetrics;
  #config: ElectionConfig;
  #state: ElectionState = firstElectionState;
  /** The Lease of the term that was won last in this run: what may be given up. What was seen since may be another's of this name. */
  #own: Lease | undefined;
  #reported: string | undefined;
  #running = false;
  /** Counts attempts; one that is not the last any more was given up. */
  #attempts = 0;
  /** Work that was told to stop by a loss and has not ended. */
  #leftover: Promise<unknown> | undefined;
  /** Resolved to cut the pause between renewals short. */
  #hurry: Deferred<void> = createDeferred<void>();

  constructor(options: LeaderElectionOptions, config: ElectionConfig, retryPeriodMs: number) {
    this.#options = options;
    this.#config = config;
    this.#retryPeriodMs = retryPeriodMs;
    this.#env = options.env;
    this.#metrics = createElectionMetrics(config.name, options.env.metrics);
  }

  get isLeader(): boolean {
    return this.#state.leading;
  }

  get holder(): string | undefined {
    return this.#state.lease?.spec?.holderIdentity;
  }

  term(): LeaderTerm {
    const term = termOf(this.#config, this.#state, this.#now());
    if (term === undefined) throw new LeadershipLostError(`leader election lost: ${this.#config.name}`);
    if (term !== 'unsure') return term;
    this.#hurry.resolve();
    throw new LeadershipUnsureError(`the clocks disagree; ${this.#config.name} has to be renewed first`);
  }

  refused(): void {
    this.#hurry.resolve();
  }

  check(toleranceMs = 0): string | undefined {
    if (!this.#state.leading) return undefined;
    const silentMs = this.#env.clock.monotonicMs() - this.#state.renewedMs;
    return silentMs > this.#config.leaseDurationMs + toleranceMs
      ? `failed election to renew leadership on lease ${this.#config.name}`
      : undefined;
  }

  diagnose(): ElectionDiagnosis {
    const { namespace, name, identity, coordinated } = this.#config;
    const { leading, lease } = this.#state;
    const leftMs = actingEndsMs(this.#config, this.#state) - this.#env.clock.monotonicMs();
    return {
      lease: `${namespace}/${name}`,
      identity,
      leading,
      holder: this.holder,
      transitions: lease?.spec?.leaseTransitions,
      actingLeftMs: leading ? Math.max(0, leftMs) : undefined,
      coordinated,
    };
  }

  async run({ signal, lead, onLoss = 'throw' }: LeadOptions): Promise<void> {
    // One state serves one campaign: of two, each would take the other's lease for its own.
    if (this.#running) throw new Error(`an elector was run twice at once: ${this.#config.name}`);
    this.#running = true;
    try {
      await this.#campaign({ signal, lead, onLoss });
    } finally {
      this.#running = false;
    }
  }

  async #campaign({ signal, lead, onLoss }: LeadOptions): Promise<void> {
    await using candidacy = new Scope();
    if (this.#options.coordinated !== undefined) await this.#coordinate(candidacy, signal, this.#options.coordinated);
    for (;;) {
      try {
        await this.#runOnce(signal, lead);
        return;
      } catch (error) {
        if (onLoss === 'throw' || !(error instanceof LeadershipLostError)) throw error;
        // Two at once is what election is there to prevent, within the process too.
        await this.#leftover;
        if (signal.aborted) return;
      }
    }
  }

  async #runOnce(signal: AbortSignal, lead: LeadOptions['lead']): Promise<void> {
    try {
      if (await this.#acquire(signal)) await this.#lead(signal, lead);
    } finally {
      // Somebody who is told that it is free begins at once: not before the last of us has ended.
      const own = this.#own;
      if (this.#options.releaseOnStop === true && this.#leftover === undefined && own !== undefined) {
        const written = await releaseLease(this.#access(), own, () => this.#now());
        if (written !== undefined) this.#state = { ...this.#state, lease: written };
      }
      this.#own = undefined;
      this.#state = { ...this.#state, leading: false };
      this.#tell(() => this.#options.onStoppedLeading?.());
    }
  }

  /** Becomes a listed candidate where the server elects. */
  async #coordinate(candidacy: Scope, signal: AbortSignal, versions: CandidateVersions): Promise<void> {
    const { client } = this.#options;
    const { namespace, name: leaseName, identity } = this.#config;
    while (!signal.aborted) {
      try {
        const resource = await discoverLeaseCandidates(client, signal);
        if (resource === undefined) {
          this.#env.log.info('the API server does not coordinate leader election; candidates elect among themselves');
          return;
        }
        this.#config = { ...this.#config, coordinated: true };
        const options = { client, env: this.#env, namespace, leaseName, identity, versions };
        candidacy.spawn('lease candidate', (inner) => runLeaseCandidate(resource, options, inner));
        return;
      } catch (error) {
        if (!signal.aborted) this.#env.log.warn('it is not known whether the server coordinates election', { error });
        await this.#env.clock.sleep(this.#retryPeriodMs, signal).catch(() => undefined);
      }
    }
  }

  /** True when the lease was won, false when `signal` aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, random, log } = this.#env;
    const { namespace, name } = this.#config;
    log.info('attempting to acquire leader lease', { lease: `${namespace}/${name}` });
    while (!signal.aborted) {
      const before = this.#state.renewedMs;
      await this.#attempt();
      if (this.#state.leading) {
        if (signal.aborted) return false;
        if (typeof termOf(this.#config, this.#state, this.#now()) === 'object') return true;
        // The answer came so late that the time to act was over before it began.
        if (this.#state.renewedMs !== before) continue;
      }
      const pauseMs = this.#retryPeriodMs * (1 + jitterFactor * random.float());
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
    return false;
  }

  async #lead(stop: AbortSignal, lead: LeadOptions['lead']): Promise<void> {
    const { log } = this.#env;
    this.#announce('became leader');
    this.#metrics.leading(true);
    this.#tell(() => this.#options.onStartedLeading?.(this.term()));
    const acting = new AbortController();
    const losing = new AbortController();
    let over = false;
    // What it throws before its first pause is a rejection too.
    const work = (async () => lead(acting.signal, losing.signal))().finally(() => {
      over = true;
      this.#hurry.resolve();
    });
    const isOver = (): boolean => over; // changes while it is awaited
    // Settled by the await below, whichever comes first.
    const ended = work.catch(() => undefined);
    const onStop = (): void => acting.abort(stop.reason);
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop, { once: true });
    try {
      let lost = false;
      while (!over && !lost) {
        await this.#pause();
        if (!over) lost = !(await this.#renew());
      }
      if (lost) {
        this.#state = { ...this.#state, leading: false };
        log.error('leader election lost', { lease: this.#config.name });
        const error = new LeadershipLostError('leader election lost');
        acting.abort(error);
        losing.abort(error);
        await this.#untilOverOrLeaseEnds(work);
        if (!isOver()) this.#leftover = ended.then(() => (this.#leftover = undefined));
        throw error;
      }
      await work;
    } finally {
      stop.removeEventListener('abort', onStop);
      this.#metrics.leading(false);
      this.#announce('stopped leading');
    }
  }

  /** Waits for the next renewal: a retry period, or until somebody wants to know. */
  async #pause(): Promise<void> {
    this.#hurry = createDeferred<void>();
    const timer = this.#env.clock.setTimer(this.#retryPeriodMs, () => this.#hurry.resolve());
    await this.#hurry.promise;
    timer.cancel();
  }

  /** Tries until it succeeds or the time to act is over. */
  async #renew(): Promise<boolean> {
    const { clock } = this.#env;
    const leftMs = actingEndsMs(this.#config, this.#state) - clock.monotonicMs();
    // The event loop stood still for too long: a renewal now could make a lease last that nobody acts under.
    if (leftMs <= 0) return false;
    const deadline = new AbortController();
    const timer = clock.setTimer(leftMs, () => deadline.abort(new Error('renew deadline')));
    try {
      while (!deadline.signal.aborted) {
        const before = this.#state.renewedMs;
        await Promise.race([this.#attempt(deadline.signal), aborted(deadline.signal)]);
        // Time is over even if a request does not heed that: what it answers later is not taken in.
        if (deadline.signal.aborted) this.#attempts++;
        if (this.#state.renewedMs !== before) return !this.#isOver();
        // Somebody else holds it: no use in waiting.
        if (!this.#state.leading) return false;
        await clock.sleep(this.#retryPeriodMs, deadline.signal).catch(() => undefined);
      }
      return false;
    } finally {
      timer.cancel();
    }
  }

  #isOver(): boolean {
    return this.#env.clock.monotonicMs() >= actingEndsMs(this.#config, this.#state);
  }

  /** The work was told to stop; when it does not, nobody waits for it beyond the moment at which another may begin. */
  async #untilOverOrLeaseEnds(work: Promise<void>): Promise<void> {
    const { clock } = this.#env;
    const leftMs = this.#state.renewedMs + this.#config.leaseDurationMs - clock.monotonicMs();
    const limit = new AbortController();
    const ended = work.then(
      () => limit.abort(),
      () => limit.abort(),
    );
    await Promise.race([ended, clock.sleep(Math.max(0, leftMs), limit.signal).catch(() => undefined)]);
  }

  /** Drives one attempt to its rest. */
  async #attempt(signal?: AbortSignal): Promise<void> {
    const number = ++this.#attempts;
    let input: ElectionInput = { type: 'attempt' };
    for (;;) {
      const step: { readonly state: ElectionState; readonly effect: ElectionEffect } = stepElection(
        this.#config,
        this.#state,
        input,
        this.#now(),
      );
      this.#state = step.state;
      if (input.type === 'written') this.#own = input.lease;
      this.#reportHolder();
      if (step.effect.do === 'rest') return;
      if (step.effect.do === 'read' && step.state.leading) this.#metrics.slowPath();
      input = await performOnLease(this.#access(), step.effect, signal);
      if (number !== this.#attempts) return;
    }
  }

  #access(): LeaseAccess {
    return { client: this.#options.client, env: this.#env, config: this.#config };
  }

  #announce(what: 'became leader' | 'stopped leading'): void {
    const { lease } = this.#state;
    if (lease !== undefined) this.#tell(() => this.#options.recordEvent?.(lease, `${this.#config.identity} ${what}`));
    this.#env.log.info(what, {
      lease: `${this.#config.namespace}/${this.#config.name}`,
      identity: this.#config.identity,
    });
  }

  #reportHolder(): void {
    const holder = this.holder;
    if (holder === undefined || holder === this.#reported) return;
    this.#reported = holder;
    this.#tell(() => this.#options.onNewLeader?.(holder));
  }

  /** Who listens must not end the election by an error of theirs. */
  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#env.log.error('a listener of leader election failed', { lease: this.#config.name, error });
    }
  }

  #now(): ElectionNow {
    const { clock } = this.#env;
    const wallMs = clock.nowMs();
    return { monotonicMs: clock.monotonicMs(), wallMs, microTime: formatMicroTime(wallMs) };
  }
}
