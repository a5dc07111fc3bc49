// What a quota can count about one resource. The quota admission charges with these, the quota controller recounts with
// the same ones. Follows `k8s.io/apiserver/pkg/quota/v1`.

import type { GroupResource, KubeObject } from '@homeostat/machinery';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '@homeostat/api/types/core-v1';
import type { ResourceList } from '../pod-resources.ts';

export interface QuotaEvaluator {
  readonly resource: GroupResource;
  /** Those of a quota's names that say something about this resource; without duplicates. */
  matchingNames(names: readonly string[]): readonly string[];
  /** What one object uses, under every name it could be counted by. */
  usage(object: KubeObject, nowMs: number): ResourceList;
  matchesScope(scope: ScopedResourceSelectorRequirement, object: KubeObject): boolean;
  /** What the object must state but does not, when a quota counts `names`; empty when nothing is missing. */
  missing?(names: readonly string[], object: KubeObject): string;
}

/** The scopes a quota names in either way. */
export function scopesOf({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  const named = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const }));
  return [...named, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether the quota counts the object at all: by one of its enforced names, and within its scopes. */
export function quotaMatches(quota: ResourceQuota, evaluator: QuotaEvaluator, object: KubeObject): boolean {
  if (evaluator.matchingNames(Object.keys(quota.status?.hard ?? {})).length === 0) return false;
  return scopesOf(quota).every((scope) => evaluator.matchesScope(scope, object));
}

/** Whether a scope's expression holds for objects whose value under the scope is one of `values` (none: it has no value). */
export function matchesExpression(
  { operator, values = [] }: ScopedResourceSelectorRequirement,
  present: readonly string[],
): boolean {
  switch (operator) {
    case 'Exists':
      return present.length > 0;
    case 'DoesNotExist':
      return present.length === 0;
    case 'In':
      return present.some((value) => values.includes(value));
    case 'NotIn':
      return present.length === 0 || present.some((value) => !values.includes(value));
    default:
      return false;
  }
}

/** `count/pods`, `count/deployments.apps` */
export function objectCountName({ group, resource }: GroupResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`;
}
