// The plan of one ResourceQuota: its status says what it allows and what is used of that (spec/infrastructure.md §15.2). Pure.

import type { ResourceQuota } from '@homeostat/api/types/core-v1';
import { addLists, equalLists, type QuotaEvaluator, scopesOf } from '@homeostat/api';
import { resourceQuotas } from '@homeostat/client/resources';
import type { KubeObject } from '@homeostat/machinery';
import { emptyPlan, type Plan, type PlanFailure } from '@homeostat/runtime';

/** The objects of the namespace that one evaluator counts. */
export interface Counted {
  readonly evaluator: QuotaEvaluator;
  /** Undefined: not known yet. What the status says of them stays. */
  readonly objects: readonly KubeObject[] | undefined;
}

export interface ObservedQuota {
  readonly quota: ResourceQuota;
  /** Those that say something about the names of the quota. */
  readonly counted: readonly Counted[];
  /** Whether names may be missing in {@link counted}, because the server was not asked what it serves yet. */
  readonly incomplete: boolean;
}

export function diff({ quota, counted, incomplete }: ObservedQuota, now: number): Plan {
  const hard = quota.spec?.hard ?? {};
  const names = Object.keys(hard);
  const stored = quota.status?.used ?? {};
  const used: Record<string, string> = {};
  for (const name of names) if (stored[name] !== undefined) used[name] = stored[name];
  let unknown = incomplete;
  for (const { evaluator, objects } of counted) {
    if (objects === undefined) {
      unknown = true;
      continue;
    }
    const sum = usageOf(quota, evaluator, objects, now);
    for (const name of evaluator.matchingNames(names)) used[name] = sum[name] ?? '0';
  }
  const failure: PlanFailure = { reason: 'CountIncomplete', message: 'not everything the quota counts is known yet' };
  const waiting = unknown ? { failure } : {};
  if (equalLists(quota.status?.hard ?? {}, hard) && equalLists(stored, used))
    return unknown ? { steps: [], ...waiting } : emptyPlan;
  return {
    steps: [
      {
        actions: [
          {
            verb: 'status',
            resource: resourceQuotas,
            namespace: quota.metadata?.namespace ?? '',
            name: quota.metadata?.name ?? '',
            object: { ...quota, apiVersion: 'v1', kind: 'ResourceQuota', status: { hard, used } } as ResourceQuota,
            tolerates: ['NotFound'],
            reason: 'UsageDiffers',
            facts: { used },
          },
        ],
      },
    ],
    ...waiting,
  };
}

function usageOf(
  quota: ResourceQuota,
  evaluator: QuotaEvaluator,
  objects: readonly KubeObject[],
  now: number,
): Readonly<Record<string, string>> {
  const scopes = scopesOf(quota);
  return objects
    .filter((object) => scopes.every((scope) => evaluator.matchesScope(scope, object)))
    .reduce((sum: Readonly<Record<string, string>>, object) => addLists(sum, evaluator.usage(object, now)), {});
}
