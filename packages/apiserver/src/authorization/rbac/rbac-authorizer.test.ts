import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthorizationAttributes } from '../../server/authorizer.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { type BindingObject, RbacPolicy } from './rbac-policy.ts';

const jane = { username: 'jane', uid: '', groups: ['dev', 'system:authenticated'], extra: {} };
const listPods: AuthorizationAttributes = {
  user: jane,
  verb: 'list',
  isResourceRequest: true,
  path: '',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'x',
  name: '',
};

function policyWith(...bindings: readonly BindingObject[]): RbacPolicy {
  const policy = new RbacPolicy();
  const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }];
  policy.set('roles', { metadata: { name: 'r', namespace: 'x' }, rules } as object);
  policy.set('clusterroles', { metadata: { name: 'c' }, rules } as object);
  for (const binding of bindings) {
    policy.set(binding.metadata?.namespace === undefined ? 'clusterrolebindings' : 'rolebindings', binding);
  }
  return policy;
}

test('authorize() allows by a RoleBinding of the namespace and names it', () => {
  const policy = policyWith({
    metadata: { name: 'b', namespace: 'x' },
    subjects: [{ kind: 'User', name: 'jane' }],
    roleRef: { kind: 'Role', name: 'r' },
  });
  const rbac = new RbacAuthorizer(policy);
  assert.deepEqual(rbac.authorize(listPods), {
    decision: 'allow',
    reason: 'RBAC: allowed by RoleBinding "b/x" of Role "r" to User "jane"',
  });
  assert.deepEqual(rbac.authorize({ ...listPods, namespace: 'y' }), { decision: 'noOpinion' });
  assert.deepEqual(rbac.authorize({ ...listPods, namespace: '' }), { decision: 'noOpinion' });
});

test('authorize() allows by a ClusterRoleBinding to a group everywhere', () => {
  const rbac = new RbacAuthorizer(
    policyWith({
      metadata: { name: 'cb' },
      subjects: [{ kind: 'Group', name: 'dev' }],
      roleRef: { kind: 'ClusterRole', name: 'c' },
    }),
  );
  assert.equal(
    rbac.authorize({ ...listPods, namespace: '' }).reason,
    'RBAC: allowed by ClusterRoleBinding "cb" of ClusterRole "c" to Group "dev"',
  );
});

test('authorize() takes the namespace of a binding for ServiceAccounts without one', () => {
  const rbac = new RbacAuthorizer(
    policyWith({
      metadata: { name: 'b', namespace: 'x' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot' }],
      roleRef: { kind: 'Role', name: 'r' },
    }),
  );
  const user = { ...jane, username: 'system:serviceaccount:x:robot' };
  assert.equal(
    rbac.authorize({ ...listPods, user }).reason,
    'RBAC: allowed by RoleBinding "b/x" of Role "r" to ServiceAccount "robot/x"',
  );
});

test('authorize() tells of a role that is missing', () => {
  const rbac = new RbacAuthorizer(
    policyWith({
      metadata: { name: 'lost', namespace: 'x' },
      subjects: [{ kind: 'User', name: 'jane' }],
      roleRef: { kind: 'Role', name: 'missing' },
    }),
  );
  assert.equal(rbac.authorize(listPods).reason, 'RBAC: role.rbac.authorization.k8s.io "missing" not found');
});

test('delete() takes back what a binding allowed', () => {
  const policy = policyWith({
    metadata: { name: 'b', namespace: 'x' },
    subjects: [{ kind: 'User', name: 'jane' }],
    roleRef: { kind: 'Role', name: 'r' },
  });
  policy.delete('rolebindings', { namespace: 'x', name: 'b' });
  assert.equal(new RbacAuthorizer(policy).authorize(listPods).decision, 'noOpinion');
});
