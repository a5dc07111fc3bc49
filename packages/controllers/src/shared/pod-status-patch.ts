// Changing a pod's status by a patch that says only what changes (spec/infrastructure.md §0.5), bound to the pod's uid. Pure.

import type { Pod, PodCondition, PodStatus } from '@homeostat/api/types/core-v1';
import { structByName } from '@homeostat/api';
import { invariant } from '@homeostat/base';
import { pods } from '@homeostat/client/resources';
import { createTwoWayMergePatch, formatTime, type JsonMap } from '@homeostat/machinery';
import type { PatchAction } from '@homeostat/runtime';
import { inNamespace } from './controller-ref.ts';

export interface StatusPatchOptions {
  readonly reason: string;
  readonly facts: PatchAction['facts'];
  readonly tolerates?: readonly string[];
}

/** The patch from the status that was read to `status`; undefined when they are the same. */
export function podStatusPatch(pod: Pod, status: PodStatus, options: StatusPatchOptions): PatchAction | undefined {
  const schema = structByName('io.k8s.api.core.v1.PodStatus');
  invariant(schema !== undefined, 'the schema of PodStatus is not known');
  const difference = createTwoWayMergePatch((pod.status ?? {}) as JsonMap, status as JsonMap, schema);
  if (Object.keys(difference).length === 0) return undefined;
  return {
    verb: 'patch',
    patchType: 'strategic',
    subresource: 'status',
    resource: pods,
    ...inNamespace(pod),
    name: pod.metadata?.name ?? '',
    patch: { metadata: { uid: pod.metadata?.uid ?? '' }, status: difference },
    ...options,
  };
}

/** The status with a condition set, said to be about the pod's present generation; the transition time stays while the status does. */
export function withPodCondition(
  pod: Pod,
  wanted: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>,
  nowMs: number,
): PodStatus {
  const conditions = pod.status?.conditions ?? [];
  const current = conditions.find(({ type }) => type === wanted.type);
  const unchanged =
    current !== undefined &&
    current.status === wanted.status &&
    current.reason === wanted.reason &&
    current.message === wanted.message;
  if (unchanged) return pod.status ?? {};
  const transition = current?.status === wanted.status ? current.lastTransitionTime : undefined;
  const condition: PodCondition = {
    ...wanted,
    observedGeneration: pod.metadata?.generation ?? 0,
    lastTransitionTime: transition ?? formatTime(nowMs),
  };
  const rest = conditions.map((other) => (other === current ? condition : other));
  return { ...pod.status, conditions: current === undefined ? [...rest, condition] : rest };
}
