// One process of a simulated election and its supervisor: it campaigns, writes as often as it may while it leads, and is started afresh
// whenever it ends. Its leader's work is rude: it goes on trying for a while after it was told to stop.

import { createSeededRandom, type Env, type Random, silentLogger, noMetrics, type VirtualClock } from '@homeostat/base';
import { type ApiRequest, type ApiResponse, createClient } from '@homeostat/client';
import { configMaps } from '@homeostat/client/resources';
import { createLeaderClient, createLeaderElector, type LeaderElector } from '@homeostat/runtime';
import type { Network } from './network.ts';
import { ProcessClock } from './process-clock.ts';

export interface CandidateProcessOptions {
  readonly env: Env & { readonly clock: VirtualClock };
  readonly network: Network;
  readonly tell: (line: string) => void;
  readonly index: number;
  readonly leaseMs: number;
  /** Clocks run between this and its inverse, times the true rate. */
  readonly slowestRate: number;
}

const restartMs = 1_000;

export class CandidateProcess {
  readonly name: string;
  readonly #options: CandidateProcessOptions;
  readonly #random: Random;
  readonly #rate: number;
  /** Some programs use a name that outlives the process. */
  readonly #sameIdentity: boolean;
  readonly #releases: boolean;
  #wallOffsetMs: number;
  #clock: ProcessClock;
  #elector: LeaderElector | undefined;
  #stop = new AbortController();
  #runs = 0;
  #ended = false;
  #writes = 0;

  constructor(options: CandidateProcessOptions) {
    this.#options = options;
    const { env, index, slowestRate } = options;
    this.name = `p${index}`;
    this.#random = createSeededRandom(env.random.int(2 ** 31));
    this.#rate = slowestRate + this.#random.float() * (1 / slowestRate - slowestRate);
    this.#sameIdentity = this.#random.float() < 0.3;
    this.#releases = this.#random.float() < 0.5;
    this.#wallOffsetMs = (this.#random.float() - 0.5) * 7_200_000;
    this.#clock = this.#newClock();
  }

  get leading(): boolean {
    return this.#elector?.isLeader === true;
  }

  /**
   * Within this time after trouble somebody acts again: a lease, two of the longest pauses between attempts, one request that hangs, and a
   * restart; by the slowest clock.
   */
  get boundMs(): number {
    const { leaseMs, slowestRate } = this.#options;
    const { renewDeadlineMs, retryPeriodMs } = this.#durations();
    return (leaseMs + 2 * 2.2 * retryPeriodMs + renewDeadlineMs / 2) / slowestRate + restartMs + 3_000;
  }

  start(): void {
    const { env, tell, leaseMs } = this.#options;
    const run = ++this.#runs;
    this.#clock = this.#newClock();
    this.#stop = new AbortController();
    const clock = this.#clock;
    const identity = this.#sameIdentity ? this.name : `${this.name}-${run}`;
    const own: Env = { clock, random: this.#random, log: silentLogger, metrics: noMetrics };
    const plain = createClient({
      transport: {
        exchanges: 'object',
        send: (request) => this.#send(clock, run, request),
        close: () => Promise.resolve(),
      },
      env: own,
      userAgent: this.name,
    });
    const elector = createLeaderElector({
      client: plain,
      env: own,
      namespace: 'default',
      name: 'lock',
      identity,
      leaseDurationMs: leaseMs,
      ...this.#durations(),
      releaseOnStop: this.#releases,
      onStartedLeading: ({ transitions }) => tell(`${identity} leads in term ${transitions}`),
    });
    this.#elector = elector;
    const client = createLeaderClient({ client: plain, leadership: elector });
    const write = async (): Promise<void> => {
      const name = `w-${this.name}-${++this.#writes}`;
      await client.create(configMaps, { object: { metadata: { name, namespace: 'default' } }, timeoutMs: 30_000 });
    };
    const over = elector.run({ signal: this.#stop.signal, lead: (signal) => this.#work(clock, signal, write) });
    // A process that died says nothing any more.
    void over
      .then(
        () => tell(`${identity} stopped`),
        () => tell(`${identity} lost`),
      )
      .then(() => {
        this.#elector = undefined;
        clock.kill();
        if (this.#ended || run !== this.#runs) return;
        env.clock.setTimer(restartMs, () => {
          if (!this.#ended && run === this.#runs) this.start();
        });
      });
  }

  pause(lastMs: number): void {
    const { env, tell } = this.#options;
    tell(`${this.name} is paused for ${lastMs.toFixed(0)} ms`);
    const clock = this.#clock;
    clock.pause();
    env.clock.setTimer(lastMs, () => clock.resume());
  }

  crash(downMs: number): void {
    const { env, tell } = this.#options;
    tell(`${this.name} crashes`);
    this.#clock.kill();
    this.#elector = undefined;
    const run = ++this.#runs;
    env.clock.setTimer(downMs, () => {
      if (!this.#ended && run === this.#runs) this.start();
    });
  }

  stop(): void {
    this.#options.tell(`${this.name} is asked to stop`);
    const { signal } = this.#stop;
    if (!signal.aborted) this.#clock.whenRunning(() => this.#stop.abort(new Error('stop')));
  }

  setWallClock(offsetMs: number): void {
    this.#wallOffsetMs = offsetMs;
    this.#clock.wallOffsetMs = offsetMs;
  }

  heal(): void {
    this.#clock.resume();
  }

  end(): void {
    this.#ended = true;
    this.#clock.kill();
  }

  async #work(clock: ProcessClock, signal: AbortSignal, write: () => Promise<void>): Promise<void> {
    let goOnMs = Infinity;
    const rudeMs = this.#random.float() * 4_000;
    while (clock.monotonicMs() < goOnMs) {
      if (signal.aborted && goOnMs === Infinity) goOnMs = clock.monotonicMs() + rudeMs;
      // Several at once: some wait in queues while the world moves on.
      void write().catch(() => undefined);
      await clock.sleep(500 + this.#random.float() * 2_500);
    }
  }

  #send(clock: ProcessClock, run: number, request: ApiRequest): Promise<ApiResponse> {
    const answer = this.#options.network.send({ machine: this.name, run }, request);
    return new Promise((resolve, reject) => {
      answer.then(
        (response) => clock.whenRunning(() => resolve(response)),
        (error: unknown) => clock.whenRunning(() => reject(error)),
      );
    });
  }

  #durations(): { readonly renewDeadlineMs: number; readonly retryPeriodMs: number } {
    const { leaseMs } = this.#options;
    return { renewDeadlineMs: (leaseMs * 2) / 3, retryPeriodMs: (leaseMs * 2) / 15 };
  }

  #newClock(): ProcessClock {
    const { clock } = this.#options.env;
    return new ProcessClock({ clock, rate: this.#rate, wallOffsetMs: this.#wallOffsetMs });
  }
}
