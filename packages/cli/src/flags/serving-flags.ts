// Flags of the port on which a component serves health and metrics.

import type { FlagSpec } from './flag.ts';

export function servingFlags(port: number): readonly FlagSpec[] {
  return [
    { name: 'secure-port', type: 'int', default: port, help: 'Port of health and metrics; 0 serves none.' },
    { name: 'bind-address', type: 'string', default: '127.0.0.1', help: 'Address of health and metrics.' },
    { name: 'cert-dir', type: 'string', help: 'Directory of the serving certificate; made in memory when absent.' },
    { name: 'tls-cert-file', type: 'string', help: 'Serving certificate (PEM).' },
    { name: 'tls-private-key-file', type: 'string', help: 'Key of --tls-cert-file.' },
    {
      name: 'authentication-kubeconfig',
      type: 'string',
      help: 'Kubeconfig to check tokens with; default --authorization-kubeconfig.',
    },
    {
      name: 'authorization-kubeconfig',
      type: 'string',
      help: 'Kubeconfig to check rights with; default --authentication-kubeconfig. Without either, all may read the port.',
    },
    { name: 'client-ca-file', type: 'string', help: 'CA of client certificates (PEM), for those who read the port.' },
  ];
}
