import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod } from '@homeostat/api/types/core-v1';
import { podLimits, podRequests } from './pod-resources.ts';

function container(name: string, cpu: string, more: Partial<Container> = {}): Container {
  return { name, resources: { requests: { cpu }, limits: { cpu } }, ...more };
}

test('podRequests() sums containers and takes the largest init container', () => {
  const spec = { containers: [container('a', '1'), container('b', '500m')], initContainers: [container('i', '3')] };
  assert.deepEqual(podRequests({ spec }), { cpu: '3' });
  assert.deepEqual(podRequests({ spec: { ...spec, initContainers: [container('i', '1')] } }), { cpu: '1500m' });
});

test('podRequests() counts sidecars beside the containers and beside later init containers', () => {
  const sidecar = container('s', '1', { restartPolicy: 'Always' });
  assert.deepEqual(podRequests({ spec: { containers: [container('a', '1')], initContainers: [sidecar] } }), {
    cpu: '2',
  });
  const initContainers = [sidecar, container('i', '4')];
  assert.deepEqual(podRequests({ spec: { containers: [container('a', '1')], initContainers } }), { cpu: '5' });
});

test('podRequests() adds overhead, which excludeOverhead leaves out', () => {
  const spec = { containers: [container('a', '1')], overhead: { cpu: '250m', memory: '64Mi' } };
  assert.deepEqual(podRequests({ spec }), { cpu: '1250m', memory: '64Mi' });
  assert.deepEqual(podRequests({ spec }, { excludeOverhead: true }), { cpu: '1' });
  // Overhead never makes a limit where there is none.
  assert.deepEqual(podLimits({ spec }), { cpu: '1250m' });
});

test('podRequests() prefers Pod-level amounts', () => {
  const spec = { containers: [container('a', '1')], resources: { requests: { cpu: '4', memory: '1Gi' } } };
  assert.deepEqual(podRequests({ spec }), { cpu: '4', memory: '1Gi' });
});

test('podRequests() with useStatus takes the most of wanted, allocated and actual during a resize', () => {
  const status: Pod['status'] = {
    containerStatuses: [
      {
        name: 'a',
        image: 'i',
        imageID: '',
        ready: true,
        restartCount: 0,
        allocatedResources: { cpu: '3' },
        resources: { requests: { cpu: '2' } },
      },
    ],
  };
  const pod = { spec: { containers: [container('a', '1')] }, status };
  assert.deepEqual(podRequests(pod), { cpu: '1' });
  assert.deepEqual(podRequests(pod, { useStatus: true }), { cpu: '3' });
});

test('podRequests() fills in requests that are not stated when asked to', () => {
  const pod = { spec: { containers: [container('a', '1')] } };
  assert.deepEqual(podRequests(pod, { nonMissingRequests: { cpu: '100m', memory: '200Mi' } }), {
    cpu: '1',
    memory: '200Mi',
  });
});
