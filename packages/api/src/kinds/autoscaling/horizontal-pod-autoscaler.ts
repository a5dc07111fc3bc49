// HorizontalPodAutoscaler. It is served as autoscaling/v1 and v2, stored and checked as v2; v1 objects come here
// converted, so that errors name v2 fields whichever version was sent.

import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '@homeostat/api/types/autoscaling-v2';
import { type FieldError, FieldPath, invalid, type Mutable, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { hasAnnotatedMetrics } from '../../conversion/horizontal-pod-autoscaler-annotations.ts';
import { validateCounters } from '../apps/status-counters.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { defaultBehavior, validateBehavior } from './behavior.ts';
import { validateMetrics, validateObjectReference } from './metrics.ts';

const specPath = new FieldPath('spec');
const defaultCpuUtilization = 80;
const minReplicasMin = 1;

export const horizontalPodAutoscalerStrategy: KindStrategy<HorizontalPodAutoscaler> =
  standardStrategy<HorizontalPodAutoscaler>({
    kind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
    namespaced: true,
    status: true,
    validate(object, errors, old) {
      validateSpec(object.spec ?? ({} as HorizontalPodAutoscalerSpec), old?.spec, specPath, errors);
    },
    validateStatus(object, _old, errors) {
      validateCounters(object.status ?? {}, ['currentReplicas', 'desiredReplicas'], new FieldPath('status'), errors);
    },
    more: { applyDefaults: applyAutoscalerDefaults },
  });

function applyAutoscalerDefaults(draft: Mutable<HorizontalPodAutoscaler>): void {
  const spec = (draft.spec ??= {} as Mutable<HorizontalPodAutoscalerSpec>);
  spec.minReplicas ??= 1;
  if (draft.apiVersion === 'autoscaling/v1') {
    defaultV1Target(draft);
    return;
  }
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: 'Utilization', averageUtilization: defaultCpuUtilization };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }] as Mutable<
      HorizontalPodAutoscalerSpec['metrics']
    >;
  }
  if (spec.behavior !== undefined) defaultBehavior(spec.behavior);
}

/** A v1 object has one metric field; what is in the annotations counts too. */
function defaultV1Target(draft: Mutable<HorizontalPodAutoscaler>): void {
  const spec = draft.spec as { targetCPUUtilizationPercentage?: number } | undefined;
  if (spec === undefined || hasAnnotatedMetrics(draft.metadata?.annotations)) return;
  spec.targetCPUUtilizationPercentage ??= defaultCpuUtilization;
}

function validateSpec(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { minReplicas, maxReplicas = 0 } = spec;
  if (minReplicas !== undefined && minReplicas < minReplicasMin) {
    const text = `must be greater than or equal to ${minReplicasMin}`;
    errors.push(invalid(path.child('minReplicas'), minReplicas, text));
  }
  const maxPath = path.child('maxReplicas');
  if (maxReplicas < 1) errors.push(required(maxPath, 'must be set and greater than 0'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalid(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  validateObjectReference(spec.scaleTargetRef, path.child('scaleTargetRef'), errors);
  validateTargetVersion(spec, old, path.child('scaleTargetRef', 'apiVersion'), errors);
  validateMetrics(spec.metrics ?? [], minReplicas, path.child('metrics'), errors);
  validateBehavior(spec.behavior, path.child('behavior'), errors);
}

/** What is scaled must be told by its group, but for the one kind of the core group that scales. */
function validateTargetVersion(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const apiVersion = spec.scaleTargetRef?.apiVersion ?? '';
  if (old !== undefined && apiVersion === (old.scaleTargetRef?.apiVersion ?? '')) return;
  const parts = apiVersion.split('/');
  if (parts.length > 2) errors.push(invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else if (parts.length < 2 && spec.scaleTargetRef?.kind !== 'ReplicationController') {
    errors.push(invalid(path, apiVersion, 'apiVersion must specify API group'));
  }
}
