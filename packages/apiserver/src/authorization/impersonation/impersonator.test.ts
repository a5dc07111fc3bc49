import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '@homeostat/client';
import type { AuthorizationAttributes, Authorizer } from '../../server/authorizer.ts';
import { Impersonator } from './impersonator.ts';

const jane = { username: 'jane', uid: '', groups: ['system:authenticated'], extra: {} };
const attributes: AuthorizationAttributes = {
  user: jane,
  verb: 'create',
  isResourceRequest: true,
  path: '',
  group: 'authentication.k8s.io',
  version: 'v1',
  resource: 'selfsubjectreviews',
  subresource: '',
  namespace: '',
  name: '',
};

function request(headers: Record<string, string>): ApiRequest {
  return { method: 'POST', path: '/', query: '', headers, signal: new AbortController().signal };
}

/** Allows the legacy verb on the named things. */
function allowing(...names: readonly string[]): Authorizer {
  return {
    authorize: ({ verb, name }) => ({
      decision: verb === 'impersonate' && names.includes(name) ? 'allow' : 'noOpinion',
    }),
  };
}

test('impersonate() leaves the user alone without headers', async () => {
  assert.equal(await new Impersonator(allowing()).impersonate(request({ 'impersonate-user': '' }), attributes), jane);
});

test('impersonate() adds the standing group to what the headers ask for', async () => {
  const headers = {
    'impersonate-user': 'rita',
    'impersonate-group': 'g1, g2',
    'impersonate-uid': 'u',
    'impersonate-extra-example.com%2fteam': 'a',
  };
  const user = await new Impersonator(allowing('rita', 'g1', 'g2', 'u', 'a')).impersonate(request(headers), attributes);
  assert.deepEqual(user, {
    username: 'rita',
    uid: 'u',
    groups: ['g1', 'g2', 'system:authenticated'],
    extra: { 'example.com/team': ['a'] },
  });
});

test('impersonate() gives a ServiceAccount its groups when none are asked for', async () => {
  const headers = { 'impersonate-user': 'system:serviceaccount:x:robot' };
  const user = await new Impersonator(allowing('robot')).impersonate(request(headers), attributes);
  assert.deepEqual(user.groups, ['system:serviceaccounts', 'system:serviceaccounts:x', 'system:authenticated']);
});

test('impersonate() tells of the constrained mode first, of the legacy one once that has worked', async () => {
  const impersonator = new Impersonator(allowing('rita'));
  await assert.rejects(impersonator.impersonate(request({ 'impersonate-user': 'ann' }), attributes), {
    message:
      'selfsubjectreviews.authentication.k8s.io is forbidden: User "jane" cannot impersonate-on:user-info:create ' +
      'resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
  });
  await impersonator.impersonate(request({ 'impersonate-user': 'rita' }), attributes);
  await assert.rejects(impersonator.impersonate(request({ 'impersonate-user': 'ann' }), attributes), {
    code: 403,
    message:
      'users "ann" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
  });
});

test('impersonate() refuses groups without a user', async () => {
  await assert.rejects(new Impersonator(allowing()).impersonate(request({ 'impersonate-group': 'g1' }), attributes), {
    code: 400,
    message:
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g1"}, Extra:map[string][]string(nil)} ' +
      'without impersonating a user name',
  });
});
