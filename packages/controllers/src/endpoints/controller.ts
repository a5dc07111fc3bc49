// The Endpoints controller: the addresses of the pods behind each Service, in the old form of one object a Service.

import { splitKey, type ObjectKey } from '@homeostat/client';
import { endpoints, pods, services } from '@homeostat/client/resources';
import type { Caches, PlanController } from '@homeostat/runtime';
import { podSelector, selects, wakeServicesOfPod } from '../shared/service-endpoints/service-pods.ts';
import { TriggerTimeTracker } from '../shared/service-endpoints/trigger-time.ts';
import { diff, type ObservedEndpoints } from './diff.ts';

/** Endpoints that hold a leader election lock of old belong to nobody's Service. */
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const managedByLabel = 'endpoints.kubernetes.io/managed-by';

export interface EndpointsControllerOptions {
  /** `--concurrent-endpoint-syncs`; default 5. */
  readonly concurrency?: number;
}

/** Creates the definition; the manager runs it. */
export function createEndpointsController(options: EndpointsControllerOptions = {}): PlanController<ObservedEndpoints> {
  const tracker = new TriggerTimeTracker();
  return {
    name: 'endpoints-controller',
    eventSource: 'endpoint-controller',
    concurrency: options.concurrency ?? 5,
    retriesMax: 15,
    for: { resource: services },
    watches: [
      { resource: pods, wakes: wakeServicesOfPod },
      {
        resource: endpoints,
        // A deleted one comes back and an edited one is put right; at the start leftovers of Services that went meanwhile are
        // found. What others keep is theirs: nobody looks at it while no Service of that name comes or goes.
        wakes: (change) => {
          if (change.type === 'resync') return [];
          const { annotations, labels, namespace = '', name = '' } = change.object.metadata ?? {};
          if (annotations?.[leaderAnnotation] !== undefined) return [];
          if (change.type !== 'deleted' && labels?.[managedByLabel] === undefined) return [];
          return change.type === 'added' && !change.initial ? [] : [`${namespace}/${name}`];
        },
      },
    ],
    observe: (key, caches) => observe(key, caches, tracker),
    diff,
  };
}

export function observe(key: ObjectKey, caches: Caches, tracker: TriggerTimeTracker): ObservedEndpoints | undefined {
  const { namespace = '', name } = splitKey(key);
  const service = caches.lister(services).getByKey(key);
  const present = caches.lister(endpoints).getByKey(key);
  if (service === undefined) {
    tracker.forget(key);
    return { namespace, name, service, endpoints: present, pods: [], triggerTime: undefined };
  }
  const selector = podSelector(service);
  const selected =
    selector === undefined ? [] : caches.lister(pods).list(namespace, (labels) => selects(selector, labels));
  return {
    namespace,
    name,
    service,
    endpoints: present,
    pods: selected,
    triggerTime: tracker.compute(key, service, selected),
  };
}
