// The EndpointSlice mirroring controller: Endpoints that users keep by hand, for Services without a selector, as slices.

import type { Service } from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { keyOf, type ObjectKey } from '@homeostat/client';
import { endpoints, endpointSlices, services } from '@homeostat/client/resources';
import {
  type Caches,
  type Change,
  createBucketLimiter,
  createExponentialLimiter,
  createMaxOfLimiter,
  type PlanController,
} from '@homeostat/runtime';
import { servicesOfChange, slicesManagedBy } from '../shared/service-endpoints/slice-names.ts';
import { diff, mirroringManager, type ObservedMirror } from './diff.ts';

export interface EndpointSliceMirroringOptions {
  /** `--mirroring-concurrent-service-endpoint-syncs`; default 5. */
  readonly concurrency?: number;
  /** `--mirroring-max-endpoints-per-subset`; default 1000. */
  readonly subsetMax?: number;
}

const mirroredSlices = slicesManagedBy(mirroringManager);

/** Creates the definition; the manager runs it. */
export function createEndpointSliceMirroringController(
  options: EndpointSliceMirroringOptions = {},
): PlanController<ObservedMirror> {
  return {
    name: 'endpointslice-mirroring-controller',
    eventSource: 'endpoint-slice-mirroring-controller',
    concurrency: options.concurrency ?? 5,
    retriesMax: 15,
    rateLimiter: ({ clock }) =>
      createMaxOfLimiter(
        createExponentialLimiter({ baseMs: 1000, maxMs: 100_000 }),
        createBucketLimiter({ clock, qps: 10, burst: 100 }),
      ),
    for: { resource: endpoints },
    watches: [
      { resource: services, wakes: wakeOfService },
      {
        resource: endpointSlices,
        indexes: [mirroredSlices],
        wakes: (change: Change<EndpointSlice>) =>
          change.type === 'resync' ? [] : servicesOfChange(mirroredSlices, change),
      },
    ],
    observe: (key, caches) => observe(key, caches, options.subsetMax ?? 1000),
    diff,
  };
}

// Services with a selector concern it only in the moment in which they get or lose it.
function wakeOfService(change: Change<Service>): readonly ObjectKey[] {
  const { object } = change;
  const before = change.type === 'updated' ? change.old.spec?.selector : object.spec?.selector;
  const concerns = change.type !== 'resync' && (object.spec?.selector === undefined || before === undefined);
  const flipped = (object.spec?.selector === undefined) !== (before === undefined);
  return concerns && (change.type !== 'updated' || flipped) ? [keyOf(object)] : [];
}

function observe(key: ObjectKey, caches: Caches, subsetMax: number): ObservedMirror {
  return {
    service: caches.lister(services).getByKey(key),
    endpoints: caches.lister(endpoints).getByKey(key),
    slices: caches
      .lister(endpointSlices)
      .byIndex(mirroredSlices.name, key)
      .filter((slice) => slice.metadata?.deletionTimestamp === undefined),
    subsetMax,
  };
}
