// The plan of the slices that mirror one Endpoints object (spec/infrastructure.md §11.3). Pure.

import type { Endpoints, Service } from '@homeostat/api/types/core-v1';
import type { EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { endpoints as endpointsResource, endpointSlices } from '@homeostat/client/resources';
import { deepEqual } from '@homeostat/machinery';
import { type Action, emptyPlan, type Plan } from '@homeostat/runtime';
import { controllerReference } from '../shared/controller-ref.ts';
import { event } from '../shared/pod-control.ts';
import { deleteSlice, managedByLabel, serviceNameLabel } from '../shared/service-endpoints/slice-names.ts';
import { triggerTimeAnnotation } from '../shared/service-endpoints/trigger-time.ts';
import { mirror, type MirroredSlice, mirrorKey } from './desired.ts';

export const mirroringManager = 'endpointslicemirroring-controller.k8s.io';
const skipMirrorLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

export interface ObservedMirror {
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined;
  /** Slices of that name that this controller manages, without those being deleted. */
  readonly slices: readonly EndpointSlice[];
  readonly subsetMax: number;
}

/** Whether an Endpoints object may be mirrored at all, whatever its Service. */
export function isMirrorable({ metadata }: Endpoints): boolean {
  return metadata?.labels?.[skipMirrorLabel] !== 'true' && metadata?.annotations?.[leaderAnnotation] === undefined;
}

export function diff({ service, endpoints, slices, subsetMax }: ObservedMirror): Plan {
  const wanted =
    endpoints !== undefined && isMirrorable(endpoints) && service !== undefined && service.spec?.selector === undefined;
  if (!wanted) return slices.length === 0 ? emptyPlan : { steps: [{ actions: slices.map(deleteSlice) }] };
  const { slices: desired, invalid, skipped } = mirror(endpoints, subsetMax);
  const actions = [...reconcile(endpoints, desired, slices)];
  if (actions.length === 0) return emptyPlan;
  return { steps: [{ actions: [...warnings(endpoints, invalid, skipped, subsetMax), ...actions] }] };
}

function* reconcile(
  endpoints: Endpoints,
  desired: ReadonlyMap<string, MirroredSlice>,
  slices: readonly EndpointSlice[],
): Iterable<Action> {
  const present = new Map<string, EndpointSlice>();
  const superfluous: EndpointSlice[] = [];
  for (const slice of slices) {
    const key = mirrorKey(slice.addressType, slice.ports ?? []);
    if (desired.has(key) && !present.has(key)) present.set(key, slice);
    else superfluous.push(slice);
  }
  for (const [key, wanted] of desired) {
    const slice = present.get(key);
    if (slice !== undefined) {
      if (!isRight(endpoints, slice, wanted)) yield updateAction(endpoints, slice, wanted);
      continue;
    }
    if (endpoints.metadata?.deletionTimestamp !== undefined) continue;
    // A slice that would go takes the place of one that would be made: one write in the place of two.
    const index = superfluous.findIndex((candidate) => candidate.addressType === wanted.addressType);
    const [recycled] = index === -1 ? [] : superfluous.splice(index, 1);
    yield recycled === undefined ? createAction(endpoints, wanted) : updateAction(endpoints, recycled, wanted);
  }
  for (const slice of superfluous) yield deleteSlice(slice);
}

function isRight(endpoints: Endpoints, slice: EndpointSlice, wanted: MirroredSlice): boolean {
  return (
    deepEqual(slice.endpoints ?? [], wanted.endpoints) &&
    deepEqual(slice.metadata?.labels ?? {}, labelsOf(endpoints)) &&
    deepEqual(slice.metadata?.annotations ?? {}, annotationsOf(endpoints))
  );
}

function labelsOf({ metadata }: Endpoints): Readonly<Record<string, string>> {
  return { ...metadata?.labels, [serviceNameLabel]: metadata?.name ?? '', [managedByLabel]: mirroringManager };
}

function annotationsOf({ metadata }: Endpoints): Readonly<Record<string, string>> {
  const {
    [triggerTimeAnnotation]: _time,
    [lastAppliedAnnotation]: _applied,
    ...annotations
  } = metadata?.annotations ?? {};
  return annotations;
}

function sliceOf(endpoints: Endpoints, wanted: MirroredSlice, name: object): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...name,
      namespace: endpoints.metadata?.namespace ?? '',
      labels: labelsOf(endpoints),
      annotations: annotationsOf(endpoints),
      ownerReferences: [controllerReference(endpoints, endpointsResource)],
    },
    addressType: wanted.addressType,
    endpoints: wanted.endpoints,
    ports: wanted.ports,
  } as EndpointSlice;
}

function createAction(endpoints: Endpoints, wanted: MirroredSlice): Action {
  return {
    verb: 'create',
    resource: endpointSlices,
    namespace: endpoints.metadata?.namespace ?? '',
    object: sliceOf(endpoints, wanted, { generateName: `${endpoints.metadata?.name ?? ''}-` }),
    tolerates: ['NamespaceTerminating'],
    reason: 'SliceMissing',
    facts: { endpoints: wanted.endpoints.length, type: wanted.addressType },
  };
}

function updateAction(endpoints: Endpoints, slice: EndpointSlice, wanted: MirroredSlice): Action {
  const { name = '', uid = '', resourceVersion = '' } = slice.metadata ?? {};
  return {
    verb: 'update',
    resource: endpointSlices,
    namespace: slice.metadata?.namespace ?? '',
    name,
    object: sliceOf(endpoints, wanted, { name, uid, resourceVersion }),
    reason: 'SliceDiffers',
    facts: { had: slice.endpoints?.length ?? 0, wants: wanted.endpoints.length },
  };
}

function warnings(endpoints: Endpoints, invalid: number, skipped: number, subsetMax: number): readonly Action[] {
  const actions: Action[] = [];
  if (invalid > 0) {
    const text = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    actions.push(event(endpoints, 'Warning', 'InvalidIPAddress', text));
  }
  if (skipped > 0) {
    const text =
      `A max of ${subsetMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ` +
      `${skipped} addresses were skipped`;
    actions.push(event(endpoints, 'Warning', 'TooManyAddressesToMirror', text));
  }
  return actions;
}
