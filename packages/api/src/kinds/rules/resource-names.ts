// What the name of a resource in a resource list means: standard, native, extended, huge pages; and the rules for names and
// quantities in resource lists of containers, nodes, quotas and limit ranges.
// Follows upstream's `pkg/apis/core/helper` and spec/apiserver.md §13.

import {
  canonicalQuantity,
  type FieldError,
  type FieldPath,
  invalid,
  isQualifiedName,
  notSupported,
} from '@homeostat/machinery';
import { isNegative, isWhole, quantityOrUndefined, valueOf } from './quantities.ts';
import { negativeText, pushInvalid } from './values.ts';

const hugePages = 'hugepages-';
const requestsPrefix = 'requests.';
const hugePageRequests = 'requests.hugepages-';

export function isHugePageResource(name: string): boolean {
  return name.startsWith(hugePages);
}

/** Whether the quantity is a whole number of pages of the size that the name says. */
export function isHugePageMultiple(name: string, quantity: string): boolean {
  const size = quantityOrUndefined(name.slice(hugePages.length));
  if (size === undefined || !isWhole(size) || valueOf(size) <= 0n) return false;
  return valueOf(quantity) % valueOf(size) === 0n;
}

/** A resource of Kubernetes itself: without a domain, or of kubernetes.io. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** A resource of a device plugin. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(requestsPrefix)) return false;
  return isQualifiedName(`${requestsPrefix}${name}`).length === 0;
}

/** Whether requests may be less than limits. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}

const countResources = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const computeResources = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
];

const standardResources = new Set([...countResources, ...computeResources, 'storage', 'requests.storage']);
const standardQuotaResources = new Set([...countResources, ...computeResources, 'requests.storage']);
const standardContainerResources = new Set(['cpu', 'memory', 'ephemeral-storage']);
const integerResources = new Set(countResources);

/** Resources that can be set for the Pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResource(name);
}

export function isStandardQuotaResource(name: string): boolean {
  return standardQuotaResources.has(name) || isQuotaHugePages(name);
}

/** Appends what is wrong with a resource's name; true when nothing is. */
export function validateResourceName(name: string, path: FieldPath, errors: FieldError[]): boolean {
  const texts = isQualifiedName(name);
  pushInvalid(texts, name, path, errors);
  if (texts.length > 0) return false;
  if (name.includes('/') || standardResources.has(name) || isQuotaHugePages(name)) return true;
  errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
  return false;
}

/** A resource of a container; the second error comes beside the first, as upstream has it. */
export function validateContainerResourceName(name: string, path: FieldPath, errors: FieldError[]): void {
  validateResourceName(name, path, errors);
  if (!name.includes('/')) {
    if (!standardContainerResources.has(name) && !isHugePageResource(name)) {
      errors.push(invalid(path, name, 'must be a standard resource for containers'));
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
}

export function validatePodLevelResourceName(name: string, path: FieldPath, errors: FieldError[]): void {
  if (!validateResourceName(name, path, errors)) return;
  if (!isPodLevelResource(name)) errors.push(notSupported(path, name, ['cpu', hugePages, 'memory']));
}

export function validateQuotaResourceName(name: string, path: FieldPath, errors: FieldError[]): void {
  validateResourceName(name, path, errors);
  if (!name.includes('/') && !isStandardQuotaResource(name)) {
    errors.push(invalid(path, name, 'must be a standard resource for quota'));
  }
}

/** A quantity of a resource: not negative, and whole for what is counted. */
export function validateResourceQuantity(name: string, quantity: string, path: FieldPath, errors: FieldError[]): void {
  if (isNegative(quantity)) errors.push(invalid(path, canonicalQuantity(quantity), negativeText));
  if ((integerResources.has(name) || isExtendedResource(name)) && !isWhole(quantity)) {
    errors.push(invalid(path, canonicalQuantity(quantity), 'must be an integer'));
  }
}

function isQuotaHugePages(name: string): boolean {
  return name.startsWith(hugePages) || name.startsWith(hugePageRequests);
}
