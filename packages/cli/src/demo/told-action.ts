// Turns the runtime's record of an action into what the narrator tells.

import type { ControllerDependencies } from '@homeostat/runtime';
import type { ToldAction } from './world.ts';

type Recorded = Parameters<NonNullable<ControllerDependencies['onAction']>>[0];

/** Undefined for actions that were skipped, and for reads. */
export function tellAction(process: string, record: Recorded): ToldAction | undefined {
  const { outcome, controller, key, wokenBy } = record;
  const { action } = outcome;
  if (outcome.status === 'skipped' || action.verb === 'get' || action.verb === 'list' || action.verb === 'event')
    return undefined;
  const name = 'name' in action ? action.name : outcome.status === 'done' ? (outcome.object?.metadata?.name ?? '') : '';
  return {
    process,
    controller,
    key,
    verb: action.verb,
    target: `${action.resource.resource}${name === '' ? '' : ` ${name}`}`,
    reason: action.reason,
    facts: action.facts,
    ...(outcome.status === 'failed' ? { failed: outcome.error.message } : {}),
    ...(wokenBy === undefined
      ? {}
      : { wokenBy: `${wokenBy.change} ${wokenBy.resource.split('.')[0] ?? ''} ${wokenBy.object}` }),
  };
}
