// RoleBinding and ClusterRoleBinding (rbac.authorization.k8s.io/v1). What a binding grants never changes; to whom may.

import type { ClusterRoleBinding, RoleBinding } from '@homeostat/api/types/rbac-v1';
import { type FieldError, FieldPath, invalid } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { toGoForm } from '../rules/go-form.ts';
import { nameIsPathSegment } from '../rules/names.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { defaultBinding, rbacGroup, roleRefForm, validateRoleRef, validateSubject } from './policy-rule.ts';

export const roleBindingStrategy: KindStrategy<RoleBinding> = bindingStrategy<RoleBinding>('RoleBinding', true, [
  'Role',
  'ClusterRole',
]);

export const clusterRoleBindingStrategy: KindStrategy<ClusterRoleBinding> = bindingStrategy<ClusterRoleBinding>(
  'ClusterRoleBinding',
  false,
  ['ClusterRole'],
);

function bindingStrategy<T extends RoleBinding | ClusterRoleBinding>(
  kind: string,
  namespaced: boolean,
  roleKinds: readonly string[],
): KindStrategy<T> {
  return standardStrategy<T>({
    kind: { group: rbacGroup, version: 'v1', kind },
    namespaced,
    name: nameIsPathSegment,
    validate(object, errors, old) {
      validateBinding(object, namespaced, roleKinds, errors);
      if (old !== undefined && !semanticEqual(object.roleRef, old.roleRef)) {
        const value = toGoForm(object.roleRef, roleRefForm);
        errors.push(invalid(new FieldPath('roleRef'), value, 'cannot change roleRef'));
      }
    },
    more: {
      allowCreateOnUpdate: true,
      applyDefaults: (draft) => defaultBinding(draft),
    },
  });
}

function validateBinding(
  object: RoleBinding | ClusterRoleBinding,
  namespaced: boolean,
  roleKinds: readonly string[],
  errors: FieldError[],
): void {
  validateRoleRef(object.roleRef, roleKinds, new FieldPath('roleRef'), errors);
  for (const [index, subject] of (object.subjects ?? []).entries()) {
    validateSubject(subject, namespaced, new FieldPath('subjects').index(index), errors);
  }
}
