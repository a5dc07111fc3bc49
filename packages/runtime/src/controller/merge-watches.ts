// Two watches of one resource as one: an operator may own ConfigMaps and also look at some it does not own. Each part keeps its own
// predicate and its own wakes; there is one cache.

import { deepEqual } from '@homeostat/machinery';
import { resourceId } from '@homeostat/client';
import type { Wake, WatchDefinition } from './controller-definition.ts';

/** Joins them. @throws Error when they cache different things. */
export function mergeWatches(a: WatchDefinition, b: WatchDefinition): WatchDefinition {
  if (!deepEqual(a.select ?? {}, b.select ?? {}) || (a.metadataOnly ?? false) !== (b.metadataOnly ?? false)) {
    throw new Error(`two watches of ${resourceId(a.resource)} want different caches of it`);
  }
  const periods = [a.resyncPeriodMs, b.resyncPeriodMs].filter((period) => period !== undefined);
  const { predicate: _a, resyncPeriodMs: _period, ...rest } = a;
  return {
    ...rest,
    indexes: [...new Set([...(a.indexes ?? []), ...(b.indexes ?? [])])],
    optional: a.optional === true && b.optional === true,
    ...(periods.length === 0 ? {} : { resyncPeriodMs: shortest(periods) }),
    wakes: (change, caches) => {
      const wakes: Wake[] = [];
      for (const part of [a, b]) {
        if (change.type === 'updated' && part.predicate?.(change.old, change.object) === false) continue;
        wakes.push(...(part.wakes?.(change, caches) ?? []));
      }
      return wakes;
    },
  };
}

/** 0 is never. */
function shortest(periods: readonly number[]): number {
  const asked = periods.filter((period) => period > 0);
  return asked.length === 0 ? 0 : Math.min(...asked);
}
