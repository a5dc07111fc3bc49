// Leader election of a component by its --leader-elect… flags.

import { hostname } from 'node:os';
import type { Env } from '@homeostat/base';
import type { Client } from '@homeostat/client';
import { createLeaderElector, type LeaderElector } from '@homeostat/runtime';
import { CliError } from '../cli-error.ts';
import { boolFlag, type FlagValues, numberFlag, textFlag } from '../flags/flag.ts';

/** The elector the flags ask for; undefined with --leader-elect=false. */
export function electionOf(values: FlagValues, env: Env, client: Client): LeaderElector | undefined {
  if (!boolFlag(values, 'leader-elect')) return undefined;
  const lock = textFlag(values, 'leader-elect-resource-lock') ?? 'leases';
  if (lock !== 'leases') throw new CliError(`--leader-elect-resource-lock ${lock}: there is leases`);
  try {
    return createLeaderElector({
      client,
      env,
      namespace: textFlag(values, 'leader-elect-resource-namespace') ?? 'kube-system',
      name: textFlag(values, 'leader-elect-resource-name') ?? '',
      identity: `${hostname()}_${env.random.uuid()}`,
      leaseDurationMs: numberFlag(values, 'leader-elect-lease-duration'),
      renewDeadlineMs: numberFlag(values, 'leader-elect-renew-deadline'),
      retryPeriodMs: numberFlag(values, 'leader-elect-retry-period'),
    });
  } catch (error) {
    throw new CliError(`leader election: ${error instanceof Error ? error.message : String(error)}`, 1, {
      cause: error,
    });
  }
}
