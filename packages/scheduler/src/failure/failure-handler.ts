// What follows a failed attempt, in order: the pod goes back to the queue, its nomination is noted, and the user is told by event and
// condition (spec/scheduler.md §9).

import type { Env } from '@homeostat/base';
import type { Pod } from '@homeostat/api/types/core-v1';
import { FitError } from '../framework/fit-error.ts';
import type { NominatingInfo, SchedulerEvent } from '../framework/plugin.ts';
import { type PodInfo, podInfoOf } from '../framework/pod-info.ts';
import type { Status } from '../framework/status.ts';
import type { SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { PodStatusWriter } from './pod-status-writer.ts';

export interface FailureHandlerOptions {
  readonly env: Env;
  readonly queue: SchedulingQueue;
  readonly metrics: SchedulerMetrics;
  readonly statusWriter: PodStatusWriter;
  /** The pod as the informer has it. */
  livePod(info: PodInfo): Pod | undefined;
  recordEvent(schedulerName: string, event: SchedulerEvent): void;
}

export interface Failure {
  readonly pod: QueuedPod;
  /** Why. */
  readonly status: Status;
  /** What becomes of the nomination; absent: nothing. */
  readonly nominating: NominatingInfo | undefined;
  /** Start of the attempt, from the metrics' clock. */
  readonly start: number;
}

export const clearNomination: NominatingInfo = { nodeName: '' };

const noteBytesMax = 1024;

export class FailureHandler {
  readonly #options: FailureHandlerOptions;

  constructor(options: FailureHandlerOptions) {
    this.#options = options;
  }

  /** Handles the failure of an attempt; the pod must be in flight. Doesn't wait for what it writes. */
  handle({ pod: queued, status, nominating, start }: Failure): void {
    const { env, queue, metrics, statusWriter } = this.#options;
    const reason = status.isRejected ? 'Unschedulable' : 'SchedulerError';
    metrics.attempt(status.isRejected ? 'unschedulable' : 'error', { start, profile: queued.schedulerName });
    const { error } = status;
    queued.unschedulablePlugins.clear();
    queued.pendingPlugins.clear();
    if (error instanceof FitError) {
      for (const plugin of error.diagnosis.unschedulablePlugins) queued.unschedulablePlugins.add(plugin);
      for (const plugin of error.diagnosis.pendingPlugins) queued.pendingPlugins.add(plugin);
    }
    const { message } = status;
    env.log.debug('a pod was not scheduled', { pod: queued.key, reason, message });

    const tried = queued.info;
    const { uid } = tried;
    const live = this.#options.livePod(tried);
    if (live === undefined || (live.spec?.nodeName ?? '') !== '') {
      queue.done(uid);
    } else if (live.metadata?.uid !== uid) {
      // Another pod of this name: nothing about the old one concerns it.
      queue.done(uid);
      return;
    } else {
      queued.info = podInfoOf(live);
      queue.addUnschedulable(queued);
    }
    queue.nominator.add(queued.info, nominating);
    this.#options.recordEvent(queued.schedulerName, {
      regarding: queued.info,
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note: truncate(message),
    });
    void statusWriter.write(queued.info, {
      condition: { type: 'PodScheduled', status: 'False', reason, message },
      nominating,
    });
  }
}

/** Notes have a limit; what is cut off shows in the condition. */
function truncate(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= noteBytesMax) return text;
  const suffix = ' ...';
  return `${new TextDecoder().decode(bytes.subarray(0, noteBytesMax - suffix.length))}${suffix}`;
}
