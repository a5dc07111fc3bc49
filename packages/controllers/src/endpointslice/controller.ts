// The EndpointSlice controller: the addresses of the pods behind each Service, in slices of at most 100.

import type { Node } from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { splitKey, type ObjectKey } from '@homeostat/client';
import { endpointSlices, nodes, pods, services } from '@homeostat/client/resources';
import {
  type Caches,
  type Change,
  createBucketLimiter,
  createExponentialLimiter,
  createMaxOfLimiter,
  type PlanController,
} from '@homeostat/runtime';
import { podSelector, selects, wakeServicesOfPod } from '../shared/service-endpoints/service-pods.ts';
import { TriggerTimeTracker } from '../shared/service-endpoints/trigger-time.ts';
import { servicesOfChange, slicesManagedBy } from '../shared/service-endpoints/slice-names.ts';
import { diff, managedBy, type ObservedSlices } from './diff.ts';

export interface EndpointSliceControllerOptions {
  /** `--concurrent-service-endpoint-syncs`; default 5. */
  readonly concurrency?: number;
  /** `--max-endpoints-per-slice`; 1 to 1000, default 100. */
  readonly endpointsMax?: number;
}

/** Someone else's hand on a slice is answered after this time, so that a fight over it stays slow. */
const sliceDelayMs = 1000;

const slicesByService = slicesManagedBy(managedBy);

/** Creates the definition; the manager runs it. */
export function createEndpointSliceController(
  options: EndpointSliceControllerOptions = {},
): PlanController<ObservedSlices> {
  const tracker = new TriggerTimeTracker();
  return {
    name: 'endpointslice-controller',
    eventSource: 'endpoint-slice-controller',
    concurrency: options.concurrency ?? 5,
    retriesMax: 15,
    rateLimiter: ({ clock }) =>
      createMaxOfLimiter(
        createExponentialLimiter({ baseMs: 1000, maxMs: 1_000_000 }),
        createBucketLimiter({ clock, qps: 10, burst: 100 }),
      ),
    for: { resource: services },
    watches: [
      { resource: pods, wakes: wakeServicesOfPod },
      { resource: endpointSlices, indexes: [slicesByService], wakes: wakeServiceOfSlice },
      { resource: nodes, wakes: () => [] },
    ],
    observe: (key, caches) => observe(key, caches, tracker, options.endpointsMax ?? 100),
    diff,
  };
}

function wakeServiceOfSlice(
  change: Change<EndpointSlice>,
): readonly { readonly key: ObjectKey; readonly afterMs: number }[] {
  if (change.type === 'resync' || (change.type === 'added' && change.initial)) return [];
  return [...servicesOfChange(slicesByService, change)].map((key) => ({ key, afterMs: sliceDelayMs }));
}

export function observe(
  key: ObjectKey,
  caches: Caches,
  tracker: TriggerTimeTracker,
  endpointsMax: number,
): ObservedSlices | undefined {
  const service = caches.lister(services).getByKey(key);
  if (service === undefined) {
    tracker.forget(key); // its slices go with their owner, by the garbage collector
    return undefined;
  }
  const { namespace } = splitKey(key);
  const selector = podSelector(service);
  const selected =
    selector === undefined ? [] : caches.lister(pods).list(namespace, (labels) => selects(selector, labels));
  const nodeLister = caches.lister(nodes);
  const byName = new Map<string, Node>();
  for (const pod of selected) {
    const name = pod.spec?.nodeName ?? '';
    const node = name === '' ? undefined : nodeLister.get(undefined, name);
    if (node !== undefined) byName.set(name, node);
  }
  return {
    service,
    slices: caches
      .lister(endpointSlices)
      .byIndex(slicesByService.name, key)
      .filter((slice) => slice.metadata?.deletionTimestamp === undefined),
    pods: selected,
    nodes: byName,
    triggerTime: tracker.compute(key, service, selected),
    endpointsMax,
  };
}
