// One pod's way from the queue to an assumed place, strictly one pod at a time (spec/scheduler.md §6.1). The binding that follows runs
// beside the next pod's cycle.

import { type Env, InvariantError } from '@homeostat/base';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import { clearNomination, type FailureHandler } from '../failure/failure-handler.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { Diagnosis, FitError } from '../framework/fit-error.ts';
import type { Framework } from '../framework/framework.ts';
import type { NominatingInfo, Placement, SchedulerEvent } from '../framework/plugin.ts';
import { errorText, Status, thrownStatus, type Verdict } from '../framework/status.ts';
import type { SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import { type Algorithm, NoNodesError } from './schedule-pod.ts';

/** How the process ends. */
export type StopSignals = Pick<Placement, 'signal' | 'kill'>;

/** A pod with a place, on its way to being bound. */
export interface AssumedPod {
  readonly pod: QueuedPod;
  readonly framework: Framework;
  readonly state: CycleState;
  readonly placement: Placement;
  /** Whether a Permit plugin made it wait. */
  readonly waits: boolean;
  /** Start of the attempt, from the metrics' clock. */
  readonly start: number;
}

export interface SchedulingCycleOptions {
  readonly env: Env;
  readonly cache: SchedulerCache;
  readonly snapshot: Snapshot;
  readonly queue: SchedulingQueue;
  readonly algorithm: Algorithm;
  readonly metrics: SchedulerMetrics;
  readonly failures: FailureHandler;
  /** By the name pods ask for. */
  readonly frameworks: ReadonlyMap<string, Framework>;
  recordEvent(schedulerName: string, event: SchedulerEvent): void;
  /** Binds beside the next cycle. */
  bind(assumed: AssumedPod): void;
}

/** Share of the cycles in which single plugins are measured. */
const measuredShare = 0.1;

export class SchedulingCycle {
  readonly #options: SchedulingCycleOptions;

  constructor(options: SchedulingCycleOptions) {
    this.#options = options;
  }

  /** Tries a pod that has just been taken from the queue. */
  async run(pod: QueuedPod, signals: StopSignals): Promise<void> {
    const { env, frameworks, queue, metrics } = this.#options;
    const framework = frameworks.get(pod.schedulerName);
    if (framework === undefined || this.#skips(pod)) {
      queue.done(pod.info.uid);
      return;
    }
    const start = metrics.now();
    const state = new CycleState();
    state.recordsPlugins = env.random.float() < measuredShare;
    const attempt: Attempt = { pod, framework, state, start };
    try {
      this.#options.cache.updateSnapshot(this.#options.snapshot);
      const host = await this.#options.algorithm.schedule(framework, state, pod.info);
      this.#place(attempt, host, signals);
    } catch (error) {
      await this.#failed(attempt, error);
    }
  }

  /** A pod that is going, or whose last attempt succeeded after all, is not tried. */
  #skips(pod: QueuedPod): boolean {
    const { info } = pod;
    if (info.isTerminating) {
      this.#options.recordEvent(pod.schedulerName, {
        regarding: info,
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        note: `skip schedule deleting pod: ${info.key}`,
      });
      return true;
    }
    return this.#options.cache.isAssumed(info.uid);
  }

  async #failed(attempt: Attempt, error: unknown): Promise<void> {
    if (error instanceof InvariantError) throw error;
    if (!(error instanceof FitError)) {
      const code = error instanceof NoNodesError ? 'UnschedulableAndUnresolvable' : 'Error';
      this.#fail(attempt, new Status({ code, error }), clearNomination);
      return;
    }
    const { framework, state, pod } = attempt;
    let nominating: NominatingInfo | undefined = clearNomination;
    if (framework.hasPostFilter) {
      const { diagnosis } = error;
      const result = await framework
        .runPostFilter(state, pod.info, diagnosis.nodeToStatus)
        .catch((thrown: unknown) => ({ verdict: thrownStatus(thrown), nominating: undefined }));
      nominating = result.nominating;
      diagnosis.postFilterMessage = result.verdict === undefined ? '' : result.verdict.message;
    }
    this.#fail(attempt, new Status({ code: 'Unschedulable', error }), nominating);
  }

  /** Takes the place in the cache, reserves what plugins need, and hands the pod on. */
  #place(attempt: Attempt, nodeName: string, signals: StopSignals): void {
    const { cache, queue, bind } = this.#options;
    const { pod, framework, state, start } = attempt;
    const assumed = pod.info.assumedOn(nodeName);
    try {
      cache.assume(assumed);
    } catch (error) {
      this.#fail(attempt, Status.error('', error), clearNomination);
      return;
    }
    queue.nominator.delete(assumed.uid);
    const placement: Placement = { pod: assumed, nodeName, ...signals };
    const granted = this.#reserve(attempt, placement);
    if (granted === undefined || granted.code === 'Wait') {
      bind({ pod, framework, state, placement, waits: granted !== undefined, start });
      return;
    }
    framework.runUnreserve(state, placement);
    cache.forget(assumed);
    this.#fail(attempt, granted.isRejected ? refusedOn(nodeName, granted) : granted, clearNomination);
  }

  /** Success, `Wait`, or why the place can't be had after all. */
  #reserve({ framework, state }: Attempt, placement: Placement): Verdict {
    try {
      return framework.runReserve(state, placement) ?? framework.runPermit(state, placement);
    } catch (error) {
      return thrownStatus(error);
    }
  }

  #fail({ pod, start }: Attempt, status: Status, nominating: NominatingInfo | undefined): void {
    if (status.code === 'Error')
      this.#options.env.log.error('a scheduling attempt broke', { pod: pod.key, error: errorText(status.error) });
    this.#options.failures.handle({ pod, status, nominating, start });
  }
}

interface Attempt {
  readonly pod: QueuedPod;
  readonly framework: Framework;
  readonly state: CycleState;
  readonly start: number;
}

/** The chosen node turned the pod down in the end: told as if it had been the only one. */
export function refusedOn(nodeName: string, refusal: Status): Status {
  const diagnosis = new Diagnosis();
  diagnosis.nodeToStatus.set(nodeName, refusal);
  diagnosis.addRejector(refusal);
  return new Status({ code: refusal.code, error: new FitError(1, diagnosis) });
}
