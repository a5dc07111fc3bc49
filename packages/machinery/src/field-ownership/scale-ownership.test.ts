// Ownership across /scale, and the names of managers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedFieldsEntry } from '../meta/object.ts';
import { managerOrUserAgent } from './manager-name.ts';
import { toParentManagedFields, toScaleManagedFields } from './scale-ownership.ts';

const paths = { 'apps/v1': 'spec.replicas' };
const replicas = { 'f:spec': { 'f:replicas': {} } };
const time = '2026-01-01T00:00:00Z';

function entry(manager: string, more: Partial<ManagedFieldsEntry>): ManagedFieldsEntry {
  return {
    manager,
    operation: 'Apply',
    apiVersion: 'apps/v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: replicas,
    ...more,
  };
}

const owner = entry('owner', { fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } } });
const other = entry('other', { operation: 'Update', fieldsV1: { 'f:spec': { 'f:paused': {} } } });

test('toScaleManagedFields() shows the managers of the replicas', () => {
  assert.deepEqual(toScaleManagedFields([owner, other], paths), [entry('owner', { apiVersion: 'autoscaling/v1' })]);
  assert.equal(toScaleManagedFields([owner], {}), undefined);
});

test('toParentManagedFields() takes the replicas from managers that lost them, and adds those that won them', () => {
  const scaler = entry('scaler', { operation: 'Update', apiVersion: 'autoscaling/v1', subresource: 'scale' });
  assert.deepEqual(toParentManagedFields([owner, other], [scaler], { apiVersion: 'apps/v1', paths }), [
    { ...owner, fieldsV1: { 'f:spec': { 'f:paused': {} } } },
    {
      manager: 'scaler',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: replicas,
      subresource: 'scale',
    },
    other,
  ]);
});

test('toParentManagedFields() leaves a manager that kept the replicas alone', () => {
  const kept = entry('owner', { apiVersion: 'autoscaling/v1' });
  assert.deepEqual(toParentManagedFields([owner], [kept], { apiVersion: 'apps/v1', paths }), [owner]);
});

test('managerOrUserAgent() falls back to the product of the user agent', () => {
  assert.equal(managerOrUserAgent('m', 'kubectl/v1.36'), 'm');
  assert.equal(managerOrUserAgent('', 'kubectl/v1.36 (linux)'), 'kubectl');
  assert.equal(managerOrUserAgent(undefined, 'a\tb c/1'), 'ab c');
  assert.equal(managerOrUserAgent(undefined, undefined), '');
  assert.equal(managerOrUserAgent(undefined, 'x'.repeat(200)).length, 128);
});
