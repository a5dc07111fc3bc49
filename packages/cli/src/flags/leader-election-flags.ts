// The --leader-elect… flags, the same for every component that elects.

import type { FlagSpec } from './flag.ts';

export function leaderElectionFlags(resourceName: string): readonly FlagSpec[] {
  return [
    { name: 'leader-elect', type: 'bool', default: true, help: 'Elect a leader before acting.' },
    {
      name: 'leader-elect-lease-duration',
      type: 'duration',
      default: 15_000,
      help: 'How long a silent leader is waited for.',
    },
    {
      name: 'leader-elect-renew-deadline',
      type: 'duration',
      default: 10_000,
      help: 'How long the leader tries to renew before it gives up.',
    },
    { name: 'leader-elect-retry-period', type: 'duration', default: 2000, help: 'Pause between tries.' },
    { name: 'leader-elect-resource-lock', type: 'string', default: 'leases', help: 'Kind of lock; only leases.' },
    { name: 'leader-elect-resource-name', type: 'string', default: resourceName, help: 'Name of the Lease.' },
    {
      name: 'leader-elect-resource-namespace',
      type: 'string',
      default: 'kube-system',
      help: 'Namespace of the Lease.',
    },
  ];
}
