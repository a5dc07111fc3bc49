// From an assumed place to a bound pod (spec/scheduler.md §8): one task for each pod, many at a time. A failure gives the place back and
// wakes who may want it.

import type { Env } from '@homeostat/base';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import { clearNomination, type FailureHandler } from '../failure/failure-handler.ts';
import type { PodStatusWriter } from '../failure/pod-status-writer.ts';
import { actions, clusterEvent } from '../framework/cluster-event.ts';
import type { SchedulerEvent } from '../framework/plugin.ts';
import { Status, thrownStatus, type Verdict } from '../framework/status.ts';
import type { SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import { type AssumedPod, refusedOn } from './scheduling-cycle.ts';

export interface BindingCycleOptions {
  readonly env: Env;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly metrics: SchedulerMetrics;
  readonly failures: FailureHandler;
  readonly statusWriter: PodStatusWriter;
  recordEvent(schedulerName: string, event: SchedulerEvent): void;
}

const assignedDelete = clusterEvent('AssignedPod', actions.delete);

export class BindingCycle {
  readonly #options: BindingCycleOptions;
  /** Pods between leave and bind: preemption can end their binding. */
  readonly #cancellable = new Map<string, AbortController>();
  #running = 0;

  constructor(options: BindingCycleOptions) {
    this.#options = options;
  }

  /** How many are under way. */
  get running(): number {
    return this.#running;
  }

  /** Ends the binding of a pod that has not been sent to the API server yet. @returns whether there was one */
  cancel(uid: string, cause: Error): boolean {
    const controller = this.#cancellable.get(uid);
    controller?.abort(cause);
    return controller !== undefined;
  }

  async run(assumed: AssumedPod): Promise<void> {
    this.#running++;
    try {
      const verdict = await this.#bind(assumed).catch(thrownStatus);
      if (verdict === undefined) this.#bound(assumed);
      else this.#failed(assumed, verdict);
    } finally {
      this.#running--;
    }
  }

  async #bind(assumed: AssumedPod): Promise<Verdict> {
    const { framework, state, placement, waits } = assumed;
    const { queue, statusWriter } = this.#options;
    const { uid } = placement.pod;
    const preFlight = framework.runPreBindPreFlight(state, placement);
    if (preFlight.verdict !== undefined) return preFlight.verdict;
    const prepares = preFlight.plugins.length > 0;
    if (prepares || waits) await statusWriter.write(assumed.pod.info, { nominating: { nodeName: placement.nodeName } });
    const permitted = await framework.waitOnPermit(placement.pod);
    if (permitted !== undefined) return permitted.isRejected ? refusedOn(placement.nodeName, permitted) : permitted;
    // From here a failure is always an error, whatever has happened meanwhile.
    queue.done(uid);
    if (prepares) {
      const prepared = await this.#prepare(assumed, preFlight.plugins);
      if (prepared !== undefined) return prepared;
    }
    // The process stops: what has not been sent is left to who comes next.
    if (placement.signal.aborted) return Status.error('', placement.signal.reason);
    return framework.runBind(state, placement);
  }

  async #prepare({ framework, state, placement }: AssumedPod, plugins: readonly string[]): Promise<Verdict> {
    const { uid } = placement.pod;
    const controller = new AbortController();
    this.#cancellable.set(uid, controller);
    try {
      const signal = AbortSignal.any([placement.signal, controller.signal]);
      const verdict = await framework.runPreBind(state, { ...placement, signal }, plugins);
      return controller.signal.aborted ? Status.error('', controller.signal.reason) : verdict;
    } finally {
      this.#cancellable.delete(uid);
    }
  }

  #bound({ pod, framework, state, placement, start }: AssumedPod): void {
    const { env, metrics } = this.#options;
    const { key } = placement.pod;
    this.#options.recordEvent(framework.schedulerName, {
      regarding: placement.pod,
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      note: `Successfully assigned ${key} to ${placement.nodeName}`,
    });
    env.log.debug('a pod was bound', { pod: key, node: placement.nodeName, attempts: pod.attempts });
    metrics.attempt('scheduled', { start, profile: framework.schedulerName });
    metrics.scheduled({ attempts: pod.attempts, queuedMs: pod.firstActiveMs, wasFlushed: pod.wasFlushed });
    framework.runPostBind(state, placement);
  }

  #failed({ pod, framework, state, placement, start }: AssumedPod, status: Status): void {
    const { cache, queue, failures, env } = this.#options;
    const { pod: assumed } = placement;
    // The process stops: whoever leads next finds the pod unbound.
    if (placement.signal.aborted) return;
    framework.runUnreserve(state, placement);
    try {
      if (cache.isAssumed(assumed.uid)) cache.forget(assumed);
    } catch (error) {
      env.log.error('the place of a pod was not given back', { pod: assumed.key, error });
    }
    const wake = (): void =>
      queue.moveAll(assignedDelete, {
        old: assumed.pod,
        ...(status.isRejected ? { mayMove: (other) => other.uid !== assumed.uid } : {}),
      });
    // A pod that was turned down must not be brought back by its own going.
    if (!status.isRejected) wake();
    failures.handle({ pod, status, nominating: clearNomination, start });
    if (status.isRejected) wake();
  }
}
