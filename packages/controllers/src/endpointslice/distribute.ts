// Fitting desired endpoints into slices with few writes (spec/infrastructure.md §10.4 step 4): what exists keeps its
// slice, the rest fills slices that change anyway, then the fullest that has room, then new ones. Pure.

import type { Endpoint, EndpointPort, EndpointSlice } from '@homeostat/api/types/discovery-v1';
import { deepEqual } from '@homeostat/machinery';
import { endpointKey, type PortGroup } from './desired.ts';

/** A slice with the endpoints it shall hold. */
export interface SliceChange {
  readonly slice: EndpointSlice;
  readonly endpoints: readonly Endpoint[];
}

export interface Distribution {
  readonly create: readonly { readonly ports: readonly EndpointPort[]; readonly endpoints: readonly Endpoint[] }[];
  readonly update: readonly SliceChange[];
  readonly remove: readonly EndpointSlice[];
}

export interface DistributeOptions {
  readonly existing: readonly EndpointSlice[];
  readonly group: PortGroup;
  readonly endpointsMax: number;
  /** Whether a slice needs a write whatever its endpoints (labels, owner). */
  needsWrite(slice: EndpointSlice): boolean;
}

export function distribute({ existing, group, endpointsMax, needsWrite }: DistributeOptions): Distribution {
  const wanted = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const update: { readonly slice: EndpointSlice; readonly endpoints: Endpoint[] }[] = [];
  const unchanged: EndpointSlice[] = [];
  const remove: EndpointSlice[] = [];
  for (const slice of existing) {
    const kept: Endpoint[] = [];
    let changed = needsWrite(slice);
    for (const endpoint of slice.endpoints ?? []) {
      const key = endpointKey(endpoint);
      const desired = wanted.get(key);
      if (desired === undefined) {
        changed = true;
        continue;
      }
      wanted.delete(key);
      changed ||= !deepEqual(endpoint, desired);
      kept.push(desired);
    }
    if (kept.length === 0) remove.push(slice);
    else if (changed) update.push({ slice, endpoints: kept });
    else unchanged.push(slice);
  }
  const rest = [...wanted.values()];
  fillChanged(update, rest, endpointsMax);
  if (rest.length > 0 && rest.length < endpointsMax) {
    const target = fullestWithRoom(unchanged, rest.length, endpointsMax);
    if (target !== undefined)
      update.push({ slice: target, endpoints: [...(target.endpoints ?? []), ...rest.splice(0)] });
  }
  const create: { ports: readonly EndpointPort[]; endpoints: readonly Endpoint[] }[] = [];
  while (rest.length > 0) create.push({ ports: group.ports, endpoints: rest.splice(0, endpointsMax) });
  return { create, update, remove };
}

function fillChanged(
  update: readonly { readonly endpoints: Endpoint[] }[],
  rest: Endpoint[],
  endpointsMax: number,
): void {
  for (const change of update.toSorted((a, b) => b.endpoints.length - a.endpoints.length)) {
    if (rest.length === 0) return;
    change.endpoints.push(...rest.splice(0, endpointsMax - change.endpoints.length));
  }
}

function fullestWithRoom(
  slices: readonly EndpointSlice[],
  count: number,
  endpointsMax: number,
): EndpointSlice | undefined {
  let best: EndpointSlice | undefined;
  for (const slice of slices) {
    const size = slice.endpoints?.length ?? 0;
    if (size + count <= endpointsMax && size > (best?.endpoints?.length ?? -1)) best = slice;
  }
  return best;
}
