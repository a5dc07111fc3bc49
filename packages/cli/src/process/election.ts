// Leader election of a component by its --leader-elect… flags.

import { hostname } from 'node:os';
import type { Env } from '@homeostat/base';
import type { Client } from '@homeostat/client';
import { leases } from '@homeostat/client/resources';
import {
  createEventRecorder,
  createLeaderElector,
  type EventRecorder,
  type LeaderElector,
  referenceTo,
} from '@homeostat/runtime';
import { CliError } from '../cli-error.ts';
import { boolFlag, type FlagValues, numberFlag, textFlag } from '../flags/flag.ts';

export interface ComponentElection {
  readonly election: LeaderElector;
  /** Tells users who leads; run it with the component. */
  readonly events: EventRecorder;
}

/** The elector the flags ask for; undefined with --leader-elect=false. */
export function electionOf(
  values: FlagValues,
  env: Env,
  client: Client,
  component: string,
): ComponentElection | undefined {
  if (!boolFlag(values, 'leader-elect')) return undefined;
  const lock = textFlag(values, 'leader-elect-resource-lock') ?? 'leases';
  if (lock !== 'leases') throw new CliError(`--leader-elect-resource-lock ${lock}: there is leases`);
  const events = createEventRecorder({ client, env, component });
  try {
    const election = createLeaderElector({
      client,
      env,
      namespace: textFlag(values, 'leader-elect-resource-namespace') ?? 'kube-system',
      name: textFlag(values, 'leader-elect-resource-name') ?? '',
      identity: `${hostname()}_${env.random.uuid()}`,
      leaseDurationMs: numberFlag(values, 'leader-elect-lease-duration'),
      renewDeadlineMs: numberFlag(values, 'leader-elect-renew-deadline'),
      retryPeriodMs: numberFlag(values, 'leader-elect-retry-period'),
      recordEvent: (lease, message) =>
        events.record({ regarding: referenceTo(leases, lease), type: 'Normal', reason: 'LeaderElection', message }),
    });
    return { election, events };
  } catch (error) {
    throw new CliError(`leader election: ${error instanceof Error ? error.message : String(error)}`, 1, {
      cause: error,
    });
  }
}
