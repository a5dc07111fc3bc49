import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeMissingRules, uncoveredRules } from './rule-coverage.ts';

const held = [
  { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
  { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] },
];

test('uncoveredRules() is empty when every single permission is held', () => {
  assert.deepEqual(uncoveredRules(held, [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]), []);
  const named = { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] };
  assert.deepEqual(uncoveredRules(held, [named]), []);
});

test('uncoveredRules() takes all names for more than one name', () => {
  const all = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
  assert.equal(uncoveredRules(held, [all]).length, 1);
});

test('describeMissingRules() joins verbs and sorts the lines when several rules are missing', () => {
  const wanted = [
    { verbs: ['get', 'delete'], apiGroups: [''], resources: ['pods', 'secrets'] },
    { verbs: ['create'], apiGroups: ['apps', 'extensions'], resources: ['deployments'] },
  ];
  assert.equal(
    describeMissingRules(uncoveredRules(held, wanted)),
    [
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
      '{APIGroups:["apps"], Resources:["deployments"], Verbs:["create"]}',
      '{APIGroups:["extensions"], Resources:["deployments"], Verbs:["create"]}',
    ].join('\n'),
  );
});

test('uncoveredRules() covers subresources by a star before the slash', () => {
  const scale = [{ verbs: ['get'], apiGroups: ['apps'], resources: ['*/scale'] }];
  assert.deepEqual(
    uncoveredRules(scale, [{ verbs: ['get'], apiGroups: ['apps'], resources: ['deployments/scale'] }]),
    [],
  );
  assert.equal(uncoveredRules(scale, [{ verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'] }]).length, 1);
});
