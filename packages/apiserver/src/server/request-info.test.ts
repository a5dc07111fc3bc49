import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';

function info(method: string, url: string): RequestInfo {
  const [path = '', query = ''] = url.split('?');
  return parseRequestInfo(method, path, new URLSearchParams(query));
}

const cases: readonly [method: string, url: string, wanted: Partial<RequestInfo>][] = [
  ['GET', '/api/v1/pods', { verb: 'list', resource: 'pods', namespace: '', isResourceRequest: true }],
  ['GET', '/api/v1/namespaces/a/pods/b', { verb: 'get', namespace: 'a', resource: 'pods', name: 'b' }],
  ['GET', '/api/v1/namespaces/a/pods?watch=1', { verb: 'watch' }],
  ['GET', '/api/v1/namespaces/a/pods?watch', { verb: 'watch' }],
  ['GET', '/api/v1/namespaces/a/pods?watch=FALSE', { verb: 'list' }],
  ['GET', '/api/v1/watch/namespaces/a/pods/b', { verb: 'watch', name: 'b' }],
  ['GET', '/api/v1/namespaces/a', { verb: 'get', namespace: 'a', resource: 'namespaces', name: 'a' }],
  [
    'PUT',
    '/api/v1/namespaces/a/finalize',
    { verb: 'update', resource: 'namespaces', subresource: 'finalize', name: 'a' },
  ],
  ['POST', '/api/v1/namespaces/a/pods/b/binding', { verb: 'create', subresource: 'binding', name: 'b' }],
  ['DELETE', '/apis/apps/v1/namespaces/a/deployments', { verb: 'deletecollection', group: 'apps', version: 'v1' }],
  ['PATCH', '/apis/apps/v1/namespaces/a/deployments/d', { verb: 'patch', name: 'd' }],
  ['GET', '/api/v1', { isResourceRequest: false, verb: 'get' }],
  ['GET', '/apis/apps/v1', { isResourceRequest: false }],
  ['POST', '/healthz', { isResourceRequest: false, verb: 'post', path: '/healthz' }],
  [
    'GET',
    '/api/v1/pods?fieldSelector=metadata.name%3Dx',
    { verb: 'list', name: 'x', fieldSelector: 'metadata.name=x' },
  ],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3D..', { verb: 'list', name: '' }],
  [
    'GET',
    '/api/v1/namespaces/a/services/s/proxy/x/y',
    { subresource: 'proxy', parts: ['services', 's', 'proxy', 'x', 'y'] },
  ],
  ['GET', '/api/v1/namespaces/a/configmaps/', { verb: 'list', resource: 'configmaps' }],
];

test('parseRequestInfo() classifies requests as upstream does', () => {
  for (const [method, url, wanted] of cases) {
    const found = info(method, url);
    for (const [key, value] of Object.entries(wanted)) {
      assert.deepEqual(found[key as keyof RequestInfo], value, `${method} ${url}: ${key}`);
    }
  }
});
