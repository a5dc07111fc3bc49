import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PolicyRule, ruleAllows, type RuleAttributes } from './policy-rule.ts';

const get: RuleAttributes = {
  verb: 'get',
  isResourceRequest: true,
  group: '',
  resource: 'pods',
  subresource: '',
  name: '',
  path: '',
};
const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

test('ruleAllows() matches verb, group and resource exactly', () => {
  assert.equal(ruleAllows(pods, get), true);
  assert.equal(ruleAllows(pods, { ...get, verb: 'list' }), false);
  assert.equal(ruleAllows(pods, { ...get, group: 'apps' }), false);
  assert.equal(ruleAllows(pods, { ...get, resource: 'nodes' }), false);
});

test('ruleAllows() keeps subresources apart from their resource', () => {
  const log = { ...get, subresource: 'log' };
  assert.equal(ruleAllows(pods, log), false);
  assert.equal(ruleAllows({ ...pods, resources: ['pods/log'] }, log), true);
  assert.equal(ruleAllows({ ...pods, resources: ['*/log'] }, log), true);
  assert.equal(ruleAllows({ ...pods, resources: ['*'] }, log), true);
});

test('ruleAllows() lets a list of names match only requests with one of them', () => {
  const named = { ...pods, resourceNames: ['a'] };
  assert.equal(ruleAllows(named, get), false);
  assert.equal(ruleAllows(named, { ...get, name: 'a' }), true);
  assert.equal(ruleAllows(named, { ...get, name: 'b' }), false);
});

test('ruleAllows() matches paths exactly or below a trailing star', () => {
  const rule = { verbs: ['get'], nonResourceURLs: ['/metrics', '/api/*'] };
  const path = (text: string): RuleAttributes => ({ ...get, isResourceRequest: false, path: text });
  assert.equal(ruleAllows(rule, path('/metrics')), true);
  assert.equal(ruleAllows(rule, path('/metrics/slis')), false);
  assert.equal(ruleAllows(rule, path('/api/v1')), true);
  assert.equal(ruleAllows(rule, path('/api')), false);
});
