import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import type { Mutable } from '@homeostat/machinery';
import { leaseStrategy as strategy } from './lease.ts';

const context = { nowMs: 0 };
const metadata = { name: 'l', namespace: 'n', resourceVersion: '1' };

test('a Lease lasts some time, and is not handed over a negative number of times', () => {
  const check = (spec: object): readonly string[] =>
    (strategy.validateCreate?.({ metadata, spec } as Lease, context) ?? []).map((error) => error.field);
  assert.deepEqual(check({ leaseDurationSeconds: 1, leaseTransitions: 0 }), []);
  assert.deepEqual(check({ leaseDurationSeconds: 0, leaseTransitions: -1 }), [
    'spec.leaseDurationSeconds',
    'spec.leaseTransitions',
  ]);
});

test('fields of coordinated election are dropped, unless they are stored', () => {
  const spec = { strategy: 'OldestEmulationVersion' } as const;
  const draft = { metadata, spec: { ...spec } } as Mutable<Lease>;
  strategy.prepareForCreate?.(draft, context);
  assert.deepEqual(draft.spec, {});
  const kept = { metadata, spec: { ...spec } } as Mutable<Lease>;
  strategy.prepareForUpdate?.(kept, { metadata, spec }, context);
  assert.deepEqual(kept.spec, spec);
});
