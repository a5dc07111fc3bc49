// Flags of `homeostat kubelet`: kubelet's names, and --runtime/--nodes of ours.

import type { FlagSpec } from './flag.ts';

export const kubeletFlags: readonly FlagSpec[] = [
  { name: 'kubeconfig', type: 'string', help: 'Kubeconfig of the API server to work against.' },
  { name: 'runtime', type: 'string', default: 'simulated', help: 'Container runtime: simulated.' },
  { name: 'nodes', type: 'int', default: 1, help: 'Number of nodes this process plays.' },
  {
    name: 'hostname-override',
    type: 'string',
    help: 'Name of the node; with --nodes above 1, the prefix of their names.',
  },
  { name: 'node-labels', type: 'list', help: 'Labels key=value of the nodes.' },
  { name: 'register-with-taints', type: 'list', help: 'Taints key=value:effect of the nodes.' },
  { name: 'max-pods', type: 'int', default: 110, help: 'Most pods on a node.' },
  { name: 'node-status-update-frequency', type: 'duration', default: 10_000, help: 'Period of computing node status.' },
  { name: 'kube-api-qps', type: 'float', default: 50, help: 'Requests a second to the API server, each node.' },
  { name: 'kube-api-burst', type: 'int', default: 100, help: 'Burst of requests to the API server, each node.' },
  { name: 'feature-gates', type: 'string', help: 'Feature gates key=value,….', inert: true },
];
