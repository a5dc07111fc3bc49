// Flags of `homeostat scheduler`: kube-scheduler's names and defaults.

import type { FlagSpec } from './flag.ts';
import { leaderElectionFlags } from './leader-election-flags.ts';
import { servingFlags } from './serving-flags.ts';

export const schedulerFlags: readonly FlagSpec[] = [
  { name: 'kubeconfig', type: 'string', help: 'Kubeconfig of the API server to work against.' },
  { name: 'master', type: 'string', help: 'Address of the API server; overrides the one in the kubeconfig.' },
  ...leaderElectionFlags('kube-scheduler'),
  { name: 'kube-api-qps', type: 'float', default: 50, help: 'Requests a second to the API server.' },
  { name: 'kube-api-burst', type: 'int', default: 100, help: 'Burst of requests to the API server.' },
  {
    name: 'pod-max-in-unschedulable-pods-duration',
    type: 'duration',
    default: 300_000,
    help: 'How long a pod waits at most before it is tried again.',
  },
  ...servingFlags(10259),
  { name: 'profiling', type: 'bool', default: true, help: 'Serve diagnostics below /debug/.' },
  { name: 'feature-gates', type: 'string', help: 'Feature gates key=value,….', inert: true },
];
