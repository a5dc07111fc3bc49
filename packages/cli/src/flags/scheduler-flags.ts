// Flags of `homeostat scheduler`: kube-scheduler's names and defaults.

import type { FlagSpec } from './flag.ts';
import { leaderElectionFlags } from './leader-election-flags.ts';

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
  { name: 'secure-port', type: 'int', default: 10259, help: 'Port of health and metrics; 0 serves none.' },
  { name: 'bind-address', type: 'string', default: '127.0.0.1', help: 'Address of health and metrics.' },
  { name: 'cert-dir', type: 'string', help: 'Directory of the serving certificate; made in memory when absent.' },
  { name: 'tls-cert-file', type: 'string', help: 'Serving certificate (PEM).' },
  { name: 'tls-private-key-file', type: 'string', help: 'Key of --tls-cert-file.' },
  { name: 'authentication-kubeconfig', type: 'string', help: 'Kubeconfig for delegated authentication.', inert: true },
  { name: 'authorization-kubeconfig', type: 'string', help: 'Kubeconfig for delegated authorization.', inert: true },
  { name: 'client-ca-file', type: 'string', help: 'CA of client certificates.', inert: true },
  { name: 'profiling', type: 'bool', default: true, help: 'Serve profiles.', inert: true },
  { name: 'feature-gates', type: 'string', help: 'Feature gates key=value,….', inert: true },
];
