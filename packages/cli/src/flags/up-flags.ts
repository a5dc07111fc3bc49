// Flags of `homeostat up`: the whole cluster in one process. Others script against these words.

import type { FlagSpec } from './flag.ts';

export const upFlags: readonly FlagSpec[] = [
  {
    name: 'data-dir',
    type: 'string',
    default: '.homeostat',
    help: 'Directory for the data, the PKI and the kubeconfig.',
  },
  { name: 'storage', type: 'string', default: 'sqlite', help: 'Storage engine: sqlite or memory.' },
  { name: 'bind-address', type: 'string', default: '127.0.0.1', help: 'Address to listen on.' },
  { name: 'secure-port', type: 'int', default: 6443, help: 'Port for HTTPS; 0 takes a free one.' },
  { name: 'nodes', type: 'int', default: 3, help: 'Number of simulated nodes.' },
  {
    name: 'components',
    type: 'list',
    default: ['apiserver', 'controller-manager', 'scheduler', 'nodes'],
    help: 'Components to run: apiserver, controller-manager, scheduler, nodes.',
  },
  {
    name: 'kubeconfig-out',
    type: 'string',
    help: 'Where to write the administrator kubeconfig; default DATA_DIR/kubeconfig.',
  },
  { name: 'token-auth-file', type: 'string', help: 'CSV file of static tokens: token,user,uid,"group1,group2".' },
  { name: 'service-cluster-ip-range', type: 'string', default: '10.0.0.0/24', help: 'Range of Service cluster IPs.' },
];
