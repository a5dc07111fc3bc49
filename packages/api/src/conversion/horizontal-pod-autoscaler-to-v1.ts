// HorizontalPodAutoscaler, autoscaling/v2 to autoscaling/v1: the first CPU utilization becomes the v1 field, the rest
// goes to annotations.

import type { HorizontalPodAutoscaler as AutoscalerV1 } from '@homeostat/api/types/autoscaling-v1';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '@homeostat/api/types/autoscaling-v2';

import {
  type AnnotatedBehavior,
  type AnnotatedMetric,
  type AnnotatedResource,
  type AnnotatedResourceStatus,
  type AnnotatedScalingRules,
  type AnnotatedStatus,
  BEHAVIOR_ANNOTATION,
  compact,
  CONDITIONS_ANNOTATION,
  dropAnnotations,
  METRICS_ANNOTATION,
  STATUSES_ANNOTATION,
} from './horizontal-pod-autoscaler-annotations.ts';

export function autoscalerToV1(object: HorizontalPodAutoscaler): AutoscalerV1 {
  const { metrics: _metrics, behavior: _behavior, ...spec } = object.spec ?? ({} as HorizontalPodAutoscalerSpec);
  const { currentMetrics, conditions: _conditions, ...status } = object.status ?? { desiredReplicas: 0 };
  const cpu = object.spec?.metrics?.find(isCpuUtilization)?.resource?.target?.averageUtilization;
  const currentCpu = (currentMetrics ?? []).findLast(hasCpuUtilization)?.resource?.current?.averageUtilization;
  return compact({
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: annotate(object),
    spec: compact({ ...spec, targetCPUUtilizationPercentage: cpu }),
    status: compact({
      currentReplicas: 0,
      ...status,
      currentCPUUtilizationPercentage: currentCpu,
    }),
  }) as AutoscalerV1;
}

function annotate(object: HorizontalPodAutoscaler): HorizontalPodAutoscaler['metadata'] {
  const metrics = (object.spec?.metrics ?? []).filter((metric) => !isCpuUtilization(metric));
  const statuses = object.status?.currentMetrics ?? [];
  const conditions = object.status?.conditions ?? [];
  const behavior = object.spec?.behavior;
  const added: Record<string, string> = {};
  if (behavior !== undefined) {
    const annotated: AnnotatedBehavior = {
      ScaleUp: annotateRules(behavior.scaleUp),
      ScaleDown: annotateRules(behavior.scaleDown),
    };
    added[BEHAVIOR_ANNOTATION] = JSON.stringify(annotated);
  }
  if (conditions.length > 0) added[CONDITIONS_ANNOTATION] = JSON.stringify(conditions.map(orderCondition));
  if (statuses.length > 0) added[STATUSES_ANNOTATION] = JSON.stringify(statuses.map(annotateStatus));
  if (metrics.length > 0) added[METRICS_ANNOTATION] = JSON.stringify(metrics.map(annotateMetric));
  if (Object.keys(added).length === 0) return object.metadata;
  return { ...object.metadata, annotations: { ...dropAnnotations(object.metadata?.annotations), ...added } };
}

function isCpuUtilization(metric: MetricSpec): boolean {
  const { resource } = metric;
  return metric.type === 'Resource' && resource?.name === 'cpu' && resource.target?.averageUtilization !== undefined;
}

function hasCpuUtilization(metric: MetricStatus): boolean {
  const { resource } = metric;
  return metric.type === 'Resource' && resource?.name === 'cpu' && resource.current?.averageUtilization !== undefined;
}

function annotateMetric(metric: MetricSpec): AnnotatedMetric {
  const { object, pods, resource, containerResource, external } = metric;
  return compact({
    type: metric.type,
    object: object && {
      ...compact({
        target: orderReference(object.describedObject),
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    },
    pods: pods && {
      ...compact({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? '0',
        selector: pods.metric.selector,
      }),
    },
    resource: resource && annotateResource(resource),
    containerResource: containerResource && {
      ...annotateResource(containerResource),
      container: containerResource.container,
    },
    external: external && {
      ...compact({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
    },
  }) as AnnotatedMetric;
}

function annotateStatus(metric: MetricStatus): AnnotatedStatus {
  const { object, pods, resource, containerResource, external } = metric;
  return compact({
    type: metric.type,
    object: object && {
      ...compact({
        target: orderReference(object.describedObject),
        metricName: object.metric.name,
        currentValue: object.current.value ?? '0',
        selector: object.metric.selector,
        averageValue: object.current.averageValue,
      }),
    },
    pods: pods && {
      ...compact({
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? '0',
        selector: pods.metric.selector,
      }),
    },
    resource: resource && annotateResourceStatus(resource),
    containerResource: containerResource && {
      ...annotateResourceStatus(containerResource),
      container: containerResource.container,
    },
    external: external && {
      ...compact({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? '0',
        currentAverageValue: external.current.averageValue,
      }),
    },
  }) as AnnotatedStatus;
}

function annotateResource(source: { readonly name: string; readonly target: MetricTarget }): AnnotatedResource {
  return compact({
    name: source.name,
    targetAverageUtilization: source.target.averageUtilization,
    targetAverageValue: source.target.averageValue,
  }) as AnnotatedResource;
}

function annotateResourceStatus(source: {
  readonly name: string;
  readonly current: MetricValueStatus;
}): AnnotatedResourceStatus {
  return compact({
    name: source.name,
    currentAverageUtilization: source.current.averageUtilization,
    currentAverageValue: source.current.averageValue ?? '0',
  }) as AnnotatedResourceStatus;
}

function annotateRules(rules: HPAScalingRules | undefined): AnnotatedScalingRules | null {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: rules.policies?.map((p) => ({ Type: p.type, Value: p.value, PeriodSeconds: p.periodSeconds })) ?? null,
    Tolerance: rules.tolerance ?? null,
  };
}

function orderReference(reference: {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string;
}): object {
  return compact({ kind: reference.kind, name: reference.name, apiVersion: reference.apiVersion });
}

function orderCondition(condition: {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}): object {
  return compact({
    type: condition.type,
    status: condition.status,
    lastTransitionTime: condition.lastTransitionTime ?? null,
    reason: condition.reason,
    message: condition.message,
  });
}
