// Resource requirements of containers and of the Pod as a whole.

import {
  canonicalQuantity,
  compareQuantity,
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  notFound,
  required,
} from '@homeostat/machinery';
import type { PodSpec, ResourceClaim, ResourceRequirements } from '@homeostat/api/types/core-v1';
import { aggregateContainerLimits, aggregateContainerRequests } from '../../meaning/pod-resources.ts';
import {
  isHugePageMultiple,
  isHugePageResource,
  isOvercommitAllowed,
  validateContainerResourceName,
  validatePodLevelResourceName,
  validateResourceQuantity,
} from '../rules/resource-names.ts';
import { own, pushInvalid, sortedKeys } from '../rules/values.ts';
import type { PodSpecOptions } from './options.ts';

type NameCheck = (name: string, path: FieldPath, errors: FieldError[]) => void;

/** Names of the Pod's resource claims. */
export type ClaimNames = ReadonlySet<string>;

export function validateContainerResources(
  requirements: ResourceRequirements | undefined,
  claimNames: ClaimNames,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  if (requirements === undefined) return;
  validateRequirements(requirements, validateContainerResourceName, path, errors, options);
  validateClaims(requirements.claims, claimNames, path.child('claims'), errors);
}

export function validatePodLevelResources(
  spec: PodSpec,
  claimNames: ClaimNames,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const requirements = spec.resources;
  if (requirements === undefined) return;
  if (spec.os?.name === 'windows') {
    errors.push(forbidden(path, 'may not be set for a windows pod'));
    return;
  }
  if (requirements.claims !== undefined) {
    errors.push(forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level'));
  }
  validateRequirements(requirements, validatePodLevelResourceName, path, errors, options);
  validateClaims(requirements.claims, claimNames, path.child('claims'), errors);
  validateConsistency(spec, requirements, path, errors);
}

function validateRequirements(
  requirements: ResourceRequirements,
  validateName: NameCheck,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const { limits, requests } = requirements;
  for (const name of sortedKeys(limits)) {
    validateEntry(name, limits?.[name] ?? '0', path.child('limits'), { validateName, options }, errors);
  }
  for (const name of sortedKeys(requests)) {
    const request = requests?.[name] ?? '0';
    const at = path.child('requests').key(name);
    validateName(name, at, errors);
    validateResourceQuantity(name, request, at, errors);
    validateAgainstLimit(name, request, own(limits, name), path, errors);
    validateHugePages(name, request, at, errors, options);
  }
  const names = [...sortedKeys(limits), ...sortedKeys(requests)];
  if (names.some(isHugePageResource) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
  }
}

function validateEntry(
  name: string,
  quantity: string,
  path: FieldPath,
  rules: { readonly validateName: NameCheck; readonly options: PodSpecOptions },
  errors: FieldError[],
): void {
  const at = path.key(name);
  rules.validateName(name, at, errors);
  validateResourceQuantity(name, quantity, at, errors);
  validateHugePages(name, quantity, at, errors, rules.options);
}

function validateAgainstLimit(
  name: string,
  request: string,
  limit: string | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) {
      errors.push(required(path.child('limits'), 'Limit must be set for non overcommitable resources'));
    }
    return;
  }
  const order = compareQuantity(request, limit);
  if (order !== 0 && !isOvercommitAllowed(name)) {
    const text = `must be equal to ${name} limit of ${canonicalQuantity(limit)}`;
    errors.push(invalid(path.child('requests'), canonicalQuantity(request), text));
  } else if (order > 0) {
    const text = `must be less than or equal to ${name} limit of ${canonicalQuantity(limit)}`;
    errors.push(invalid(path.child('requests'), canonicalQuantity(request), text));
  }
}

function validateHugePages(
  name: string,
  quantity: string,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  if (!isHugePageResource(name) || options.allowIndivisibleHugePages || isHugePageMultiple(name, quantity)) return;
  const value = canonicalQuantity(quantity);
  errors.push(invalid(path, value, `${value} is not positive integer multiple of ${name}`));
}

function validateClaims(
  claims: readonly ResourceClaim[] | undefined,
  podClaimNames: ClaimNames,
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [index, { name = '', request = '' }] of (claims ?? []).entries()) {
    const at = path.index(index);
    if (name === '') {
      errors.push(required(at));
      continue;
    }
    if (seen.has(name)) errors.push(duplicate(at, name));
    else {
      if (request !== '') pushInvalid(isDns1123Label(request), request, at.child('request'), errors);
      const key = request === '' ? name : `${name}/${request}`;
      if (seen.has(key)) errors.push(duplicate(at, key));
      else if (request === '') {
        for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(at, name));
      }
      seen.add(key);
    }
    if (!podClaimNames.has(name)) {
      const known = podClaimNames.size === 0 ? ' which is empty' : `: ${[...podClaimNames].toSorted().join(', ')}`;
      const error = notFound(at, name);
      errors.push({ ...error, body: `${error.body}: must be one of the names in pod.spec.resourceClaims${known}` });
    }
  }
}

/** The Pod's resources must hold what its containers ask for. */
function validateConsistency(spec: PodSpec, pod: ResourceRequirements, path: FieldPath, errors: FieldError[]): void {
  const requests = aggregateContainerRequests({ spec });
  for (const name of sortedKeys(requests)) {
    const podRequest = own(pod.requests, name);
    const sum = requests[name] ?? '0';
    if (podRequest === undefined || compareQuantity(sum, podRequest) <= 0) continue;
    const text = `must be greater than or equal to aggregate container requests of ${canonicalQuantity(sum)}`;
    errors.push(invalid(path.child('requests').key(name), canonicalQuantity(podRequest), text));
  }
  const limits = aggregateContainerLimits({ spec });
  for (const name of sortedKeys(limits).filter(isHugePageResource)) {
    const podLimit = own(pod.limits, name);
    const sum = limits[name] ?? '0';
    if (podLimit === undefined || compareQuantity(sum, podLimit) <= 0) continue;
    const text = `must be greater than or equal to aggregate container limits of ${canonicalQuantity(sum)}`;
    errors.push(invalid(path.child('limits').key(name), canonicalQuantity(podLimit), text));
  }
  for (const [index, container] of (spec.containers ?? []).entries()) {
    for (const name of sortedKeys(container.resources?.limits)) {
      const podLimit = own(pod.limits, name);
      const limit = container.resources?.limits?.[name] ?? '0';
      if (podLimit === undefined || compareQuantity(limit, podLimit) <= 0) continue;
      const text = `must be less than or equal to pod limits of ${canonicalQuantity(podLimit)}`;
      errors.push(
        invalid(path.child('containers').index(index).key(name).child('limits'), canonicalQuantity(limit), text),
      );
    }
  }
}
