// The rules of roles, and who roles are bound to.

import type { PolicyRule, RoleRef, Subject } from '@homeostat/api/types/rbac-v1';
import { type FieldError, type FieldPath, invalid, type Mutable, notSupported, required } from '@homeostat/machinery';
import type { GoField } from '../rules/go-form.ts';
import { nameIsDnsSubdomain, nameIsPathSegment } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

export const roleRefForm: readonly GoField[] = [
  ['APIGroup', 'apiGroup', ''],
  ['Kind', 'kind', ''],
  ['Name', 'name', ''],
];

export function validatePolicyRule(rule: PolicyRule, namespaced: boolean, path: FieldPath, errors: FieldError[]): void {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (verbs.length === 0) errors.push(required(path.child('verbs'), 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const at = path.child('nonResourceURLs');
    if (namespaced) errors.push(invalid(at, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      const text = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(invalid(at, nonResourceURLs, text));
    }
    return;
  }
  if (apiGroups.length === 0) {
    errors.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
  }
}

export function validateRoleRef(
  ref: RoleRef | undefined,
  kinds: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const { apiGroup = '', kind = '', name = '' } = ref ?? {};
  if (apiGroup !== rbacGroup) errors.push(notSupported(path.child('apiGroup'), apiGroup, [rbacGroup]));
  if (!kinds.includes(kind)) errors.push(notSupported(path.child('kind'), kind, kinds));
  if (name === '') errors.push(required(path.child('name')));
  else pushInvalid(nameIsPathSegment(name, false), name, path.child('name'), errors);
}

export function validateSubject(subject: Subject, namespaced: boolean, path: FieldPath, errors: FieldError[]): void {
  const { kind = '', apiGroup = '', name = '', namespace = '' } = subject;
  if (name === '') errors.push(required(path.child('name')));
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') pushInvalid(nameIsDnsSubdomain(name, false), name, path.child('name'), errors);
      if (apiGroup !== '') errors.push(notSupported(path.child('apiGroup'), apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(required(path.child('namespace')));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) errors.push(notSupported(path.child('apiGroup'), apiGroup, [rbacGroup]));
      break;
    default:
      errors.push(notSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group']));
  }
}

/** Users and groups are of the RBAC group; service accounts are objects of the core group. */
export function defaultBinding(binding: { roleRef?: Mutable<RoleRef>; subjects?: Mutable<Subject>[] | null }): void {
  const ref = (binding.roleRef ??= {} as Mutable<RoleRef>);
  ref.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= rbacGroup;
  }
}
