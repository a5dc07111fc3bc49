// Table rows of autoscaling and disruption budgets. HorizontalPodAutoscalers print as autoscaling/v2 whatever version
// was asked for: metrics live there.

import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '@homeostat/api/types/autoscaling-v2';
import type { Scale } from '@homeostat/api/types/autoscaling-v1';
import type { PodDisruptionBudget } from '@homeostat/api/types/policy-v1';

import { AGE_COLUMN, ageOf, column, joinSome, nameColumn, nameOf, table } from './column.ts';

export const horizontalPodAutoscalerTable = table<HorizontalPodAutoscaler>(
  [
    nameColumn(),
    column('Reference', 'What is scaled.'),
    column('Targets', 'Each metric: what it is and what it should be.'),
    column('MinPods', 'Lower bound of replicas.'),
    column('MaxPods', 'Upper bound of replicas.'),
    column('Replicas', 'How many there are.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => {
    const target = object.spec?.scaleTargetRef;
    return [
      nameOf(object),
      `${target?.kind ?? ''}/${target?.name ?? ''}`,
      metricsText(object.spec?.metrics ?? [], object.status?.currentMetrics ?? []),
      object.spec?.minReplicas === undefined ? '<unset>' : String(object.spec.minReplicas),
      object.spec?.maxReplicas ?? 0,
      object.status?.currentReplicas ?? 0,
      ageOf(object, nowMs),
    ];
  },
);

export const scaleTable = table<Scale>(
  [
    column('Name', 'Name of what is scaled.'),
    column('Desired', 'How many replicas there should be.', 'integer'),
    column('Available', 'How many there are.', 'integer'),
    AGE_COLUMN,
  ],
  (object, nowMs) => [nameOf(object), object.spec?.replicas ?? 0, object.status?.replicas ?? 0, ageOf(object, nowMs)],
);

export const podDisruptionBudgetTable = table<PodDisruptionBudget>(
  [
    nameColumn(),
    column('Min Available', 'How many Pods have to stay.'),
    column('Max Unavailable', 'How many Pods may be missing.'),
    column('Allowed Disruptions', 'How many Pods may be evicted now.', 'integer'),
    AGE_COLUMN,
  ],
  (object, nowMs) => [
    nameOf(object),
    String(object.spec?.minAvailable ?? 'N/A'),
    String(object.spec?.maxUnavailable ?? 'N/A'),
    object.status?.disruptionsAllowed ?? 0,
    ageOf(object, nowMs),
  ],
);

function metricsText(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>';
  return joinSome(
    specs.map((spec, index) => metricText(spec, statuses[index])),
    2,
    ', ',
  );
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'External':
      return valueText(spec.external?.target, status?.external?.current);
    case 'Pods':
      return `${status?.pods?.current?.averageValue ?? '<unknown>'}/${spec.pods?.target?.averageValue ?? ''}`;
    case 'Object':
      return valueText(spec.object?.target, status?.object?.current);
    case 'Resource':
      return `${spec.resource?.name ?? ''}: ${resourceText(spec.resource?.target, status?.resource?.current)}`;
    case 'ContainerResource': {
      const current = status?.containerResource?.current;
      return `${spec.containerResource?.name ?? ''}: ${resourceText(spec.containerResource?.target, current)}`;
    }
    default:
      return '<unknown type>';
  }
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? '<unknown>'}/${target.averageValue} (avg)`;
  return `${current?.value ?? '<unknown>'}/${target?.value ?? ''}`;
}

function resourceText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? '<unknown>'}/${target.averageValue}`;
  const wanted = target?.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`;
  const actual = current?.averageUtilization === undefined ? '<unknown>' : `${current.averageUtilization}%`;
  return `${actual}/${wanted}`;
}
