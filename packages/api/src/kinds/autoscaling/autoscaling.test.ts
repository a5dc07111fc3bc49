import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HorizontalPodAutoscaler } from '@homeostat/api/types/autoscaling-v2';
import type { Mutable } from '@homeostat/machinery';
import { horizontalPodAutoscalerStrategy as strategy } from './horizontal-pod-autoscaler.ts';

const context = { nowMs: 0 };
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };

function autoscaler(spec: object): HorizontalPodAutoscaler {
  const draft = {
    metadata: { name: 'a', namespace: 'n', uid: 'u' },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  } as Mutable<HorizontalPodAutoscaler>;
  strategy.applyDefaults?.(draft);
  return draft as HorizontalPodAutoscaler;
}

function problems(spec: object): readonly string[] {
  return (strategy.validateCreate?.(autoscaler(spec), context) ?? []).map((error) => `${error.field}: ${error.body}`);
}

test('without metrics, Pods shall use four fifths of the CPU they request', () => {
  const { spec } = autoscaler({});
  assert.equal(spec?.minReplicas, 1);
  assert.deepEqual(spec?.metrics, [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
  ]);
  assert.equal(spec?.behavior, undefined);
  assert.deepEqual(problems({}), []);
});

test('behavior is filled in both directions once it is mentioned', () => {
  const { spec } = autoscaler({ behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } });
  assert.equal(spec?.behavior?.scaleUp?.stabilizationWindowSeconds, 5);
  assert.equal(spec?.behavior?.scaleUp?.policies?.length, 2);
  assert.equal(spec?.behavior?.scaleDown?.policies?.length, 1);
  assert.equal(spec?.behavior?.scaleDown?.stabilizationWindowSeconds, undefined);
});

test('a v1 object gets a utilization where its annotations name no metrics', () => {
  const draft = { apiVersion: 'autoscaling/v1', spec: { scaleTargetRef, maxReplicas: 3 } };
  strategy.applyDefaults?.(draft as unknown as Mutable<HorizontalPodAutoscaler>);
  assert.deepEqual(draft.spec, {
    scaleTargetRef,
    maxReplicas: 3,
    minReplicas: 1,
    targetCPUUtilizationPercentage: 80,
  } as object);
});

test('bounds fit each other, and a group tells what is scaled', () => {
  assert.deepEqual(problems({ minReplicas: 5 }), [
    'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
  ]);
  assert.deepEqual(problems({ scaleTargetRef: { kind: 'Deployment', name: 'd' } }), [
    'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
  ]);
  assert.deepEqual(problems({ scaleTargetRef: { kind: 'ReplicationController', name: 'd' } }), []);
});

test('a metric has the source of its type, and a target', () => {
  const target = { type: 'AverageValue', averageValue: '1' };
  assert.deepEqual(problems({ metrics: [{ type: 'Pods', pods: { metric: { name: 'm' }, target } }] }), []);
  assert.deepEqual(problems({ metrics: [{ type: 'Pods', resource: { name: 'cpu', target } }] }), [
    'spec.metrics[0].pods: Required value: must populate information for the given metric source',
  ]);
  const none = { type: 'AverageValue', averageValue: '0' };
  assert.deepEqual(problems({ metrics: [{ type: 'Resource', resource: { name: 'cpu', target: none } }] }), [
    'spec.metrics[0].resource.target.averageValue: Invalid value: "0": must be positive',
  ]);
});

test('scaling policies have limits', () => {
  const rules = { policies: [{ type: 'Pods', value: 0, periodSeconds: 1801 }], stabilizationWindowSeconds: 3601 };
  assert.deepEqual(problems({ behavior: { scaleDown: rules } }), [
    'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
    'spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero',
    'spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
  ]);
});
