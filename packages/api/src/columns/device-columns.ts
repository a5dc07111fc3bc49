// Table rows of resource.k8s.io.

import type { ResourceClaim, ResourceSlice } from '@homeostat/api/types/resource-v1';

import { AGE_COLUMN, ageOf, column, nameColumn, nameOf, orElse, table } from './column.ts';

export const resourceClaimTable = table<ResourceClaim>(
  [nameColumn(), column('State', 'How far the claim got.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), claimState(object), ageOf(object, nowMs)],
);

export const resourceSliceTable = table<ResourceSlice>(
  [
    nameColumn(),
    column('Node', 'Node the devices belong to.'),
    column('Driver', 'Driver that offers the devices.'),
    column('Pool', 'Pool the devices belong to.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => [
    nameOf(object),
    orElse(object.spec?.nodeName, ''),
    object.spec?.driver ?? '',
    object.spec?.pool?.name ?? '',
    ageOf(object, nowMs),
  ],
);

function claimState(claim: ResourceClaim): string {
  const states: string[] = [];
  if (claim.metadata?.deletionTimestamp !== undefined) states.push('deleted');
  if (claim.status?.allocation === undefined) {
    if (states.length === 0) states.push('pending');
  } else {
    states.push('allocated');
    states.push((claim.status.reservedFor ?? []).length > 0 ? 'reserved' : '');
  }
  return states.filter((state) => state !== '').join(',');
}
