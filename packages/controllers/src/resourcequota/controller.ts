// The ResourceQuota controller: recounts what each namespace uses of what it is allowed. Admission charges creations at once; deletions,
// ends of pods and whatever admission got wrong are seen here.

import type { ResourceQuota } from '@homeostat/api/types/core-v1';
import { equalLists, type QuotaEvaluator, quotaEvaluatorOf } from '@homeostat/api';
import { keyOf, type ObjectKey, resourceId, type ResourceType, splitKey } from '@homeostat/client';
import { deepEqual, type KubeObject } from '@homeostat/machinery';
import { type Caches, type Change, type PlanController, wakeSelf, type WatchDefinition } from '@homeostat/runtime';
import type { Env } from '@homeostat/base';
import { persistentVolumeClaims, pods, resourceClaims, resourceQuotas, services } from '@homeostat/client/resources';
import type { CountedResources } from './counted-resources.ts';
import { type Counted, diff, type ObservedQuota } from './diff.ts';

export interface ResourceQuotaControllerOptions {
  readonly env: Env;
  readonly counted: CountedResources;
  /** `--concurrent-resource-quota-syncs`; default 5. */
  readonly concurrency?: number;
  /** `--resource-quota-sync-period`; default 5 min. */
  readonly syncPeriodMs?: number;
}

/** Resources of which more is counted than their number: seen whole. */
const wholeResources: readonly ResourceType[] = [pods, services, persistentVolumeClaims, resourceClaims];

/** Ids of the resources that the controller watches itself. */
export const ownResources: ReadonlySet<string> = new Set(wholeResources.map(resourceId));

/** Creates the definition; the manager runs it. */
export function createResourceQuotaController(options: ResourceQuotaControllerOptions): PlanController<ObservedQuota> {
  const { env, counted } = options;
  return {
    name: 'resourcequota-controller',
    concurrency: options.concurrency ?? 5,
    for: {
      resource: resourceQuotas,
      // Admission writes what is used with each creation; counting all again each time would be quadratic.
      predicate: (old: ResourceQuota, quota: ResourceQuota) => !deepEqual(old.spec ?? {}, quota.spec ?? {}),
      wakes: wakeSelf,
      resyncPeriodMs: options.syncPeriodMs ?? 300_000,
    } as WatchDefinition,
    watches: wholeResources.map((resource): WatchDefinition => {
      const evaluator = quotaEvaluatorOf(resource);
      return {
        resource,
        wakes: (change, caches) => {
          if (evaluator === undefined) return [];
          const keys = quotasOf(caches, change.object.metadata?.namespace ?? '', evaluator);
          return keys.length > 0 && makesRoom(change, evaluator, env.clock.nowMs()) ? keys : [];
        },
      };
    }),
    observe: (key, caches) => observe(key, caches, counted),
    diff,
  };
}

/** The quotas of a namespace that count by an evaluator. */
export function quotasOf(caches: Caches, namespace: string, evaluator: QuotaEvaluator): readonly ObjectKey[] {
  return caches
    .lister(resourceQuotas)
    .list(namespace)
    .filter((quota) => evaluator.matchingNames(Object.keys(quota.spec?.hard ?? {})).length > 0)
    .map(keyOf);
}

// Additions were charged when they were admitted; what goes or changes its use was not.
function makesRoom(change: Change<KubeObject>, evaluator: QuotaEvaluator, nowMs: number): boolean {
  if (change.type === 'deleted') return true;
  if (change.type !== 'updated') return false;
  return !equalLists(evaluator.usage(change.old, nowMs), evaluator.usage(change.object, nowMs));
}

function observe(key: ObjectKey, caches: Caches, resources: CountedResources): ObservedQuota | undefined {
  const quota = caches.lister(resourceQuotas).getByKey(key);
  if (quota === undefined) return undefined;
  const { namespace = '' } = splitKey(key);
  const names = Object.keys(quota.spec?.hard ?? {});
  const counts = (evaluator: QuotaEvaluator): boolean => evaluator.matchingNames(names).length > 0;
  const counted: Counted[] = [];
  for (const resource of wholeResources) {
    const evaluator = quotaEvaluatorOf(resource);
    if (evaluator === undefined || !counts(evaluator)) continue;
    counted.push({ evaluator, objects: caches.lister(resource).list(namespace) });
  }
  for (const resource of resources.all()) {
    if (!counts(resource.evaluator)) continue;
    counted.push({
      evaluator: resource.evaluator,
      objects: resource.synced ? resource.list(namespace) : undefined,
    });
  }
  const known = new Set(counted.flatMap(({ evaluator }) => evaluator.matchingNames(names)));
  return { quota, counted, incomplete: !resources.discovered && names.some((name) => !known.has(name)) };
}
