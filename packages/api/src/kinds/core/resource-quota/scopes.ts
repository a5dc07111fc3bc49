// Scopes of a quota: which Pods or claims it counts.

import { type FieldError, type FieldPath, invalid, required } from '@homeostat/machinery';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { isStandardQuotaResource } from '../../rules/resource-names.ts';
import { sortedKeys } from '../../rules/values.ts';

const podCount = ['pods'];
const podResources = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const claimResources = ['persistentvolumeclaims', 'requests.storage'];

/** The resources each scope can be applied to. */
const resourcesOfScope: Readonly<Record<string, readonly string[]>> = {
  Terminating: podResources,
  NotTerminating: podResources,
  BestEffort: podCount,
  NotBestEffort: podResources,
  PriorityClass: podResources,
  CrossNamespacePodAffinity: podResources,
  VolumeAttributesClass: claimResources,
};

const conflicting = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

export function validateScopes(spec: ResourceQuotaSpec, path: FieldPath, errors: FieldError[]): void {
  const scopes: readonly string[] = spec.scopes ?? [];
  for (const scope of scopes) {
    if (resourcesOfScope[scope] === undefined) errors.push(invalid(path, scopes, 'unsupported scope'));
    for (const name of sortedKeys(spec.hard)) {
      if (isScopeFor(scope, name)) continue;
      errors.push(invalid(path, scopes, 'unsupported scope applied to resource'));
    }
  }
  validateNoConflicts(scopes, scopes, path, errors);
}

const selectorSchema = structByName('io.k8s.api.core.v1.ScopeSelector');

export function validateScopeSelector(spec: ResourceQuotaSpec, path: FieldPath, errors: FieldError[]): void {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  for (const requirement of requirements) {
    const scope: string = requirement.scopeName ?? '';
    if (resourcesOfScope[scope] === undefined) {
      errors.push(invalid(path.child('scopeName'), scope, 'unsupported scope'));
    }
    for (const name of sortedKeys(spec.hard)) {
      if (isScopeFor(scope, name)) continue;
      const value = toGoStruct(spec.scopeSelector, selectorSchema);
      errors.push(invalid(path, value, 'unsupported scope applied to resource'));
    }
    validateRequirement(requirement, path, errors);
  }
  const scopes = requirements.map(({ scopeName }) => String(scopeName));
  validateNoConflicts(scopes, spec.scopes ?? null, path, errors);
}

function isScopeFor(scope: string, name: string): boolean {
  const resources = resourcesOfScope[scope];
  return resources === undefined || !isStandardQuotaResource(name) || resources.includes(name);
}

function validateNoConflicts(
  scopes: readonly string[],
  shown: readonly string[] | null,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [one, other] of conflicting) {
    if (scopes.includes(one) && scopes.includes(other)) errors.push(invalid(path, shown, 'conflicting scopes'));
  }
}

const existsOnly = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);

function validateRequirement(
  requirement: ScopedResourceSelectorRequirement,
  path: FieldPath,
  errors: FieldError[],
): void {
  const operator: string = requirement.operator ?? '';
  const values = requirement.values ?? [];
  if (existsOnly.has(requirement.scopeName) && operator !== 'Exists') {
    const scopes =
      'ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ' +
      'ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
    errors.push(invalid(path.child('operator'), operator, `must be 'Exists' when scope is any of ${scopes}`));
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length > 0) return;
    const text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    errors.push(required(path.child('values'), text));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length === 0) return;
    const text = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    errors.push(invalid(path.child('values'), values, text));
  } else errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
}
