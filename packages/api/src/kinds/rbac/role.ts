// Role and ClusterRole (rbac.authorization.k8s.io/v1). Whether the writer may grant what the role says is the business
// of the API server's escalation check, not of these rules.

import type { ClusterRole, Role } from '@homeostat/api/types/rbac-v1';
import { type FieldError, FieldPath, invalid, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { matcherOf } from '../apps/replica-template.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { nameIsPathSegment } from '../rules/names.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { rbacGroup, validatePolicyRule } from './policy-rule.ts';

const rulesPath = new FieldPath('rules');

export const roleStrategy: KindStrategy<Role> = standardStrategy<Role>({
  kind: { group: rbacGroup, version: 'v1', kind: 'Role' },
  namespaced: true,
  name: nameIsPathSegment,
  validate(object, errors) {
    for (const [index, rule] of (object.rules ?? []).entries()) {
      validatePolicyRule(rule, true, rulesPath.index(index), errors);
    }
  },
  more: { allowCreateOnUpdate: true },
});

export const clusterRoleStrategy: KindStrategy<ClusterRole> = standardStrategy<ClusterRole>({
  kind: { group: rbacGroup, version: 'v1', kind: 'ClusterRole' },
  namespaced: false,
  name: nameIsPathSegment,
  validate(object, errors) {
    for (const [index, rule] of (object.rules ?? []).entries()) {
      validatePolicyRule(rule, false, rulesPath.index(index), errors);
    }
    if (object.aggregationRule !== undefined) validateAggregation(object.aggregationRule, errors);
  },
  more: { allowCreateOnUpdate: true },
});

function validateAggregation(rule: NonNullable<ClusterRole['aggregationRule']>, errors: FieldError[]): void {
  const path = new FieldPath('aggregationRule.clusterRoleSelectors');
  const selectors = rule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  for (const [index, selector] of selectors.entries()) {
    validateLabelSelector(selector, path.index(index), errors);
    if (matcherOf(selector) === undefined) errors.push(invalid(path.index(index), null, 'invalid label selector.'));
  }
}
