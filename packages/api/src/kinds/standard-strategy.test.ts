import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ingress } from '@homeostat/api/types/networking-v1';
import type { Mutable } from '@homeostat/machinery';
import { standardStrategy } from './standard-strategy.ts';

const kind = { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress' };
const context = { nowMs: 0 };
const strategy = standardStrategy<Ingress>({ kind, namespaced: true, generationFields: ['spec'], status: true });

function draft(object: object): Mutable<Ingress> {
  return structuredClone(object) as Mutable<Ingress>;
}

test('standardStrategy() drops status at create and keeps the stored one at update', () => {
  const created = draft({ status: { loadBalancer: {} } });
  strategy.prepareForCreate?.(created, context);
  assert.equal(created.status, undefined);
  const old = { metadata: { generation: 3 }, status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } };
  const updated = draft({ metadata: { generation: 3 }, status: {} });
  strategy.prepareForUpdate?.(updated, old, context);
  assert.deepEqual(updated.status, old.status);
});

test('standardStrategy() raises the generation only when the spec differs in meaning', () => {
  const old = { metadata: { generation: 3 }, spec: { rules: [] } };
  const same = draft({ metadata: { generation: 3, labels: { a: 'b' } }, spec: {} });
  strategy.prepareForUpdate?.(same, old, context);
  assert.equal(same.metadata?.generation, 3);
  const other = draft({ metadata: { generation: 3 }, spec: { ingressClassName: 'c' } });
  strategy.prepareForUpdate?.(other, old, context);
  assert.equal(other.metadata?.generation, 4);
});

test('the status endpoint of standardStrategy() keeps the spec and owns none of it', () => {
  const status = strategy.subresources?.['status'];
  const updated = draft({ spec: { ingressClassName: 'new' }, status: { loadBalancer: {} } });
  status?.prepareForUpdate?.(updated, { spec: { ingressClassName: 'old' } }, context);
  assert.equal(updated.spec?.ingressClassName, 'old');
  assert.deepEqual(updated.status, { loadBalancer: {} });
  assert.deepEqual(status?.resetFields, [['spec']]);
});

test('standardStrategy() checks metadata with the name rule of the kind', () => {
  const errors = strategy.validateCreate?.({ metadata: { name: 'Bad', namespace: 'n' } }, context) ?? [];
  assert.deepEqual(
    errors.map((error) => error.field),
    ['metadata.name'],
  );
});
