// Turns an object of one served version into another. Almost every built-in kind has one version, where only
// apiVersion and kind are written; two have real work: HorizontalPodAutoscaler (autoscaling/v1 and v2) and Event
// (core/v1 and events.k8s.io/v1). Custom resources are not converted here.

import { type GroupVersionKind, type KubeObject, toApiVersion } from '@homeostat/machinery';

import { eventFromCore, eventToCore } from './event.ts';
import { autoscalerFromV1 } from './horizontal-pod-autoscaler-from-v1.ts';
import { autoscalerToV1 } from './horizontal-pod-autoscaler-to-v1.ts';

type Conversion = (object: KubeObject) => KubeObject;

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'HorizontalPodAutoscaler autoscaling/v1 autoscaling/v2': autoscalerFromV1 as Conversion,
  'HorizontalPodAutoscaler autoscaling/v2 autoscaling/v1': autoscalerToV1 as Conversion,
  'Event events.k8s.io/v1 v1': eventToCore as Conversion,
  'Event v1 events.k8s.io/v1': eventFromCore as Conversion,
};

/**
 * Returns the object as kind `to`, sharing what does not change. The object itself is never changed, and is returned
 * as it is when it already says that it is of that kind.
 */
export function convertObject(object: KubeObject, from: GroupVersionKind, to: GroupVersionKind): KubeObject {
  const target = toApiVersion(to);
  const conversion = CONVERSIONS[`${from.kind} ${toApiVersion(from)} ${target}`];
  const converted = conversion === undefined ? object : conversion(object);
  if (converted.apiVersion === target && converted.kind === to.kind) return converted;
  const { apiVersion: _version, kind: _kind, ...rest } = converted;
  return { kind: to.kind, apiVersion: target, ...rest };
}
