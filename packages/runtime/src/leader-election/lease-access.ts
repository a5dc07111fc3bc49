// Requests about the one Lease of an election: what the state machine asks for, and giving the Lease up at the end.

import { type Env, isApiError } from '@homeostat/base';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import { type Client, isConflict, isNotFound } from '@homeostat/client';
import { leases } from '@homeostat/client/resources';
import {
  type ElectionConfig,
  type ElectionEffect,
  type ElectionInput,
  type ElectionNow,
  isHolder,
  isSameTerm,
  released,
} from './election-state.ts';

export interface LeaseAccess {
  readonly client: Client;
  readonly env: Env;
  readonly config: ElectionConfig;
}

/** Carries out an effect; a failure is an input like any other. */
export async function performOnLease(
  { client, env, config }: LeaseAccess,
  effect: Exclude<ElectionEffect, { readonly do: 'rest' }>,
  signal: AbortSignal | undefined,
): Promise<ElectionInput> {
  const { namespace, name } = config;
  // One hung request must not use up the time there is to renew.
  const timeoutMs = Math.max(1_000, config.renewDeadlineMs / 2);
  const call = signal === undefined ? { timeoutMs } : { timeoutMs, signal };
  try {
    switch (effect.do) {
      case 'read':
        return { type: 'read', lease: await client.get(leases, { namespace, name, ...call }) };
      case 'create':
        return { type: 'written', lease: await client.create(leases, { object: effect.lease, ...call }) };
      case 'update':
        return { type: 'written', lease: await client.update(leases, { object: effect.lease, ...call }) };
    }
  } catch (error) {
    if (effect.do === 'read' && isNotFound(error)) return { type: 'read', lease: undefined };
    const fields = { lease: `${namespace}/${name}`, error };
    if (isApiError(error, 'Conflict', 'AlreadyExists'))
      env.log.debug('another candidate wrote the lease first', fields);
    else env.log.error('failed to read or write the lease', fields);
    return { type: 'failed' };
  }
}

/** Gives the Lease up, if it is still as `mine`; bounded by the renew deadline. Returns it as written, undefined when nothing was. */
export async function releaseLease(
  { client, env, config }: LeaseAccess,
  mine: Lease,
  now: () => ElectionNow,
): Promise<Lease | undefined> {
  const { namespace, name, renewDeadlineMs } = config;
  const limit = new AbortController();
  const timer = env.clock.setTimer(renewDeadlineMs, () => limit.abort(new Error('release deadline')));
  const { signal } = limit;
  try {
    while (!signal.aborted) {
      const lease = await client.get(leases, { namespace, name, signal });
      if (!isHolder(config, lease) || !isSameTerm(mine, lease)) return undefined;
      try {
        return await client.update(leases, { object: released(lease, now()), signal });
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  } catch (error) {
    env.log.warn('the leader lease was not released', { lease: `${namespace}/${name}`, error });
  } finally {
    timer.cancel();
  }
  return undefined;
}
