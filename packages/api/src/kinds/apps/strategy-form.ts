// The strategy of Deployments and DaemonSets, as Go prints it in error messages.

import type { GoField } from '../rules/go-form.ts';

export const strategyForm: readonly GoField[] = [
  ['Type', 'type', ''],
  [
    'RollingUpdate',
    'rollingUpdate',
    null,
    [
      ['MaxUnavailable', 'maxUnavailable', 0],
      ['MaxSurge', 'maxSurge', 0],
    ],
  ],
];
