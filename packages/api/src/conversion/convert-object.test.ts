import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@homeostat/machinery';
import { convertObject } from './convert-object.ts';

const v1 = { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' };
const v2 = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' };
const coreEvent = { group: '', version: 'v1', kind: 'Event' };
const newEvent = { group: 'events.k8s.io', version: 'v1', kind: 'Event' };
const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};
const pods = {
  type: 'Pods',
  pods: {
    metric: { name: 'p', selector: { matchLabels: { a: 'b' } } },
    target: { type: 'AverageValue', averageValue: '3' },
  },
};
const external = { type: 'External', external: { metric: { name: 'e' }, target: { type: 'Value', value: '7' } } };

test('convertObject() writes only the version where nothing else differs', () => {
  const gvk = { group: 'apps', version: 'v1', kind: 'Deployment' };
  const object = { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'a' } };
  assert.equal(convertObject(object, gvk, gvk), object);
});

test('an autoscaler goes through v1 and back without loss', () => {
  const object = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: 'h', annotations: { own: 'x' } },
    spec: {
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [memory, pods, external, cpu],
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 1, periodSeconds: 9 }] },
      },
    },
    status: {
      currentReplicas: 2,
      desiredReplicas: 3,
      conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2024-01-02T03:04:05Z' }],
      currentMetrics: [{ type: 'Resource', resource: { name: 'memory', current: { averageValue: '5Mi' } } }],
    },
  };
  const old = convertObject(object, v2, v1) as typeof object & { spec: { targetCPUUtilizationPercentage?: number } };
  assert.equal(old.apiVersion, 'autoscaling/v1');
  assert.equal(old.spec.targetCPUUtilizationPercentage, 50);
  assert.deepEqual(convertObject(old, v1, v2), object);
});

test('annotations of v1 are written with the fields in their order', () => {
  const object = { metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 1, metrics: [memory] } };
  const annotations = convertObject(object as KubeObject, v2, v1).metadata?.annotations;
  assert.deepEqual(annotations, {
    'autoscaling.alpha.kubernetes.io/metrics':
      '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
  });
});

test('an autoscaler of v1 without any metric gets the CPU default; unreadable annotations are dropped', () => {
  const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': 'not json' };
  const object = { metadata: { name: 'h', annotations }, spec: { scaleTargetRef, maxReplicas: 1 } };
  const converted = convertObject(object as KubeObject, v1, v2) as { spec?: { metrics?: unknown } } & KubeObject;
  assert.equal(converted.metadata?.annotations, undefined);
  assert.deepEqual(converted.spec?.metrics, [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
  ]);
});

test('an Event goes to its other group and back without loss', () => {
  const event = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod' },
    message: 'm',
    source: { component: 'c' },
    count: 2,
    reportingComponent: 'r',
    reason: 'R',
  };
  const other = convertObject(event as KubeObject, coreEvent, newEvent);
  assert.deepEqual(other, {
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata: { name: 'e' },
    regarding: { kind: 'Pod' },
    note: 'm',
    deprecatedSource: { component: 'c' },
    deprecatedCount: 2,
    reportingController: 'r',
    reason: 'R',
  });
  assert.deepEqual(convertObject(other, newEvent, coreEvent), event);
});
