// Claims to devices (dynamic resource allocation) that a Pod names.

import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  type ObjectMeta,
  required,
} from '@homeostat/machinery';
import type { PodResourceClaim } from '@homeostat/api/types/core-v1';
import { structByName } from '../../scheme/scheme.ts';
import { toGoStruct } from '../rules/go-struct.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { isMirrorPod } from './annotations.ts';

const claimSchema = structByName('io.k8s.api.core.v1.PodResourceClaim');

export function validatePodResourceClaims(
  claims: readonly PodResourceClaim[] | undefined,
  metadata: ObjectMeta | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [index, claim] of (claims ?? []).entries()) {
    if (metadata !== undefined && isMirrorPod(metadata)) {
      errors.push(forbidden(new FieldPath('[]'), 'static pods do not support resource claims'));
    } else validateClaim(claim, names, path.index(index), errors);
  }
}

export function claimNamesOf(claims: readonly PodResourceClaim[] | undefined): ReadonlySet<string> {
  return new Set((claims ?? []).map(({ name }) => name).filter(Boolean));
}

function validateClaim(
  claim: Partial<PodResourceClaim>,
  names: Set<string>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
  if (name === '') errors.push(required(path.child('name')));
  else if (names.has(name)) errors.push(duplicate(path.child('name'), name));
  else {
    pushInvalid(isDns1123Label(name), name, path.child('name'), errors);
    names.add(name);
  }
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const text = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    errors.push(invalid(path, toGoStruct(claim, claimSchema), text));
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    const text = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
    errors.push(invalid(path, toGoStruct(claim, claimSchema), text));
  }
  for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
    const value = claim[field];
    if (value !== undefined) pushInvalid(nameIsDnsSubdomain(value, false), value, path.child(field), errors);
  }
}
