import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { APIService } from '@homeostat/api/types/apiregistration-v1';
import type { Mutable } from '@homeostat/machinery';
import { apiServiceStrategy as strategy } from './api-service.ts';

const context = { nowMs: Date.UTC(2026, 0, 2) };
const spec = { group: 'a.io', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 };

function check(name: string, more: object): readonly string[] {
  const object = { metadata: { name }, spec: { ...spec, ...more } } as APIService;
  return (strategy.validateCreate?.(object, context) ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('an APIService is named after its version and group', () => {
  assert.deepEqual(check('v1.a.io', {}), []);
  assert.match(check('a.io', {})[0] ?? '', /^metadata\.name: Invalid value: "a\.io": must be .*"v1\.a\.io"$/);
});

test('priorities have bounds', () => {
  assert.deepEqual(check('v1.a.io', { groupPriorityMinimum: 20_001, versionPriority: 0 }), [
    'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
    'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
  ]);
});

test('certificates are for servers elsewhere', () => {
  const service = { namespace: 'n', name: 's', port: 443 };
  assert.deepEqual(check('v1.a.io', { caBundle: 'AAAA' }), [
    'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
  ]);
  assert.deepEqual(check('v1.a.io', { service, caBundle: 'AAAA' }), []);
  assert.equal(check('v1.a.io', { service, caBundle: 'AAAA', insecureSkipTLSVerify: true }).length, 1);
});

test('local APIServices are available from the start; others get a port', () => {
  const local = { spec } as Mutable<APIService>;
  strategy.prepareForCreate?.(local, context);
  assert.equal(local.status?.conditions?.[0]?.reason, 'Local');
  const remote = { spec: { ...spec, service: { namespace: 'n', name: 's' } } } as Mutable<APIService>;
  strategy.applyDefaults?.(remote);
  strategy.prepareForCreate?.(remote, context);
  assert.equal(remote.spec?.service?.port, 443);
  assert.equal(remote.status?.conditions, undefined);
});
