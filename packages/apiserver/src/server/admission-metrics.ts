// How long admission takes, in whole and by plugin, under upstream's names.

import type { Clock, Env, Labels } from '@homeostat/base';
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

  /** Runs a whole pass. @throws what it throws */
  step(type: AdmissionStep, operation: AdmissionOperation, run: () => Promise<void>): Promise<void> {
    return this.#timed(run, (seconds, rejected) => this.#step.observe(seconds, { type, operation, rejected }));
  }

  /** Runs one plugin. @throws what it throws */
  plugin(labels: Labels, run: () => Promise<void> | void): Promise<void> {
    return this.#timed(run, (seconds, rejected) => this.#controller.observe(seconds, { ...labels, rejected }));
  }

  async #timed(run: () => Promise<void> | void, observe: (seconds: number, rejected: string) => void): Promise<void> {
    const startedMs = this.#clock.monotonicMs();
    let rejected = 'true';
    try {
      await run();
      rejected = 'false';
    } finally {
      observe((this.#clock.monotonicMs() - startedMs) / 1000, rejected);
    }
  }
}
