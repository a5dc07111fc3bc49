// The metrics of reconciles under controller-runtime's names (spec/client.md §7.2), label `controller`.

import type { Metrics } from '@homeostat/base';

export type ReconcileOutcome = 'success' | 'requeue' | 'requeue_after' | 'error' | 'terminal_error' | 'superseded';

/** What else is counted of a run. */
export interface RunFaults {
  /** It threw what only a defect of its code throws. */
  readonly panicked?: boolean;
  readonly timedOut?: boolean;
}

export interface ReconcileMetrics {
  started(): void;
  finished(outcome: ReconcileOutcome, seconds: number, faults?: RunFaults): void;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** controller-runtime's `result` label. */
const results: Readonly<Record<ReconcileOutcome, string>> = {
  success: 'success',
  requeue: 'requeue',
  requeue_after: 'requeue_after',
  error: 'error',
  terminal_error: 'error',
  superseded: 'requeue',
};

/** Creates the metrics of one controller. */
export function createReconcileMetrics(options: {
  readonly controller: string;
  readonly concurrency: number;
  readonly metrics: Metrics;
}): ReconcileMetrics {
  const { controller, metrics } = options;
  const counter = (name: string, help: string, more: readonly string[] = []) =>
    metrics.counter({ name: `controller_runtime_${name}`, help, labelNames: ['controller', ...more] });
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `controller_runtime_${name}`, help, labelNames: ['controller'] });
  const total = counter('reconcile_total', 'Total number of reconciliations per controller', ['result']);
  const errors = counter('reconcile_errors_total', 'Total number of reconciliation errors per controller');
  const terminal = counter(
    'terminal_reconcile_errors_total',
    'Total number of terminal reconciliation errors per controller',
  );
  const panics = counter('reconcile_panics_total', 'Total number of reconciliation panics per controller');
  const timeouts = counter('reconcile_timeouts_total', 'Total number of reconciliation timeouts per controller');
  const active = gauge('active_workers', 'Number of currently used workers per controller');
  const time = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of time per reconciliation per controller',
    labelNames: ['controller'],
    buckets,
  });
  const labels = { controller };
  gauge('max_concurrent_reconciles', 'Maximum number of concurrent reconciles per controller').set(
    options.concurrency,
    labels,
  );
  return {
    started: () => active.add(1, labels),
    finished(outcome, seconds, { panicked = false, timedOut = false } = {}) {
      active.add(-1, labels);
      time.observe(seconds, labels);
      total.inc({ controller, result: results[outcome] });
      if (outcome === 'error' || outcome === 'terminal_error') errors.inc(labels);
      if (outcome === 'terminal_error') terminal.inc(labels);
      if (panicked) panics.inc(labels);
      if (timedOut) timeouts.inc(labels);
    },
  };
}
