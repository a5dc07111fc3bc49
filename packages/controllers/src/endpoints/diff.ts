// The plan of the Endpoints of one Service (spec/infrastructure.md §9.2). Pure but for the trigger-time memory it is given.

import type { Endpoints, EndpointSubset, Pod, Service } from '@homeostat/api/types/core-v1';
import { endpoints as endpointsResource } from '@homeostat/client/resources';
import { deepEqual } from '@homeostat/machinery';
import { emptyPlan, type Plan } from '@homeostat/runtime';
import { isNamespaceTerminating } from '../shared/api-problem.ts';
import { event } from '../shared/pod-control.ts';
import { isHeadless, podSelector } from '../shared/service-endpoints/service-pods.ts';
import { triggerTimeAnnotation } from '../shared/service-endpoints/trigger-time.ts';
import { buildSubsets, truncate } from './subsets.ts';

const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const managedBy = 'endpoint-controller';
const headlessLabel = 'service.kubernetes.io/headless';
const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity';

export interface ObservedEndpoints {
  readonly namespace: string;
  readonly name: string;
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined;
  /** Pods the service selects. */
  readonly pods: readonly Pod[];
  /** See `TriggerTimeTracker`. */
  readonly triggerTime: string | undefined;
}

export function diff(observed: ObservedEndpoints): Plan {
  const { service, endpoints, name, namespace } = observed;
  if (service === undefined) return endpoints === undefined ? emptyPlan : deletePlan(namespace, name);
  if (podSelector(service) === undefined) return emptyPlan;
  const full = buildSubsets(service, observed.pods);
  const cut = truncate(full);
  const labels = wantedLabels(service);
  if (endpoints !== undefined && cut === undefined && isRight(endpoints, full, labels)) return emptyPlan;
  return writePlan(observed, cut ?? full, labels, cut !== undefined);
}

function wantedLabels(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _headless, ...own } = service.metadata?.labels ?? {};
  return { ...own, [managedByLabel]: managedBy, ...(isHeadless(service) ? { [headlessLabel]: '' } : {}) };
}

function isRight(
  endpoints: Endpoints,
  subsets: readonly EndpointSubset[],
  labels: Readonly<Record<string, string>>,
): boolean {
  if (endpoints.metadata?.annotations?.[overCapacityAnnotation] !== undefined) return false;
  if (!deepEqual(endpoints.metadata?.labels ?? {}, labels)) return false;
  return deepEqual(withoutVersions(endpoints.subsets ?? []), subsets);
}

function withoutVersions(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const strip = (addresses: EndpointSubset['addresses']): EndpointSubset['addresses'] =>
    addresses?.map((address) => {
      if (address.targetRef?.resourceVersion === undefined) return address;
      const { resourceVersion: _version, ...targetRef } = address.targetRef;
      return { ...address, targetRef };
    });
  return subsets.map((subset) => {
    const addresses = strip(subset.addresses);
    const notReadyAddresses = strip(subset.notReadyAddresses);
    return {
      ...subset,
      ...(addresses === undefined ? {} : { addresses }),
      ...(notReadyAddresses === undefined ? {} : { notReadyAddresses }),
    };
  });
}

function writePlan(
  observed: ObservedEndpoints,
  subsets: readonly EndpointSubset[],
  labels: Readonly<Record<string, string>>,
  truncated: boolean,
): Plan {
  const { endpoints, namespace, name, triggerTime } = observed;
  const {
    [triggerTimeAnnotation]: _time,
    [overCapacityAnnotation]: _over,
    ...kept
  } = endpoints?.metadata?.annotations ?? {};
  const annotations = {
    ...kept,
    ...(triggerTime === undefined ? {} : { [triggerTimeAnnotation]: triggerTime }),
    ...(truncated ? { [overCapacityAnnotation]: 'truncated' } : {}),
  };
  const object = {
    ...endpoints,
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...endpoints?.metadata, name, namespace, labels, annotations },
    subsets,
  } as Endpoints;
  const facts = { pods: observed.pods.length, subsets: subsets.length };
  const creating = endpoints === undefined;
  const failed = creating ? 'FailedToCreateEndpoint' : 'FailedToUpdateEndpoint';
  const text = creating
    ? `Failed to create endpoint for service ${namespace}/${name}`
    : `Failed to update endpoint ${namespace}/${name}`;
  const common = {
    resource: endpointsResource,
    namespace,
    object,
    tolerates: ['NamespaceTerminating'],
    reason: creating ? 'EndpointsMissing' : 'EndpointsDiffer',
    facts,
    announce: (outcome: { readonly status: string; readonly error?: Error }) =>
      outcome.status === 'failed' && !isNamespaceTerminating(outcome.error)
        ? [event(object, 'Warning', failed, `${text}: ${outcome.error?.message ?? ''}`)]
        : [],
  } as const;
  return { steps: [{ actions: [creating ? { verb: 'create', ...common } : { verb: 'update', name, ...common }] }] };
}

function deletePlan(namespace: string, name: string): Plan {
  return {
    steps: [
      {
        actions: [
          {
            verb: 'delete',
            resource: endpointsResource,
            namespace,
            name,
            tolerates: ['NotFound'],
            reason: 'ServiceGone',
            facts: {},
          },
        ],
      },
    ],
  };
}
