// autoscaling/v1 knows one metric. Whatever else an autoscaler has travels through v1 in annotations, as JSON of the
// types below, so that a v1 client can read and write it back without loss. Field order is part of the text.

import type { CrossVersionObjectReference } from '@homeostat/api/types/autoscaling-v1';

export const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';
export const STATUSES_ANNOTATION = 'autoscaling.alpha.kubernetes.io/current-metrics';
export const CONDITIONS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/conditions';
export const BEHAVIOR_ANNOTATION = 'autoscaling.alpha.kubernetes.io/behavior';

/** A label selector, carried as it is. */
export type AnnotatedSelector = { readonly matchLabels?: Readonly<Record<string, string>> };

/** A metric as v1 wrote it: flat, with the target's form told by which field is set. */
export interface AnnotatedMetric {
  readonly type: string;
  readonly object?: {
    readonly target: CrossVersionObjectReference;
    readonly metricName: string;
    readonly targetValue: string;
    readonly selector?: AnnotatedSelector;
    readonly averageValue?: string;
  };
  readonly pods?: {
    readonly metricName: string;
    readonly targetAverageValue: string;
    readonly selector?: AnnotatedSelector;
  };
  readonly resource?: AnnotatedResource;
  readonly containerResource?: AnnotatedResource & { readonly container: string };
  readonly external?: {
    readonly metricName: string;
    readonly metricSelector?: AnnotatedSelector;
    readonly targetValue?: string;
    readonly targetAverageValue?: string;
  };
}

export interface AnnotatedResource {
  readonly name: string;
  readonly targetAverageUtilization?: number;
  readonly targetAverageValue?: string;
}

/** A metric's state as v1 wrote it. */
export interface AnnotatedStatus {
  readonly type: string;
  readonly object?: {
    readonly target: CrossVersionObjectReference;
    readonly metricName: string;
    readonly currentValue: string;
    readonly selector?: AnnotatedSelector;
    readonly averageValue?: string;
  };
  readonly pods?: {
    readonly metricName: string;
    readonly currentAverageValue: string;
    readonly selector?: AnnotatedSelector;
  };
  readonly resource?: AnnotatedResourceStatus;
  readonly containerResource?: AnnotatedResourceStatus & { readonly container: string };
  readonly external?: {
    readonly metricName: string;
    readonly metricSelector?: AnnotatedSelector;
    readonly currentValue: string;
    readonly currentAverageValue?: string;
  };
}

export interface AnnotatedResourceStatus {
  readonly name: string;
  readonly currentAverageUtilization?: number;
  readonly currentAverageValue: string;
}

/** Behavior was annotated in the form of Go's internal types: capital names, nothing left out. */
export interface AnnotatedBehavior {
  readonly ScaleUp: AnnotatedScalingRules | null;
  readonly ScaleDown: AnnotatedScalingRules | null;
}

export interface AnnotatedScalingRules {
  readonly StabilizationWindowSeconds: number | null;
  readonly SelectPolicy: string | null;
  readonly Policies:
    readonly { readonly Type: string; readonly Value: number; readonly PeriodSeconds: number }[] | null;
  readonly Tolerance: string | null;
}

/** The annotations without those above; undefined when nothing is left. */
export function dropAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  const own = new Set([METRICS_ANNOTATION, STATUSES_ANNOTATION, CONDITIONS_ANNOTATION, BEHAVIOR_ANNOTATION]);
  const rest = Object.entries(annotations ?? {}).filter(([name]) => !own.has(name));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** Drops undefined members, so that optional fields can be written in their place. */
export function compact<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** Reads an annotation; undefined when it is absent or not JSON. */
export function readAnnotation<T>(
  annotations: Readonly<Record<string, string>> | undefined,
  name: string,
): T | undefined {
  const text = annotations?.[name];
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as T | null) ?? undefined;
  } catch {
    // Upstream ignores what it can't read: annotations are free text, and the object stays usable.
    return undefined;
  }
}

export function hasAnnotatedMetrics(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return (readAnnotation<readonly unknown[]>(annotations, METRICS_ANNOTATION) ?? []).length > 0;
}
