// The plan of the EndpointSlices of one Service (spec/infrastructure.md §10.4, §10.5). Pure.

import type { Node, Pod, Service } from '@homeostat/api/types/core-v1';
import type { Endpoint, EndpointPort, EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { endpointSlices, services } from '@homeostat/client/resources';
import { deepEqual } from '@homeostat/machinery';
import { type Action, controllerOf, emptyPlan, type Plan } from '@homeostat/runtime';
import { isNamespaceTerminating } from '../shared/api-problem.ts';
import { controllerReference } from '../shared/controller-ref.ts';
import { event } from '../shared/pod-control.ts';
import { isHeadless, podSelector } from '../shared/service-endpoints/service-pods.ts';
import { triggerTimeAnnotation } from '../shared/service-endpoints/trigger-time.ts';
import { deleteSlice, managedByLabel, portsKey, serviceNameLabel } from '../shared/service-endpoints/slice-names.ts';
import { type AddressType, addressTypes, desiredEndpoints } from './desired.ts';
import { distribute, type SliceChange } from './distribute.ts';

export const managedBy = 'endpointslice-controller.k8s.io';
const headlessLabel = 'service.kubernetes.io/headless';

export interface ObservedSlices {
  readonly service: Service;
  /** Slices of the service that this controller manages, without those being deleted. */
  readonly slices: readonly EndpointSlice[];
  readonly pods: readonly Pod[];
  /** Nodes of the pods, by name. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly triggerTime: string | undefined;
  readonly endpointsMax: number;
}

interface NewSlice {
  readonly type: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

interface Changes {
  readonly create: NewSlice[];
  readonly update: SliceChange[];
  readonly remove: EndpointSlice[];
}

export function diff(observed: ObservedSlices): Plan {
  const { service } = observed;
  if (podSelector(service) === undefined) return emptyPlan;
  const changes: Changes = { create: [], update: [], remove: [] };
  const types = addressTypes(service);
  changes.remove.push(...observed.slices.filter((slice) => !types.includes(slice.addressType as AddressType)));
  const missing = types.flatMap((type) => reconcileType(observed, type, changes));
  const actions = [...finalise(observed, changes)];
  if (missing.length === 0) return actions.length === 0 ? emptyPlan : { steps: [{ actions }] };
  // What can be written is written; the pods of unknown nodes are tried again.
  const message = `failed to find node for pods: ${missing.join(', ')}`;
  return {
    steps: actions.length === 0 ? [] : [{ actions, onFailure: 'continue' }],
    failure: { reason: 'NodeMissing', message },
  };
}

function reconcileType(observed: ObservedSlices, type: AddressType, changes: Changes): readonly string[] {
  const { service, pods, nodes, slices, endpointsMax } = observed;
  const desired = desiredEndpoints(service, pods, nodes, type);
  const labels = wantedLabels(service);
  const byPorts = new Map<string, EndpointSlice[]>();
  let kept = 0;
  for (const slice of slices.filter((candidate) => candidate.addressType === type)) {
    if (controllerOf(slice)?.uid !== service.metadata?.uid) {
      changes.remove.push(slice);
      continue;
    }
    const key = portsKey(slice.ports ?? []);
    byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  for (const [key, group] of desired.groups) {
    const existing = byPorts.get(key) ?? [];
    byPorts.delete(key);
    const needsWrite = (slice: EndpointSlice): boolean => !deepEqual(slice.metadata?.labels ?? {}, labels);
    const result = distribute({ existing, group, endpointsMax, needsWrite });
    changes.create.push(...result.create.map((slice) => ({ type, ...slice })));
    changes.update.push(...result.update);
    changes.remove.push(...result.remove);
    kept += existing.length - result.remove.length + result.create.length;
  }
  const vanished = [...byPorts.values()].flat();
  if (kept > 0) changes.remove.push(...vanished);
  else keepPlaceholder(type, vanished, labels, changes);
  return desired.missingNodes;
}

// A Service with a selector always has a slice, be it empty: who waits for slices can tell "none yet" from "no endpoints".
function keepPlaceholder(
  type: AddressType,
  vanished: readonly EndpointSlice[],
  labels: Readonly<Record<string, string>>,
  changes: Changes,
): void {
  const isPlaceholder = (slice: EndpointSlice): boolean =>
    (slice.endpoints ?? []).length === 0 &&
    (slice.ports ?? []).length === 0 &&
    deepEqual(slice.metadata?.labels ?? {}, labels);
  const placeholder = vanished.find(isPlaceholder);
  changes.remove.push(...vanished.filter((slice) => slice !== placeholder));
  if (placeholder === undefined) changes.create.push({ type, ports: [], endpoints: [] });
}

// New slices take the names of slices that would go: one write in the place of two.
function* finalise(observed: ObservedSlices, changes: Changes): Iterable<Action> {
  const { service } = observed;
  const remove = [...changes.remove];
  const create = service.metadata?.deletionTimestamp === undefined ? changes.create : [];
  for (const wanted of create) {
    const index = remove.findIndex(
      (slice) => slice.addressType === wanted.type && controllerOf(slice)?.uid === service.metadata?.uid,
    );
    const recycled = index === -1 ? undefined : remove.splice(index, 1)[0];
    if (recycled === undefined) yield createAction(observed, wanted);
    else yield updateAction(observed, recycled, wanted.endpoints, wanted.ports);
  }
  for (const { slice, endpoints } of changes.update) yield updateAction(observed, slice, endpoints, slice.ports ?? []);
  for (const slice of remove) yield deleteSlice(slice);
}

function wantedLabels(service: Service): Readonly<Record<string, string>> {
  const {
    [serviceNameLabel]: _name,
    [managedByLabel]: _by,
    [headlessLabel]: _headless,
    ...own
  } = service.metadata?.labels ?? {};
  return {
    ...own,
    [serviceNameLabel]: service.metadata?.name ?? '',
    [managedByLabel]: managedBy,
    ...(isHeadless(service) ? { [headlessLabel]: '' } : {}),
  };
}

function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Readonly<Record<string, string>> {
  const { [triggerTimeAnnotation]: _old, ...rest } = annotations ?? {};
  return time === undefined ? rest : { ...rest, [triggerTimeAnnotation]: time };
}

function createAction(observed: ObservedSlices, wanted: NewSlice): Action {
  const { service, triggerTime } = observed;
  const namespace = service.metadata?.namespace ?? '';
  const object = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${service.metadata?.name ?? ''}-`,
      namespace,
      labels: wantedLabels(service),
      annotations: withTriggerTime(undefined, triggerTime),
      ownerReferences: [controllerReference(service, services)],
    },
    addressType: wanted.type,
    endpoints: wanted.endpoints,
    ports: wanted.ports,
  } as EndpointSlice;
  return {
    verb: 'create',
    resource: endpointSlices,
    namespace,
    object,
    tolerates: ['NamespaceTerminating'],
    reason: 'EndpointsMissing',
    facts: { endpoints: wanted.endpoints.length, type: wanted.type },
    announce: announceFailure(service),
  };
}

function updateAction(
  observed: ObservedSlices,
  slice: EndpointSlice,
  endpoints: readonly Endpoint[],
  ports: readonly EndpointPort[],
): Action {
  const { service, triggerTime } = observed;
  const object = {
    ...slice,
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...slice.metadata,
      labels: wantedLabels(service),
      annotations: withTriggerTime(slice.metadata?.annotations, triggerTime),
    },
    endpoints,
    ports,
  } as EndpointSlice;
  return {
    verb: 'update',
    resource: endpointSlices,
    namespace: slice.metadata?.namespace ?? '',
    name: slice.metadata?.name ?? '',
    object,
    reason: 'EndpointsDiffer',
    facts: { had: slice.endpoints?.length ?? 0, wants: endpoints.length },
    announce: announceFailure(service),
  };
}

function announceFailure(service: Service): Action['announce'] {
  return (outcome) => {
    if (outcome.status !== 'failed' || isNamespaceTerminating(outcome.error)) return [];
    const id = `${service.metadata?.namespace ?? ''}/${service.metadata?.name ?? ''}`;
    return [
      event(
        service,
        'Warning',
        'FailedToUpdateEndpointSlices',
        `Error updating Endpoint Slices for Service ${id}: ${outcome.error.message}`,
      ),
    ];
  };
}
