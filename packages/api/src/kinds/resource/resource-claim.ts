// ResourceClaim and ResourceClaimTemplate (resource.k8s.io/v1). What is claimed never changes; the allocation appears and
// vanishes as a whole, and is not changed in between.

import type {
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from '@homeostat/api/types/resource-v1';
import { duplicate, type FieldError, FieldPath, forbidden, invalid, required, tooMany } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateTemplateMetadata } from '../pod-spec/template-metadata.ts';
import { toGoStruct } from '../rules/go-struct.ts';
import { immutableText } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { fieldSchema } from '../update-parts.ts';
import { defaultDeviceClaim, hasSelectors, validateDeviceClaim } from './device-claim.ts';

const group = { group: 'resource.k8s.io', version: 'v1' };
const claimKind = { ...group, kind: 'ResourceClaim' };
const templateKind = { ...group, kind: 'ResourceClaimTemplate' };
const specPath = new FieldPath('spec');
const reservedMax = 256;

export const resourceClaimStrategy: KindStrategy<ResourceClaim> = standardStrategy<ResourceClaim>({
  kind: claimKind,
  namespaced: true,
  status: true,
  validate(object, errors, old, { cel }) {
    if (old === undefined) validateDeviceClaim(object.spec?.devices, specPath.child('devices'), errors, cel);
    else validateUnchanged(object.spec, old.spec, claimKind, errors);
  },
  validateStatus(object, old, errors) {
    validateReservations(object, old, errors);
    validateAllocation(object, old, errors);
  },
  more: {
    needsCel: ({ spec }) => hasSelectors(spec?.devices),
    applyDefaults: (draft) => defaultDeviceClaim(draft.spec?.devices),
  },
});

export const resourceClaimTemplateStrategy: KindStrategy<ResourceClaimTemplate> =
  standardStrategy<ResourceClaimTemplate>({
    kind: templateKind,
    namespaced: true,
    validate(object, errors, old, { cel }) {
      if (old === undefined) {
        validateTemplateMetadata(object.spec?.metadata ?? {}, specPath.child('metadata'), errors);
        validateDeviceClaim(object.spec?.spec?.devices, specPath.child('spec', 'devices'), errors, cel);
      } else validateUnchanged(object.spec, old.spec, templateKind, errors);
    },
    more: {
      needsCel: ({ spec }) => hasSelectors(spec?.spec?.devices),
      applyDefaults: (draft) => defaultDeviceClaim(draft.spec?.spec?.devices),
    },
  });

function validateUnchanged(
  spec: ResourceClaimSpec | object | undefined,
  old: ResourceClaimSpec | object | undefined,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
  errors: FieldError[],
): void {
  const schema = fieldSchema(kind, 'spec');
  if (!semanticEqual(spec, old, schema)) errors.push(invalid(specPath, toGoStruct(spec, schema), immutableText));
}

function validateReservations(object: ResourceClaim, old: ResourceClaim, errors: FieldError[]): void {
  const path = new FieldPath('status.reservedFor');
  const reserved = object.status?.reservedFor ?? [];
  if (reserved.length > reservedMax) errors.push(tooMany(path, reserved.length, reservedMax));
  const uids = new Set<string>();
  for (const [index, consumer] of reserved.entries()) {
    validateConsumer(consumer, path.index(index), errors);
    if (uids.has(consumer.uid)) errors.push(duplicate(path.index(index).child('uid'), consumer.uid));
    uids.add(consumer.uid);
  }
  if (reserved.length === 0) return;
  if (object.status?.allocation === undefined) {
    errors.push(forbidden(path, 'may not be specified when `allocated` is not set'));
  } else if (object.metadata?.deletionTimestamp !== undefined) {
    const known = new Set((old.status?.reservedFor ?? []).map((consumer) => consumer.uid));
    if (reserved.some((consumer) => !known.has(consumer.uid))) {
      const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
      errors.push(forbidden(path, text));
    }
  }
}

function validateConsumer(consumer: ResourceClaimConsumerReference, path: FieldPath, errors: FieldError[]): void {
  for (const field of ['resource', 'name', 'uid'] as const) {
    if ((consumer[field] ?? '') === '') errors.push(required(path.child(field)));
  }
}

function validateAllocation(object: ResourceClaim, old: ResourceClaim, errors: FieldError[]): void {
  const allocation = object.status?.allocation;
  const former = old.status?.allocation;
  if (allocation === undefined || former === undefined) return;
  const schema = fieldSchema(claimKind, 'status', 'allocation');
  if (semanticEqual(allocation, former, schema)) return;
  errors.push(invalid(new FieldPath('status.allocation'), toGoStruct(allocation, schema), immutableText));
}
