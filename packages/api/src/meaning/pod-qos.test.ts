import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec, ResourceRequirements } from '@homeostat/api/types/core-v1';
import { computeQosClass } from './pod-qos.ts';

const both = { cpu: '1', memory: '1Gi' };

function spec(resources: readonly (ResourceRequirements | undefined)[], more: Partial<PodSpec> = {}): PodSpec {
  const containers = resources.map((one, index) => ({
    name: `c${index}`,
    ...(one === undefined ? {} : { resources: one }),
  }));
  return { containers, ...more };
}

test('computeQosClass() is BestEffort when no container asks for cpu or memory', () => {
  assert.equal(computeQosClass(spec([undefined])), 'BestEffort');
  assert.equal(computeQosClass(spec([{ requests: { 'ephemeral-storage': '1Gi' } }])), 'BestEffort');
  assert.equal(computeQosClass(spec([{ requests: { cpu: '0' } }])), 'BestEffort');
});

test('computeQosClass() is Guaranteed when every container is limited to what it requests', () => {
  assert.equal(computeQosClass(spec([{ requests: both, limits: both }])), 'Guaranteed');
  assert.equal(computeQosClass(spec([{ requests: { cpu: '1000m', memory: '1024Mi' }, limits: both }])), 'Guaranteed');
  assert.equal(computeQosClass(spec([{ limits: both, requests: both }, undefined])), 'Burstable');
});

test('computeQosClass() counts init containers and is Burstable in between', () => {
  const init = { initContainers: [{ name: 'i', resources: { requests: { cpu: '1' } } }] };
  assert.equal(computeQosClass(spec([{ requests: both, limits: both }], init)), 'Burstable');
  assert.equal(computeQosClass(spec([{ requests: { cpu: '500m', memory: '1Gi' }, limits: both }])), 'Burstable');
});

test('computeQosClass() goes by Pod-level resources where there are any', () => {
  assert.equal(computeQosClass(spec([undefined], { resources: { requests: both, limits: both } })), 'Guaranteed');
  assert.equal(
    computeQosClass(spec([{ requests: both, limits: both }], { resources: { requests: { cpu: '2' } } })),
    'Burstable',
  );
});
