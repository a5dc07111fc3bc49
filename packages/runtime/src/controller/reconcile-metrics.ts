// The metrics of reconciles under controller-runtime's names (spec/client.md §7.2), label `controller`.

import type { Metrics } from '@homeostat/base';

export type ReconcileOutcome = 'success' | 'requeue_after' | 'error' | 'terminal_error';

export interface ReconcileMetrics {
  finished(outcome: ReconcileOutcome, seconds: number): void;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Creates the metrics of one controller. */
export function createReconcileMetrics(controller: string, metrics: Metrics): ReconcileMetrics {
  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Total number of reconciliations per controller',
    labelNames: ['controller', 'result'],
  });
  const errors = metrics.counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Total number of reconciliation errors per controller',
    labelNames: ['controller'],
  });
  const terminal = metrics.counter({
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Total number of terminal reconciliation errors per controller',
    labelNames: ['controller'],
  });
  const time = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of time per reconciliation per controller',
    labelNames: ['controller'],
    buckets,
  });
  const labels = { controller };
  return {
    finished(outcome, seconds) {
      time.observe(seconds, labels);
      total.inc({ controller, result: outcome === 'terminal_error' ? 'error' : outcome });
      if (outcome === 'error' || outcome === 'terminal_error') errors.inc(labels);
      if (outcome === 'terminal_error') terminal.inc(labels);
    },
  };
}
