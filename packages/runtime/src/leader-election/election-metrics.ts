// Metrics of leader election under client-go's names, label `name`: the Lease.

import type { Metrics } from '@homeostat/base';

export interface ElectionMetrics {
  leading(is: boolean): void;
  /** A leader had to read the Lease before it could renew. */
  slowPath(): void;
}

export function createElectionMetrics(name: string, metrics: Metrics): ElectionMetrics {
  const labels = { name };
  const labelNames = ['name'];
  const status = metrics.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process leads (1) or stands by (0); name is the Lease',
    labelNames,
  });
  const slowPaths = metrics.counter({
    name: 'leader_election_slowpath_total',
    help: 'Renewals that had to read the Lease first; name is the Lease',
    labelNames,
  });
  status.set(0, labels);
  return { leading: (is) => status.set(is ? 1 : 0, labels), slowPath: () => slowPaths.inc(labels) };
}
