import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultPolicy, nodeRules } from './bootstrap-policy.ts';
import { ruleAllows } from './policy-rule.ts';
import { repairBinding, repairRole } from './reconcile-policy.ts';

const policy = defaultPolicy();
const find = (resource: string, name: string) =>
  policy.find((each) => each.resource === resource && each.object.metadata?.name === name)?.object;

test('defaultPolicy() has every role, and every binding points to one', () => {
  const count = (resource: string): number => policy.filter((each) => each.resource === resource).length;
  assert.deepEqual(['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(count), [69, 50, 7, 7]);
  for (const { object } of policy) {
    if (!('roleRef' in object)) continue;
    const { kind, name } = object.roleRef;
    assert.ok(find(kind === 'Role' ? 'roles' : 'clusterroles', name), `${object.metadata?.name} → ${name}`);
  }
});

test('defaultPolicy() aggregates view into edit and edit into admin', () => {
  const view = find('clusterroles', 'view');
  assert.deepEqual(view, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'view',
      labels: {
        'kubernetes.io/bootstrapping': 'rbac-defaults',
        'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
      },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
    rules: null,
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } }],
    },
  });
});

test('nodeRules() lets nodes read services', () => {
  const read = {
    verb: 'list',
    isResourceRequest: true,
    group: '',
    resource: 'services',
    subresource: '',
    name: '',
    path: '',
  };
  assert.ok(nodeRules().some((rule) => ruleAllows(rule, read)));
});

test('repairRole() puts back missing rules and keeps added ones', () => {
  const wanted = {
    metadata: { name: 'a', annotations: {} },
    rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }],
  };
  const own = { verbs: ['get'], apiGroups: ['x'], resources: ['y'] };
  const stored = { ...wanted, rules: [own, { verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };
  assert.deepEqual(repairRole(stored, wanted), {
    action: 'update',
    object: { ...stored, rules: [...stored.rules, { verbs: ['list'], apiGroups: [''], resources: ['pods'] }] },
  });
  assert.deepEqual(repairRole(wanted, wanted), { action: 'none' });
  assert.deepEqual(repairRole(undefined, wanted), { action: 'create', object: wanted });
});

test('repairRole() leaves alone what the administrator has frozen', () => {
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
  const wanted = { metadata: { name: 'a' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };
  assert.deepEqual(repairRole({ metadata: { name: 'a', annotations }, rules: [] }, wanted), { action: 'none' });
});

test('repairBinding() makes a binding anew when its role is another', () => {
  const wanted = {
    metadata: { name: 'a' },
    subjects: [{ kind: 'User', name: 'u' }],
    roleRef: { kind: 'ClusterRole', name: 'r' },
  };
  const stored = { ...wanted, roleRef: { kind: 'ClusterRole', name: 'other' } };
  assert.deepEqual(repairBinding(stored, wanted), { action: 'recreate', object: wanted });
  assert.equal(repairBinding({ ...wanted, subjects: null }, wanted).action, 'update');
});
