// HorizontalPodAutoscaler, autoscaling/v1 to autoscaling/v2: metrics are put together from the annotations and the one
// v1 field. An autoscaler without any metric gets the CPU default here, because v1 defaulting can't see annotations.
// Annotations that are not JSON of the expected form are dropped, as upstream drops them.

import type { HorizontalPodAutoscaler as AutoscalerV1 } from '@homeostat/api/types/autoscaling-v1';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
  MetricTarget,
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
  readAnnotation,
  STATUSES_ANNOTATION,
} from './horizontal-pod-autoscaler-annotations.ts';

/** What autoscaling aims at when nobody says anything. */
const DEFAULT_CPU_UTILIZATION = 80;

export function autoscalerFromV1(object: AutoscalerV1): HorizontalPodAutoscaler {
  const { targetCPUUtilizationPercentage, ...spec } = object.spec ?? {
    maxReplicas: 0,
    scaleTargetRef: { kind: '', name: '' },
  };
  const { currentCPUUtilizationPercentage, ...status } = object.status ?? { currentReplicas: 0, desiredReplicas: 0 };
  const annotations = object.metadata?.annotations;
  const conditions = readAnnotation<readonly HorizontalPodAutoscalerCondition[]>(annotations, CONDITIONS_ANNOTATION);
  const behavior = readAnnotation<AnnotatedBehavior>(annotations, BEHAVIOR_ANNOTATION);
  return compact({
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: compact({ ...object.metadata, annotations: dropAnnotations(annotations) }),
    spec: compact({
      ...spec,
      metrics: readMetrics(annotations, targetCPUUtilizationPercentage),
      behavior: behavior && readBehavior(behavior),
    }),
    status: compact({
      ...status,
      currentMetrics: readStatuses(annotations, currentCPUUtilizationPercentage),
      conditions,
    }),
  }) as HorizontalPodAutoscaler;
}

function readMetrics(annotations: Annotations, targetCpu: number | undefined): readonly MetricSpec[] {
  const own = targetCpu === undefined ? [] : [cpuMetric(targetCpu)];
  const annotated = readAnnotation<readonly AnnotatedMetric[]>(annotations, METRICS_ANNOTATION) ?? [];
  const metrics = [...annotated.map(readMetric), ...own];
  return metrics.length === 0 ? [cpuMetric(DEFAULT_CPU_UTILIZATION)] : metrics;
}

function readStatuses(annotations: Annotations, currentCpu: number | undefined): readonly MetricStatus[] | null {
  const annotated = readAnnotation<readonly AnnotatedStatus[]>(annotations, STATUSES_ANNOTATION) ?? [];
  if (annotated.length > 0) return annotated.map(readStatus);
  if (currentCpu === undefined) return null;
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: currentCpu } } }];
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function readMetric(metric: AnnotatedMetric): MetricSpec {
  const { object, pods, resource, containerResource, external } = metric;
  return compact({
    type: metric.type,
    object: object && {
      describedObject: object.target,
      target: compact({
        type: object.averageValue === undefined ? 'Value' : 'AverageValue',
        value: object.targetValue,
        averageValue: object.averageValue,
      }),
      metric: compact({ name: object.metricName, selector: object.selector }),
    },
    pods: pods && {
      metric: compact({ name: pods.metricName, selector: pods.selector }),
      target: { type: 'AverageValue', averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: readResourceTarget(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: readResourceTarget(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: compact({ name: external.metricName, selector: external.metricSelector }),
      target: compact({
        type: external.targetValue === undefined ? 'AverageValue' : 'Value',
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }),
    },
  }) as MetricSpec;
}

function readResourceTarget(source: AnnotatedResource): MetricTarget {
  return compact({
    type: source.targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
    averageValue: source.targetAverageValue,
    averageUtilization: source.targetAverageUtilization,
  }) as MetricTarget;
}

function readStatus(metric: AnnotatedStatus): MetricStatus {
  const { object, pods, resource, containerResource, external } = metric;
  return compact({
    type: metric.type,
    object: object && {
      metric: compact({ name: object.metricName, selector: object.selector }),
      current: compact({ value: object.currentValue, averageValue: object.averageValue }),
      describedObject: object.target,
    },
    pods: pods && {
      metric: compact({ name: pods.metricName, selector: pods.selector }),
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: readResourceStatus(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: readResourceStatus(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: compact({ name: external.metricName, selector: external.metricSelector }),
      current: compact({ value: external.currentValue, averageValue: external.currentAverageValue }),
    },
  }) as MetricStatus;
}

function readResourceStatus(source: AnnotatedResourceStatus): object {
  return compact({
    averageValue: source.currentAverageValue,
    averageUtilization: source.currentAverageUtilization,
  });
}

function readBehavior(behavior: AnnotatedBehavior): HorizontalPodAutoscalerBehavior {
  return compact({
    scaleUp: readRules(behavior.ScaleUp),
    scaleDown: readRules(behavior.ScaleDown),
  }) as HorizontalPodAutoscalerBehavior;
}

function readRules(rules: AnnotatedScalingRules | null): HPAScalingRules | undefined {
  if (rules === null) return undefined;
  return compact({
    stabilizationWindowSeconds: rules.StabilizationWindowSeconds ?? undefined,
    selectPolicy: rules.SelectPolicy ?? undefined,
    policies: rules.Policies?.map((p) => ({ type: p.Type, value: p.Value, periodSeconds: p.PeriodSeconds })),
    tolerance: rules.Tolerance ?? undefined,
  }) as HPAScalingRules;
}

type Annotations = Readonly<Record<string, string>> | undefined;
