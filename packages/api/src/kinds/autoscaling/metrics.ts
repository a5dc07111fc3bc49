// The metrics of a HorizontalPodAutoscaler: exactly one source of the named type, and a target that fits it.

import type {
  CrossVersionObjectReference,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '@homeostat/api/types/autoscaling-v2';
import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '@homeostat/machinery';
import { nameIsPathSegment } from '../rules/names.ts';
import { isPositive } from '../rules/quantities.ts';
import { pushInvalid } from '../rules/values.ts';

const sourceTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const targetTypes = ['Utilization', 'Value', 'AverageValue'];
const sourceFields: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

export function validateMetrics(
  metrics: readonly MetricSpec[],
  minReplicas: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [index, metric] of metrics.entries()) validateMetric(metric, path.index(index), errors);
  const wakes = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (minReplicas === 0 && !wakes) {
    errors.push(
      forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'),
    );
  }
}

/** A reference to the object that is scaled, or that a metric describes. */
export function validateObjectReference(
  reference: CrossVersionObjectReference | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const field of ['kind', 'name'] as const) {
    const value = reference?.[field] ?? '';
    if (value === '') errors.push(required(path.child(field)));
    else pushInvalid(nameIsPathSegment(value, false), value, path.child(field), errors);
  }
}

function validateMetric(metric: MetricSpec, path: FieldPath, errors: FieldError[]): void {
  const type: string = metric.type ?? '';
  const at = path.child('type');
  if (type === '') errors.push(required(at, 'must specify a metric source type'));
  if (!sourceTypes.includes(type)) errors.push(notSupported(at, type, sourceTypes));
  const present = ['object', 'external', 'pods', 'resource', 'containerResource'].filter(
    (field) => (metric as unknown as Record<string, unknown>)[field] !== undefined,
  );
  if (present[0] !== undefined) validateSource(metric, present[0], path.child(present[0]), errors);
  const expected = sourceFields[type];
  if (expected === undefined) {
    // Twice, as upstream says it.
    errors.push(notSupported(at, type, sourceTypes));
    return;
  }
  if (!present.includes(expected)) {
    errors.push(required(path.child(expected), 'must populate information for the given metric source'));
  }
  if (present.length < 2) return;
  for (const field of present) {
    if (field !== expected) errors.push(forbidden(path.child(field), 'must populate the given metric source only'));
  }
}

function validateSource(metric: MetricSpec, field: string, path: FieldPath, errors: FieldError[]): void {
  const { object, external, pods, resource, containerResource } = metric;
  switch (field) {
    case 'object':
      validateObjectReference(object?.describedObject, path.child('describedObject'), errors);
      validateIdentifier(object?.metric, path.child('metric'), errors);
      validateObjectTarget(object?.target, path.child('target'), errors);
      return;
    case 'external':
      validateIdentifier(external?.metric, path.child('metric'), errors);
      validateExternalTarget(external?.target, path.child('target'), errors);
      return;
    case 'pods':
      validateIdentifier(pods?.metric, path.child('metric'), errors);
      validatePodsTarget(pods?.target, path.child('target'), errors);
      return;
    case 'resource':
      validateResource(resource, path, errors);
      return;
    default:
      validateResourceName(containerResource?.name, path, errors);
      if ((containerResource?.container ?? '') === '') {
        errors.push(required(path.child('container'), 'must specify a container'));
      }
      validateResourceTarget(containerResource?.target, path.child('target'), errors);
  }
}

function validateResource(source: MetricSpec['resource'], path: FieldPath, errors: FieldError[]): void {
  validateResourceName(source?.name, path, errors);
  validateResourceTarget(source?.target, path.child('target'), errors);
}

function validateResourceName(name: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if ((name ?? '') === '') errors.push(required(path.child('name'), 'must specify a resource name'));
}

function validateIdentifier(metric: MetricIdentifier | undefined, path: FieldPath, errors: FieldError[]): void {
  const name = metric?.name ?? '';
  if (name === '') errors.push(required(path.child('name'), 'must specify a metric name'));
  else pushInvalid(nameIsPathSegment(name, false), name, path.child('name'), errors);
}

function validateObjectTarget(target: MetricTarget | undefined, path: FieldPath, errors: FieldError[]): void {
  validateTarget(target, path, errors);
  if (target?.value === undefined && target?.averageValue === undefined) {
    errors.push(required(path.child('averageValue'), 'must set either a target value or averageValue'));
  }
}

function validateExternalTarget(target: MetricTarget | undefined, path: FieldPath, errors: FieldError[]): void {
  validateTarget(target, path, errors);
  if (target?.value === undefined && target?.averageValue === undefined) {
    const text = 'must set either a target value for metric or a per-pod target';
    errors.push(required(path.child('averageValue'), text));
  }
  if (target?.value !== undefined && target.averageValue !== undefined) {
    errors.push(forbidden(path.child('value'), 'may not set both a target value for metric and a per-pod target'));
  }
}

function validatePodsTarget(target: MetricTarget | undefined, path: FieldPath, errors: FieldError[]): void {
  validateTarget(target, path, errors);
  if (target?.averageValue === undefined || !isPositive(target.averageValue)) {
    errors.push(required(path.child('averageValue'), 'must specify a positive target averageValue'));
  }
}

function validateResourceTarget(target: MetricTarget | undefined, path: FieldPath, errors: FieldError[]): void {
  validateTarget(target, path, errors);
  if (target?.averageUtilization === undefined && target?.averageValue === undefined) {
    const text = 'must set either a target raw value or a target utilization';
    errors.push(required(path.child('averageUtilization'), text));
  }
  if (target?.averageUtilization !== undefined && target.averageValue !== undefined) {
    errors.push(forbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization'));
  }
}

function validateTarget(target: MetricTarget | undefined, path: FieldPath, errors: FieldError[]): void {
  const type: string = target?.type ?? '';
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric target type'));
  if (!targetTypes.includes(type)) {
    errors.push(invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const field of ['value', 'averageValue'] as const) {
    const quantity = target?.[field];
    if (quantity !== undefined && !isPositive(quantity))
      errors.push(invalid(path.child(field), quantity, 'must be positive'));
  }
  const utilization = target?.averageUtilization;
  if (utilization !== undefined && utilization < 1) {
    errors.push(invalid(path.child('averageUtilization'), utilization, 'must be greater than 0'));
  }
}
