import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceClaim, ResourceSlice } from '@homeostat/api/types/resource-v1';
import type { FieldError, Mutable } from '@homeostat/machinery';
import { resourceClaimStrategy } from './resource-claim.ts';
import { resourceSliceStrategy } from './resource-slice.ts';

const context = { nowMs: 0 };
const metadata = { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '1', generation: 1 };

function texts(errors: readonly FieldError[] | undefined): readonly string[] {
  return (errors ?? []).map((error) => `${error.field}: ${error.body}`);
}

function claim(devices: object, status?: object): ResourceClaim {
  const draft = structuredClone({ metadata, spec: { devices }, ...(status === undefined ? {} : { status }) });
  resourceClaimStrategy.applyDefaults?.(draft as Mutable<ResourceClaim>);
  return draft as ResourceClaim;
}

function createClaim(devices: object): readonly string[] {
  return texts(resourceClaimStrategy.validateCreate?.(claim(devices), context));
}

function slice(spec: object): ResourceSlice {
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  return {
    metadata: { ...metadata, namespace: undefined },
    spec: { driver: 'a.io', pool, nodeName: 'n', ...spec },
  } as unknown as ResourceSlice;
}

test('a request asks for exactly one device unless it says otherwise', () => {
  const requests = [{ name: 'r', exactly: { deviceClassName: 'c' } }];
  const exactly = claim({ requests }).spec?.devices?.requests?.[0]?.exactly;
  assert.deepEqual([exactly?.allocationMode, exactly?.count], ['ExactCount', 1]);
  assert.deepEqual(createClaim({ requests }), []);
  assert.match(createClaim({ requests: [{ name: 'r' }] })[0] ?? '', /exactly one of `exactly` or `firstAvailable`/);
  const all = { deviceClassName: 'c', allocationMode: 'All', count: 1 };
  assert.deepEqual(createClaim({ requests: [{ name: 'r', exactly: all }] }), [
    "spec.devices.requests[0].exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'",
  ]);
});

test('constraints and configuration refer to requests, or to their alternatives', () => {
  const requests = [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'c' }] }];
  const refer = (ref: string): number =>
    createClaim({ requests, constraints: [{ requests: [ref], matchAttribute: 'a.io/model' }] }).length;
  assert.deepEqual(['r', 'r/s', 's', 'r/t'].map(refer), [0, 0, 1, 1]);
});

test('a claim never changes, but may be reserved once it is allocated', () => {
  const requests = [{ name: 'r', exactly: { deviceClassName: 'c' } }];
  const old = claim({ requests });
  const other = claim({ requests: [{ name: 'q', exactly: { deviceClassName: 'c' } }] });
  assert.match(texts(resourceClaimStrategy.validateUpdate?.(other, old, context))[0] ?? '', /field is immutable$/);
  const reserve = (status: object): readonly string[] => {
    const strategy = resourceClaimStrategy.subresources?.['status'];
    return texts(strategy?.validateUpdate?.(claim({ requests }, status), old, context));
  };
  const reservedFor = [{ resource: 'pods', name: 'p', uid: 'u' }];
  assert.deepEqual(reserve({ allocation: {}, reservedFor }), []);
  assert.deepEqual(reserve({ reservedFor }), [
    'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
  ]);
});

test('a ResourceSlice is of one node, of some, or of all', () => {
  const create = (spec: object): readonly string[] =>
    texts(resourceSliceStrategy.validateCreate?.(slice(spec), context));
  assert.deepEqual(create({}), []);
  assert.deepEqual(create({ nodeName: undefined, allNodes: true }), []);
  assert.match(create({ nodeName: undefined })[0] ?? '', /^spec: Required value: exactly one of `nodeName`/);
  assert.match(create({ allNodes: true })[0] ?? '', /but multiple fields are set$/);
});

test("a slice's devices have names of their own and one value per attribute", () => {
  const create = (...devices: readonly object[]): readonly string[] =>
    texts(resourceSliceStrategy.validateCreate?.(slice({ devices }), context));
  assert.deepEqual(create({ name: 'd', attributes: { model: { version: '1.2.3' } } }), []);
  assert.deepEqual(create({ name: 'd' }, { name: 'd' }), ['spec.devices[1]: Duplicate value: "d"']);
  assert.equal(create({ name: 'd', attributes: { model: {} } }).length, 1);
  assert.equal(create({ name: 'd', attributes: { model: { version: '1.2' } } }).length, 1);
});

test('a slice keeps its driver, pool and node', () => {
  const errors = resourceSliceStrategy.validateUpdate?.(slice({ driver: 'b.io', nodeName: 'm' }), slice({}), context);
  assert.deepEqual(
    errors?.map((error) => error.field),
    ['spec.driver', 'spec.nodeName'],
  );
});
