// Leader election by Lease (spec/infrastructure.md §2): the driver of `election-state.ts`. At most one candidate acts: the holder stops
// acting `renewDeadlineMs` after the last write that surely succeeded was begun, which is before anybody may take over. A stop keeps
// the lease renewed until the work has ended.

import { type Env, isApiError } from '@homeostat/base';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import { formatMicroTime } from '@homeostat/machinery';
import { type Client, isConflict, isNotFound } from '@homeostat/client';
import { leases } from '@homeostat/client/resources';
import {
  actingEndsMs,
  type ElectionConfig,
  type ElectionEffect,
  type ElectionInput,
  type ElectionNow,
  type ElectionState,
  firstElectionState,
  isHolder,
  released,
  stepElection,
} from './election-state.ts';

export interface LeaderElectionOptions {
  readonly client: Client;
  readonly env: Env;
  /** The Lease. */
  readonly namespace: string;
  readonly name: string;
  /** Labels to keep on the Lease. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Unique among the candidates, e.g. `<host>_<uuid>`. */
  readonly identity: string;
  /** How long others wait after the last renewal they saw; default 15 s. */
  readonly leaseDurationMs?: number;
  /** How long the holder acts without a renewal; shorter than the lease. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Pause between attempts; default 2 s. */
  readonly retryPeriodMs?: number;
  /** Gives the lease up after a stop, so that another candidate need not wait; default false. */
  readonly releaseOnStop?: boolean;
  /** Hears `<identity> became leader` and `<identity> stopped leading`. */
  readonly recordEvent?: (lease: Lease, message: string) => void;
  /** Hears of every new holder, itself included. */
  readonly onNewLeader?: (identity: string) => void;
}

/** The lease was lost while leading. Whoever acted must end the process, or at least act no more. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

export interface LeaderElector {
  /**
   * Waits for the lease, then runs `lead` until it ends, `signal` aborts, or the lease is lost; then its signal aborts, with a
   * {@link LeadershipLostError} in the last case.
   * @throws LeadershipLostError when the lease was lost, as soon as `lead` has ended or the lease could pass on; what `lead` threw.
   */
  run(options: { readonly signal: AbortSignal; readonly lead: (signal: AbortSignal) => Promise<void> }): Promise<void>;
  readonly isLeader: boolean;
  /** Who holds the lease, as last seen; undefined before the first look. */
  readonly holder: string | undefined;
  /** An error text when this candidate leads but has not renewed for `leaseDuration` and `toleranceMs` more. */
  check(toleranceMs?: number): string | undefined;
}

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
  };
  return new Elector(options, config, retryPeriodMs);
}

class Elector implements LeaderElector {
  readonly #options: LeaderElectionOptions;
  readonly #config: ElectionConfig;
  readonly #retryPeriodMs: number;
  readonly #env: Env;
  #state: ElectionState = firstElectionState;
  #reported: string | undefined;

  constructor(options: LeaderElectionOptions, config: ElectionConfig, retryPeriodMs: number) {
    this.#options = options;
    this.#config = config;
    this.#retryPeriodMs = retryPeriodMs;
    this.#env = options.env;
  }

  get isLeader(): boolean {
    return this.#state.leading;
  }

  get holder(): string | undefined {
    return this.#state.lease?.spec?.holderIdentity;
  }

  check(toleranceMs = 0): string | undefined {
    if (!this.#state.leading) return undefined;
    const silentMs = this.#env.clock.monotonicMs() - this.#state.renewedMs;
    return silentMs > this.#config.leaseDurationMs + toleranceMs
      ? `failed election to renew leadership on lease ${this.#config.name}`
      : undefined;
  }

  async run({
    signal,
    lead,
  }: {
    readonly signal: AbortSignal;
    readonly lead: (signal: AbortSignal) => Promise<void>;
  }): Promise<void> {
    const won = await this.#acquire(signal);
    try {
      if (won) await this.#lead(signal, lead);
    } finally {
      if (this.#options.releaseOnStop === true) await this.#release();
      this.#state = { ...this.#state, leading: false };
    }
  }

  /** True when the lease was won, false when `signal` aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, random, log } = this.#env;
    const { namespace, name } = this.#config;
    log.info('attempting to acquire leader lease', { lease: `${namespace}/${name}` });
    while (!signal.aborted) {
      await this.#attempt();
      if (this.#state.leading) return !signal.aborted;
      const pauseMs = this.#retryPeriodMs * (1 + jitterFactor * random.float());
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
    return false;
  }

  async #lead(stop: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, log } = this.#env;
    this.#announce('became leader');
    const acting = new AbortController();
    let over = false;
    const work = lead(acting.signal).finally(() => {
      over = true;
      pause.abort();
    });
    // Settled by the await below, whichever comes first.
    work.catch(() => undefined);
    let pause = new AbortController();
    const onStop = (): void => acting.abort(stop.reason);
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop, { once: true });
    try {
      let lost = false;
      while (!over && !lost) {
        pause = new AbortController();
        await clock.sleep(this.#retryPeriodMs, pause.signal).catch(() => undefined);
        if (!over) lost = !(await this.#renew());
      }
      if (lost) {
        log.error('leader election lost', { lease: this.#config.name });
        const error = new LeadershipLostError('leader election lost');
        acting.abort(error);
        await this.#untilOverOrLeaseEnds(work);
        throw error;
      }
      await work;
    } finally {
      stop.removeEventListener('abort', onStop);
      this.#announce('stopped leading');
    }
  }

  /** Tries until it succeeds or the time to act is over. */
  async #renew(): Promise<boolean> {
    const { clock } = this.#env;
    const endMs = actingEndsMs(this.#config, this.#state);
    const deadline = new AbortController();
    const timer = clock.setTimer(endMs - clock.monotonicMs(), () => deadline.abort(new Error('renew deadline')));
    try {
      while (!deadline.signal.aborted) {
        const before = this.#state.renewedMs;
        await this.#attempt(deadline.signal);
        if (this.#state.renewedMs !== before) return true;
        // Somebody else holds it: no use in waiting.
        if (!this.#state.leading) return false;
        await clock.sleep(this.#retryPeriodMs, deadline.signal).catch(() => undefined);
      }
      return false;
    } finally {
      timer.cancel();
    }
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
    let input: ElectionInput = { type: 'attempt' };
    for (;;) {
      const step: { readonly state: ElectionState; readonly effect: ElectionEffect } = stepElection(
        this.#config,
        this.#state,
        input,
        this.#now(),
      );
      this.#state = step.state;
      this.#reportHolder();
      if (step.effect.do === 'rest') return;
      input = await this.#perform(step.effect, signal);
    }
  }

  async #perform(
    effect: Exclude<ElectionEffect, { readonly do: 'rest' }>,
    signal: AbortSignal | undefined,
  ): Promise<ElectionInput> {
    const { client } = this.#options;
    const { namespace, name } = this.#config;
    // One hung request must not use up the time there is to renew.
    const timeoutMs = Math.max(1_000, this.#config.renewDeadlineMs / 2);
    const call = signal === undefined ? { timeoutMs } : { timeoutMs, signal };
    try {
      switch (effect.do) {
        case 'read':
          return { type: 'read', lease: await client.get(leases, { namespace, name, ...call }) };
        case 'create':
          return { type: 'written', lease: await client.create(leases, { object: effect.lease, ...call }) };
        case 'update':
          return { type: 'written', lease: await client.update(leases, { object: effect.lease, ...call }) };
      }
    } catch (error) {
      if (effect.do === 'read' && isNotFound(error)) return { type: 'read', lease: undefined };
      const fields = { lease: `${namespace}/${name}`, error };
      if (isApiError(error, 'Conflict', 'AlreadyExists'))
        this.#env.log.debug('another candidate wrote the lease first', fields);
      else this.#env.log.error('failed to read or write the lease', fields);
      return { type: 'failed' };
    }
  }

  /** Gives the lease up, if it is ours. */
  async #release(): Promise<void> {
    const { client } = this.#options;
    const { namespace, name, renewDeadlineMs } = this.#config;
    const limit = new AbortController();
    const timer = this.#env.clock.setTimer(renewDeadlineMs, () => limit.abort(new Error('release deadline')));
    try {
      while (!limit.signal.aborted) {
        const lease = await client.get(leases, { namespace, name, signal: limit.signal });
        if (!isHolder(this.#config, lease)) return;
        try {
          const object = released(lease, this.#now());
          const written = await client.update(leases, { object, signal: limit.signal });
          this.#state = { ...this.#state, lease: written, leading: false };
          return;
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
      }
    } catch (error) {
      this.#env.log.warn('the leader lease was not released', { lease: `${namespace}/${name}`, error });
    } finally {
      timer.cancel();
    }
  }

  #announce(what: 'became leader' | 'stopped leading'): void {
    const { lease } = this.#state;
    if (lease !== undefined) this.#options.recordEvent?.(lease, `${this.#config.identity} ${what}`);
    this.#env.log.info(what, {
      lease: `${this.#config.namespace}/${this.#config.name}`,
      identity: this.#config.identity,
    });
  }

  #reportHolder(): void {
    const holder = this.holder;
    if (holder === undefined || holder === this.#reported) return;
    this.#reported = holder;
    this.#options.onNewLeader?.(holder);
  }

  #now(): ElectionNow {
    return { monotonicMs: this.#env.clock.monotonicMs(), microTime: formatMicroTime(this.#env.clock.nowMs()) };
  }
}
