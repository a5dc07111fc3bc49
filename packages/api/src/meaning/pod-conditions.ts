// What the conditions of a Pod mean: readiness and availability (spec/workloads.md §1.7).

import type { Pod, PodCondition } from '@homeostat/api/types/core-v1';
import { parseTime } from '@homeostat/machinery';

export function getPodCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether the condition Ready is True; the phase is not asked. */
export function isPodReady(pod: Pod): boolean {
  return getPodCondition(pod, 'Ready')?.status === 'True';
}

/** Ready, and that for `minReadySeconds` already. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isPodReady(pod)) return false;
  return minReadySeconds === 0 || nextPodAvailabilityMs(pod, minReadySeconds, nowMs) === undefined;
}

/**
 * Milliseconds until a ready Pod becomes available; undefined when it is available already, or not ready (no time will
 * make it so). A Ready condition without a transition time waits the whole of `minReadySeconds`.
 */
export function nextPodAvailabilityMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  if (minReadySeconds === 0 || !isPodReady(pod)) return undefined;
  const since = getPodCondition(pod, 'Ready')?.lastTransitionTime;
  if (since === undefined || since === null) return minReadySeconds * 1000;
  const leftMs = parseTime(since) + minReadySeconds * 1000 - nowMs;
  return leftMs > 0 ? leftMs : undefined;
}
