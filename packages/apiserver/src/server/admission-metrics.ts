// How long admission takes, in whole and by plugin, under upstream's names.

import type { Clock, Env } from '@homeostat/base';
import type { AdmissionOperation } from './admission.ts';

export type AdmissionStep = 'admit' | 'validate';

const secondsBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export class AdmissionMetrics {
  readonly #clock: Clock;
  readonly #step;
  readonly #controller;

  constructor({ clock, metrics }: Pick<Env, 'clock' | 'metrics'>) {
    this.#clock = clock;
    this.#step = metrics.histogram({
      name: 'apiserver_admission_step_admission_duration_seconds',
      help: 'Time a pass of admission took, in seconds',
      labelNames: ['type', 'operation', 'rejected'],
      buckets: secondsBuckets,
    });
    this.#controller = metrics.histogram({
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'Time an admission plugin took, in seconds',
      labelNames: ['name', 'type', 'operation', 'rejected'],
      buckets: secondsBuckets,
    });
  }

  /** Milliseconds to give back to {@link step} and {@link plugin}. */
  now(): number {
    return this.#clock.monotonicMs();
  }

  /** A whole pass has ended. */
  step(type: AdmissionStep, operation: AdmissionOperation, startedMs: number, isRejected: boolean): void {
    const rejected = String(isRejected);
    this.#step.observe((this.#clock.monotonicMs() - startedMs) / 1000, { type, operation, rejected });
  }

  /** A plugin has ended; the time now, at which the next one begins. */
  plugin(name: string, type: AdmissionStep, { operation, startedMs, rejected }: PluginRun): number {
    const endedMs = this.#clock.monotonicMs();
    this.#controller.observe((endedMs - startedMs) / 1000, { name, type, operation, rejected: String(rejected) });
    return endedMs;
  }
}

interface PluginRun {
  readonly operation: AdmissionOperation;
  readonly startedMs: number;
  readonly rejected: boolean;
}
