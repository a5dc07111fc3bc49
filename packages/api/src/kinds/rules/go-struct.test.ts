import assert from 'node:assert/strict';
import { test } from 'node:test';
import { structByName } from '../../scheme/scheme.ts';
import { toGoStruct } from './go-struct.ts';

test('toGoStruct() shows every field under its Go name', () => {
  const taint = structByName('io.k8s.api.core.v1.Taint');
  assert.equal(
    JSON.stringify(toGoStruct({ key: 'a', effect: 'NoSchedule' }, taint)),
    '{"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}',
  );
});

test('toGoStruct() sorts maps and writes quantities in their short form', () => {
  const requirements = structByName('io.k8s.api.core.v1.ResourceRequirements');
  assert.equal(
    JSON.stringify(toGoStruct({ limits: { memory: '1024Mi', cpu: '1000m' } }, requirements)),
    '{"Limits":{"cpu":"1","memory":"1Gi"},"Requests":null,"Claims":null}',
  );
});
