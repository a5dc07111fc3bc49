import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@homeostat/api/types/rbac-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './role-binding.ts';
import { clusterRoleStrategy, roleStrategy } from './role.ts';

const context = { nowMs: 0 };
const apiGroup = 'rbac.authorization.k8s.io';
const metadata = { name: 'system:x', namespace: 'n', uid: 'u', resourceVersion: '1' };

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('only ClusterRoles grant non-resource URLs', () => {
  const rules = [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }];
  const clusterRole = { metadata: { name: 'system:x' }, rules } as ClusterRole;
  assert.deepEqual(texts(clusterRoleStrategy.validateCreate?.(clusterRole, context)), []);
  assert.deepEqual(texts(roleStrategy.validateCreate?.({ metadata, rules } as Role, context)), [
    'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs',
  ]);
});

test('a rule names verbs, groups and resources', () => {
  assert.deepEqual(texts(roleStrategy.validateCreate?.({ metadata, rules: [{ verbs: [] }] } as Role, context)), [
    'rules[0].verbs: Required value: verbs must contain at least one value',
    'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    'rules[0].resources: Required value: resource rules must supply at least one resource',
  ]);
});

test('an aggregated role selects at least something', () => {
  const object = { metadata: { name: 'a' }, aggregationRule: {}, rules: [] } as ClusterRole;
  assert.match(
    texts(clusterRoleStrategy.validateCreate?.(object, context))[0] ?? '',
    /at least one clusterRoleSelector/,
  );
});

test("users and groups are of RBAC's group by default, service accounts of none", () => {
  const draft = {
    roleRef: { kind: 'Role', name: 'r' },
    subjects: [
      { kind: 'User', name: 'jane' },
      { kind: 'ServiceAccount', name: 'default' },
    ],
  } as Mutable<RoleBinding>;
  roleBindingStrategy.applyDefaults?.(draft);
  assert.equal(draft.roleRef?.apiGroup, apiGroup);
  assert.deepEqual(
    draft.subjects?.map((subject) => subject.apiGroup),
    [apiGroup, undefined],
  );
});

test('a binding keeps its role, and may change its subjects', () => {
  const old = { metadata, roleRef: { apiGroup, kind: 'Role', name: 'r' }, subjects: [] } as RoleBinding;
  const other = { ...old, subjects: [{ apiGroup, kind: 'User', name: 'jane' }] } as RoleBinding;
  assert.deepEqual(texts(roleBindingStrategy.validateUpdate?.(other, old, context)), []);
  const stronger = { ...old, roleRef: { apiGroup, kind: 'ClusterRole', name: 'admin' } } as RoleBinding;
  assert.match(texts(roleBindingStrategy.validateUpdate?.(stronger, old, context))[0] ?? '', /cannot change roleRef$/);
});

test('ClusterRoleBindings bind ClusterRoles, and say where service accounts are', () => {
  const object = {
    metadata: { name: 'b' },
    roleRef: { apiGroup, kind: 'Role', name: 'r' },
    subjects: [{ kind: 'ServiceAccount', name: 'default' }],
  } as ClusterRoleBinding;
  assert.deepEqual(texts(clusterRoleBindingStrategy.validateCreate?.(object, context)), [
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    'subjects[0].namespace: Required value',
  ]);
});
